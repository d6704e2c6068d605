/* Facts of the machine, from files of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/team.h"
#include "tune/host.h"

static char root[] = "/tmp/test_host_XXXXXX";

/* Writes a file below the root, with the folders above it. */
static void put(const char *path, const char *text)
{
	char whole[256];

	snprintf(whole, sizeof whole, "%s%s", root, path);
	for (char *slash = whole + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		mkdir(whole, 0700);
		*slash = '/';
	}
	FILE *file = fopen(whole, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

static void put_governor(int processor, const char *governor)
{
	char path[96];

	snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor",
		processor);
	put(path, governor);
}

static int make_root(void **state)
{
	(void)state;
	return mkdtemp(root) ? 0 : -1;
}

static int remove_root(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof command, "rm -r %s", root);
	return system(command);
}

static void test_nothing_known(void **state)
{
	struct host host;

	(void)state;
	host_begin(&host, "/nowhere");
	host_end(&host, "/nowhere");
	assert_int_equal(host.processors, team_processors());
	assert_true(host.online >= host.processors);
	assert_true(isnan(host.load) && isnan(host.steal));
	assert_string_equal(host.governor, "");
}

static void test_steal_is_of_the_run(void **state)
{
	struct host host;

	(void)state;
	put("/proc/stat", "cpu  100 0 50 800 10 0 5 35 7 0\ncpu0 1 2 3\n");
	put("/proc/loadavg", "1.25 0.75 0.50 1/100 4242\n");
	host_begin(&host, root);
	assert_true(host.load == 1.25);
	assert_true(isnan(host.steal));
	put("/proc/stat", "cpu  160 0 60 810 10 0 5 55 9 0\ncpu0 1 2 3\n");
	host_end(&host, root);
	assert_true(fabs(host.steal - 0.2) <= 1e-12);
}

static void test_a_run_too_short_to_tell(void **state)
{
	struct host host;

	(void)state;
	put("/proc/stat", "cpu  100 0 50 800 10 0 5 35 7 0\n");
	host_begin(&host, root);
	host_end(&host, root);
	assert_true(isnan(host.steal));
	put("/proc/stat", "cpu  100 0 50 nonsense\n");
	host_end(&host, root);
	assert_true(isnan(host.steal));
}

static void test_governors(void **state)
{
	struct host host;

	(void)state;
	for (int i = 0; i < sysconf(_SC_NPROCESSORS_ONLN); i++)
		put_governor(i, "powersave\n");
	host_begin(&host, root);
	assert_string_equal(host.governor, "powersave");
	if (host.online < 2)
		return;
	put_governor(1, "performance\n");
	host_begin(&host, root);
	assert_string_equal(host.governor, "mixed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_known),
		cmocka_unit_test(test_steal_is_of_the_run),
		cmocka_unit_test(test_a_run_too_short_to_tell),
		cmocka_unit_test(test_governors),
	};

	return cmocka_run_group_tests(tests, make_root, remove_root);
}
