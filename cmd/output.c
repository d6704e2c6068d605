#include "cmd/output.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/str.h"

static int first_error; /* errno of the first write that failed */

void out(const char *text)
{
	if (fputs(text, stdout) == EOF && !first_error)
		first_error = errno;
}

int out_flush(struct err *err)
{
	if (fflush(stdout) && !first_error)
		first_error = errno;
	if (first_error)
		return err_set(err, ERR_UNAVAILABLE, "cannot write standard output: %s",
			strerror(first_error));
	return 0;
}

bool out_has_colour(void)
{
	const char *no_colour = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && !(no_colour && *no_colour) &&
	       !(term && !strcmp(term, "dumb"));
}

/* 0, or an errno. */
static int find_obstacle(const char *path)
{
	struct stat status;

	if (!stat(path, &status)) {
		if (S_ISDIR(status.st_mode))
			return EISDIR;
		return access(path, W_OK) ? errno : 0;
	}
	char *copy = str_copy(path);
	int obstacle = access(dirname(copy), W_OK | X_OK) ? errno : 0;
	free(copy);
	return obstacle;
}

int out_check(const char *path, struct err *err)
{
	int obstacle = strcmp(path, "-") ? find_obstacle(path) : 0;

	if (obstacle)
		return err_set(
			err, ERR_UNAVAILABLE, "cannot write %s: %s", path, strerror(obstacle));
	return 0;
}
