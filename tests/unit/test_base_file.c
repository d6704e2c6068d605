/* Whole files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

static char folder[64];
static char path[96];

static int make_folder(void **state)
{
	(void)state;
	strcpy(folder, "/tmp/pattn-file-XXXXXX");
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof path, "%s/file", folder);
	return 0;
}

/* Also that nothing but what the test made and removed was in it. */
static int remove_folder(void **state)
{
	(void)state;
	return rmdir(folder);
}

static void expect_contents(const char *file, const char *contents)
{
	struct str text = {0};
	struct err err;

	assert_int_equal(file_read(file, 100, &text, &err), 0);
	assert_string_equal(text.text, contents);
	str_release(&text);
}

static void what_is_written_is_read(void **state)
{
	struct str text = {0};
	struct err err;
	char *bytes = calloc(1, 200000);

	(void)state;
	assert_non_null(bytes);
	memset(bytes + 70000, 'x', 100000);
	assert_int_equal(file_write(path, bytes, 200000, &err), 0);
	assert_int_equal(file_read(path, 200000, &text, &err), 0);
	assert_int_equal(text.length, 200000);
	assert_memory_equal(text.text, bytes, 200000);
	str_release(&text);
	assert_int_equal(file_write(path, "", 0, &err), 0);
	expect_contents(path, "");
	free(bytes);
	unlink(path);
}

static void a_limit_is_kept(void **state)
{
	struct str text = {0};
	struct err err;

	(void)state;
	assert_int_equal(file_write(path, "12345", 5, &err), 0);
	assert_int_equal(file_read(path, 5, &text, &err), 0);
	assert_int_equal(file_read(path, 4, &text, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "larger than 4 B"));
	str_release(&text);
	unlink(path);
}

static void unreadable_files_are_named(void **state)
{
	struct str text = {0};
	struct err err;

	(void)state;
	assert_int_equal(file_read(path, 10, &text, &err), -1);
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, "No such file"));
	assert_int_equal(file_read(folder, 10, &text, &err), -1);
	assert_non_null(strstr(err.text, "directory"));
	str_release(&text);
}

static void an_overwrite_keeps_mode_and_link(void **state)
{
	char link_path[128];
	struct stat status;
	struct err err;

	(void)state;
	snprintf(link_path, sizeof link_path, "%s/link", folder);
	assert_int_equal(file_write(path, "old", 3, &err), 0);
	assert_int_equal(chmod(path, 0640), 0);
	assert_int_equal(symlink("file", link_path), 0);
	assert_int_equal(file_write(link_path, "newer", 5, &err), 0);
	expect_contents(path, "newer");
	assert_int_equal(lstat(link_path, &status), 0);
	assert_true(S_ISLNK(status.st_mode));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0640);
	unlink(link_path);
	unlink(path);
}

static void a_new_file_heeds_the_umask(void **state)
{
	mode_t mask = umask(027);
	struct stat status;
	struct err err;

	(void)state;
	assert_int_equal(file_write(path, "x", 1, &err), 0);
	umask(mask);
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0640);
	unlink(path);
}

static void contents_survive_a_failed_write(void **state)
{
	static const char big[8192];
	struct rlimit limit, small;
	struct err err;

	(void)state;
	assert_int_equal(file_write(path, "kept", 4, &err), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	small = limit;
	small.rlim_cur = 4096;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(file_write(path, big, sizeof big, &err), -1);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	signal(SIGXFSZ, SIG_DFL);
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	assert_non_null(strstr(err.text, path));
	assert_non_null(strstr(err.text, strerror(EFBIG)));
	expect_contents(path, "kept");
	unlink(path);
}

static void devices_are_written_in_place(void **state)
{
	struct stat status;
	struct err err;

	(void)state;
	assert_int_equal(file_write("/dev/null", "x", 1, &err), 0);
	assert_int_equal(stat("/dev/null", &status), 0);
	assert_true(S_ISCHR(status.st_mode));
	assert_int_equal(file_write("/dev/full", "x", 1, &err), -1);
	assert_non_null(strstr(err.text, "cannot write /dev/full: No space left on device"));
}

static void a_missing_folder_is_an_error(void **state)
{
	char below[128];
	struct err err;

	(void)state;
	snprintf(below, sizeof below, "%s/none/file", folder);
	assert_int_equal(file_write(below, "x", 1, &err), -1);
	assert_non_null(strstr(err.text, "No such file"));
}

static void a_dash_is_the_standard_streams(void **state)
{
	struct str text = {0};
	struct err err;
	int pipes[2], saved_in = dup(STDIN_FILENO), saved_out = dup(STDOUT_FILENO), result;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	fflush(stdout);
	dup2(pipes[1], STDOUT_FILENO);
	fputs("before ", stdout);
	result = file_write("-", "written", 7, &err);
	dup2(saved_out, STDOUT_FILENO);
	close(pipes[1]);
	assert_int_equal(result, 0);
	dup2(pipes[0], STDIN_FILENO);
	result = file_read("-", 100, &text, &err);
	dup2(saved_in, STDIN_FILENO);
	close(pipes[0]);
	close(saved_in);
	close(saved_out);
	assert_int_equal(result, 0);
	assert_string_equal(text.text, "before written");
	str_release(&text);
}

static void folders_are_made_once(void **state)
{
	char made[128];
	struct err err;

	(void)state;
	snprintf(made, sizeof made, "%s/made", folder);
	assert_int_equal(file_make_dir(made, &err), 0);
	assert_int_equal(file_make_dir(made, &err), 0);
	assert_int_equal(rmdir(made), 0);
	assert_int_equal(file_write(path, "x", 1, &err), 0);
	assert_int_equal(file_make_dir(path, &err), -1);
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	assert_non_null(strstr(err.text, "Not a directory"));
	unlink(path);
	snprintf(made, sizeof made, "%s/none/made", folder);
	assert_int_equal(file_make_dir(made, &err), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(a_limit_is_kept),
		cmocka_unit_test(unreadable_files_are_named),
		cmocka_unit_test(an_overwrite_keeps_mode_and_link),
		cmocka_unit_test(a_new_file_heeds_the_umask),
		cmocka_unit_test(contents_survive_a_failed_write),
		cmocka_unit_test(devices_are_written_in_place),
		cmocka_unit_test(a_missing_folder_is_an_error),
		cmocka_unit_test(a_dash_is_the_standard_streams),
		cmocka_unit_test(folders_are_made_once),
	};

	return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
