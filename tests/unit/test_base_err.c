/* Failures: text, control characters, bugs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"

static void set_fills_kind_and_text(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(err_set(&err, ERR_UNAVAILABLE, "no %s at %d", "disk", 7), -1);
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	assert_string_equal(err.text, "no disk at 7");
}

static void control_characters_are_masked(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, ERR_USAGE, "a\nb\tc\x1b[31md\x7f \xc3\xa9");
	assert_string_equal(err.text, "a?b?c?[31md? \xc3\xa9");
	err_prefix(&err, "x\ry");
	assert_string_equal(err.text, "x?y: a?b?c?[31md? \xc3\xa9");
}

static void text_may_hold_itself(void **state)
{
	struct err err;

	(void)state;
	err_set(&err, ERR_USAGE, "inner");
	err_set(&err, ERR_USAGE, "outer (%s)", err.text);
	assert_string_equal(err.text, "outer (inner)");
	assert_int_equal(err_prefix(&err, "%s, line %d", err.text, 3), -1);
	assert_string_equal(err.text, "outer (inner), line 3: outer (inner)");
	assert_int_equal(err.kind, ERR_USAGE);
}

static void long_text_is_cut(void **state)
{
	struct err err;
	char text[3000];

	(void)state;
	memset(text, 'a', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	err_set(&err, ERR_USAGE, "%s", text);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
	for (int i = 0; i < 3; i++)
		err_prefix(&err, "%s", text);
	assert_int_equal(strlen(err.text), sizeof err.text - 1);
}

static void a_bug_aborts(void **state)
{
	int pipes[2], status;
	char text[256] = "";
	pid_t child;

	(void)state;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	if (!child) {
		dup2(pipes[1], STDERR_FILENO);
		signal(SIGABRT, SIG_DFL);
		bug_at("folder/file.c", 12, "broken %d", 3);
	}
	close(pipes[1]);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT);
	assert_true(read(pipes[0], text, sizeof text - 1) > 0);
	assert_string_equal(text, "folder/file.c:12: bug: broken 3\n");
	close(pipes[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_fills_kind_and_text),
		cmocka_unit_test(control_characters_are_masked),
		cmocka_unit_test(text_may_hold_itself),
		cmocka_unit_test(long_text_is_cut),
		cmocka_unit_test(a_bug_aborts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
