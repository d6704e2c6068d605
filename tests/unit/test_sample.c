/* Problems too large for the oracle are judged on a sample that keeps their edges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tune/sample.h"

static void make(struct problem *problem, const char *spec, int64_t heads, int64_t window)
{
	struct err err = {0};
	struct lens lens = {0};
	assert_int_equal(0, lens_parse(&lens, spec, 1, &err));
	*problem = (struct problem){0};
	assert_int_equal(0, problem_init(problem, &lens, heads, window, DTYPE_F32, &err));
	lens_release(&lens);
}

static void test_small_problems_are_judged_whole(void **state)
{
	static const char *const specs[] = {"bench", "test", "4x2048", "8192"};
	(void)state;
	for (int i = 0; i < 4; i++) {
		struct problem problem;
		make(&problem, specs[i], 12, NO_WINDOW);
		assert_false(sample_needed(&problem));
		problem_release(&problem);
	}
}

/* Flops of forward and gradient on the sample. */
static double sample_of(const char *spec, int64_t heads, int64_t window, struct problem *sampled)
{
	struct err err = {0};
	struct problem problem;
	struct lens lens = {0};
	make(&problem, spec, heads, window);
	assert_true(sample_needed(&problem));
	assert_int_equal(0, sample_lens(&lens, &problem, &err));
	*sampled = (struct problem){0};
	assert_int_equal(0, problem_init(sampled, &lens, heads, window, DTYPE_F32, &err));
	lens_release(&lens);
	problem_release(&problem);
	return problem_flops(sampled, PASS_FORWARD) + problem_flops(sampled, PASS_BACKWARD);
}

static void test_one_long_sequence_is_cut_to_its_edges(void **state)
{
	struct problem sampled;
	(void)state;
	assert_true(sample_of("131077", 12, NO_WINDOW, &sampled) <= 2 * SAMPLE_FLOPS);
	assert_int_equal(1, sampled.count);
	assert_int_equal(SAMPLE_CUT + 131077 % 128, sampled.lens[0]);
	problem_release(&sampled);
}

static void test_many_sequences_keep_longest_and_shortest(void **state)
{
	struct problem sampled;
	(void)state;
	assert_true(sample_of("3000x1000,1x1999,1x3", 12, NO_WINDOW, &sampled) <= SAMPLE_FLOPS);
	assert_true(sampled.count >= 3);
	assert_int_equal(1999, sampled.lens[0]);
	assert_int_equal(3, sampled.lens[sampled.count - 1]);
	problem_release(&sampled);
}

static void test_windows_allow_more(void **state)
{
	struct problem whole, windowed;
	(void)state;
	sample_of("40000x512", 12, NO_WINDOW, &whole);
	sample_of("40000x512", 12, 64, &windowed);
	assert_true(windowed.count > whole.count);
	problem_release(&whole);
	problem_release(&windowed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_problems_are_judged_whole),
		cmocka_unit_test(test_one_long_sequence_is_cut_to_its_edges),
		cmocka_unit_test(test_many_sequences_keep_longest_and_shortest),
		cmocka_unit_test(test_windows_allow_more),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
