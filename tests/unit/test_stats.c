#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tune/stats.h"

static void assert_near(double got, double want)
{
	double error = got > want ? got - want : want - got;

	if (!(error <= 1e-15))
		fail_msg("%.17g is not %.17g", got, want);
}

/* Quartiles as numpy.percentile(samples, [25, 50, 75]) gives them. */
static const struct {
	int count;
	double samples[8];
	double first_quartile, median, third_quartile, min, max;
} cases[] = {
	{1, {3}, 3, 3, 3, 3, 3},
	{2, {4, 1}, 1.75, 2.5, 3.25, 1, 4},
	{3, {9, 1, 4}, 2.5, 4, 6.5, 1, 9},
	{4, {4, 3, 2, 1}, 1.75, 2.5, 3.25, 1, 4},
	{5, {5, 1, 4, 2, 3}, 2, 3, 4, 1, 5},
	{6, {0.5, 0.5, 0.5, 8, 0.5, 0.25}, 0.5, 0.5, 0.5, 0.25, 8},
	{8, {-1, 7, 3.5, 2, 2, 11, 0, 1}, 0.75, 2, 4.375, -1, 11},
};

static void test_quartiles(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		double copy[8];
		struct stats stats;

		memcpy(copy, cases[i].samples, sizeof copy);
		stats_of(&stats, copy, cases[i].count);
		assert_memory_equal(copy, cases[i].samples, sizeof copy);
		assert_int_equal(stats.count, cases[i].count);
		assert_near(stats.first_quartile, cases[i].first_quartile);
		assert_near(stats.median, cases[i].median);
		assert_near(stats.third_quartile, cases[i].third_quartile);
		assert_near(stats.min, cases[i].min);
		assert_near(stats.max, cases[i].max);
	}
}

static void test_none(void **state)
{
	struct stats stats = {.count = 3, .median = 1};

	(void)state;
	stats_of(&stats, NULL, 0);
	assert_int_equal(stats.count, 0);
	assert_near(stats.median, 0);
	assert_near(stats.first_quartile, 0);
	assert_near(stats.third_quartile, 0);
	assert_near(stats.min, 0);
	assert_near(stats.max, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quartiles),
		cmocka_unit_test(test_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
