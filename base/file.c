#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/stop.h"

static bool is_standard(const char *path)
{
	return !strcmp(path, "-");
}

int file_read(const char *path, size_t limit, struct str *text, struct err *err)
{
	const char *name = is_standard(path) ? "standard input" : path;
	int file = is_standard(path) ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	int result = -1;
	size_t total = 0;
	char chunk[1 << 16], size[32];
	ssize_t got;

	if (file < 0)
		return err_set(err, ERR_UNAVAILABLE, "cannot read %s: %s", name, strerror(errno));
	str_add(text, "");
	while ((got = read(file, chunk, sizeof chunk)) != 0) {
		if (got < 0 && errno == EINTR && !stop_asked())
			continue;
		if (got < 0 && errno == EINTR) {
			err_set(err, ERR_INTERRUPTED, "interrupted while reading %s", name);
			goto out;
		}
		if (got < 0) {
			err_set(err, ERR_UNAVAILABLE, "cannot read %s: %s", name, strerror(errno));
			goto out;
		}
		total += (size_t)got;
		if (total > limit) {
			err_set(err, ERR_USAGE, "%s is larger than %s; give a smaller file", name,
				str_bytes((int64_t)limit, size));
			goto out;
		}
		str_add_bytes(text, chunk, (size_t)got);
	}
	result = 0;
out:
	if (file != STDIN_FILENO)
		close(file);
	return result;
}

/* 0, or -1 and errno. */
static int write_all(int file, const char *bytes, size_t count)
{
	while (count) {
		ssize_t put = write(file, bytes, count);

		if (put < 0 && errno != EINTR)
			return -1;
		if (put > 0) {
			bytes += put;
			count -= (size_t)put;
		}
	}
	return 0;
}

/* Into a pipe, a terminal or a device, which no rename may replace. */
static int write_in_place(const char *path, const void *bytes, size_t count)
{
	int file = open(path, O_WRONLY | O_CLOEXEC);
	int result = file < 0 ? -1 : write_all(file, bytes, count);

	if (file >= 0 && close(file))
		result = -1;
	return result;
}

/* Beside `path`, then over it. */
static int write_and_rename(const char *path, mode_t mode, const void *bytes, size_t count)
{
	struct str draft = {0};
	int file, result, error;

	str_addf(&draft, "%s.XXXXXX", path);
	file = mkostemp(draft.text, O_CLOEXEC);
	result = file < 0 ? -1 : 0;
	if (!result && (write_all(file, bytes, count) || fchmod(file, mode) || fsync(file)))
		result = -1;
	error = errno;
	if (file >= 0 && close(file) && !result) {
		result = -1;
		error = errno;
	}
	if (!result && rename(draft.text, path)) {
		result = -1;
		error = errno;
	}
	if (file >= 0 && result)
		unlink(draft.text);
	str_release(&draft);
	errno = error;
	return result;
}

static mode_t default_mode(void)
{
	mode_t mask = umask(0);

	umask(mask);
	return 0666 & ~mask;
}

static int write_path(const char *path, const void *bytes, size_t count)
{
	/* A link stays a link: its target is what is replaced. */
	char *target = realpath(path, NULL);
	struct stat status;
	int result;

	if (!target || stat(target, &status))
		result = write_and_rename(path, default_mode(), bytes, count);
	else if (S_ISREG(status.st_mode))
		result = write_and_rename(target, status.st_mode & 07777, bytes, count);
	else
		result = write_in_place(target, bytes, count);
	free(target);
	return result;
}

int file_write(const char *path, const void *bytes, size_t count, struct err *err)
{
	int result;

	if (is_standard(path)) {
		result = fflush(stdout) ? -1 : write_all(STDOUT_FILENO, bytes, count);
		path = "standard output";
	} else {
		result = write_path(path, bytes, count);
	}
	if (result)
		return err_set(err, ERR_UNAVAILABLE, "cannot write %s: %s", path, strerror(errno));
	return 0;
}

int file_make_dir(const char *path, struct err *err)
{
	struct stat status;

	if (!mkdir(path, 0777))
		return 0;
	if (errno == EEXIST && !stat(path, &status)) {
		if (S_ISDIR(status.st_mode))
			return 0;
		errno = ENOTDIR;
	}
	return err_set(
		err, ERR_UNAVAILABLE, "cannot make the folder %s: %s", path, strerror(errno));
}
