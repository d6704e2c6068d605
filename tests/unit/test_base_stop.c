/* Signals that ask for a stop. Each case is a process of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"

static int status_of(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return status;
}

static void the_first_signal_sets_the_flag(void **state)
{
	static const int signals[] = {SIGINT, SIGTERM};

	(void)state;
	for (int i = 0; i < 2; i++) {
		pid_t child = fork();
		int status;

		if (!child) {
			stop_listen();
			if (stop_asked())
				_exit(1);
			raise(signals[i]);
			_exit(stop_asked() ? 0 : 2);
		}
		status = status_of(child);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 0);
	}
}

static void the_second_signal_ends_the_process(void **state)
{
	pid_t child = fork();
	int status;

	(void)state;
	if (!child) {
		stop_listen();
		raise(SIGINT);
		raise(SIGTERM);
		_exit(0);
	}
	status = status_of(child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGTERM);
}

/* Waits until `child` sleeps, as it does in a read. */
static void await_sleep(pid_t child)
{
	char path[64], sleeping = 0;

	snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
	while (sleeping != 'S') {
		FILE *file = fopen(path, "r");

		assert_non_null(file);
		assert_int_equal(fscanf(file, "%*d (%*[^)]) %c", &sleeping), 1);
		fclose(file);
	}
}

static void a_waiting_read_is_interrupted(void **state)
{
	int input[2], ready[2], status;
	char byte;
	pid_t child;

	(void)state;
	assert_int_equal(pipe(input), 0);
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (!child) {
		struct str text = {0};
		struct err err = {0};

		stop_listen();
		dup2(input[0], STDIN_FILENO);
		if (write(ready[1], "", 1) != 1)
			_exit(1);
		_exit(file_read("-", 10, &text, &err) == -1 && err.kind == ERR_INTERRUPTED ? 0 : 2);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	await_sleep(child);
	kill(child, SIGINT);
	status = status_of(child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
	for (int i = 0; i < 2; i++) {
		close(input[i]);
		close(ready[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_signal_sets_the_flag),
		cmocka_unit_test(the_second_signal_ends_the_process),
		cmocka_unit_test(a_waiting_read_is_interrupted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
