/* Problems: sizes, work, memory, refusals. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "data/problem.h"

static int make(struct problem *problem, const char *spec, int64_t heads, int64_t window,
	enum dtype dtype, struct err *err)
{
	struct lens lens = {0};
	int result;

	assert_int_equal(lens_parse(&lens, spec, 1, err), 0);
	result = problem_init(problem, &lens, heads, window, dtype, err);
	lens_release(&lens);
	return result;
}

static void the_bench_workload_has_the_references_sizes(void **state)
{
	struct problem problem;
	struct err err;

	(void)state;
	assert_int_equal(make(&problem, "bench", 12, 64, DTYPE_F32, &err), 0);
	assert_int_equal(problem.tokens, 4016);
	assert_int_equal(problem.count, 32);
	assert_int_equal(problem.lens[31], problem.cu[32] - problem.cu[31]);
	assert_int_equal(problem.cu[0], 0);
	assert_int_equal(problem.cu[2], 64 + 101);
	assert_int_equal(problem.longest, 187);
	assert_int_equal(problem_qkv_count(&problem), 4016 * 3 * 12 * 64);
	assert_int_equal(problem_out_count(&problem), 4016 * 12 * 64);
	assert_int_equal(problem_lse_count(&problem), 4016 * 12);
	assert_int_equal(problem_table_count(&problem), 187 * 32);
	problem_release(&problem);
	assert_null(problem.cu);
	problem_release(&problem);
}

static void empty_sequences_are_legal(void **state)
{
	struct problem problem;
	struct err err;

	(void)state;
	assert_int_equal(make(&problem, "0,5,0", 2, NO_WINDOW, DTYPE_BF16, &err), 0);
	assert_int_equal(problem.cu[1], 0);
	assert_int_equal(problem.cu[3], 5);
	assert_int_equal(problem_pairs(&problem), 25);
	problem_release(&problem);
	assert_int_equal(make(&problem, "3x0", 1, 0, DTYPE_F32, &err), 0);
	assert_int_equal(problem.tokens, 0);
	assert_int_equal(problem_pairs(&problem), 0);
	assert_true(problem_flops(&problem, PASS_BACKWARD) == 0.0);
	problem_release(&problem);
}

static int64_t count_pairs(const struct problem *problem)
{
	int64_t pairs = 0;

	for (int64_t s = 0; s < problem->count; s++)
		for (int64_t i = 0; i < problem->lens[s]; i++)
			for (int64_t j = 0; j < problem->lens[s]; j++)
				pairs += problem->window == NO_WINDOW ||
					 llabs(i - j) <= problem->window;
	return pairs;
}

static void pairs_match_a_count(void **state)
{
	struct rng rng = {5};
	struct err err;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct lens lens = {0};
		struct problem problem;
		/* -1 is no window; many reach past the longest sequence. */
		int64_t window = rng_between(&rng, NO_WINDOW, 50);

		for (int64_t i = rng_between(&rng, 1, 6); i > 0; i--)
			assert_int_equal(lens_add(&lens, 1, rng_between(&rng, 0, 40), &err), 0);
		assert_int_equal(problem_init(&problem, &lens, 1, window, DTYPE_F32, &err), 0);
		if (problem_pairs(&problem) != count_pairs(&problem))
			fail_msg("window %lld: %lld pairs, counted %lld", (long long)window,
				(long long)problem_pairs(&problem),
				(long long)count_pairs(&problem));
		problem_release(&problem);
		lens_release(&lens);
	}
}

static void pairs_stick_at_the_top(void **state)
{
	struct problem problem;
	struct err err;

	(void)state;
	assert_int_equal(make(&problem, "1x1073741824", 1, NO_WINDOW, DTYPE_F32, &err), 0);
	assert_true(problem_pairs(&problem) == INT64_C(1) << 60);
	problem_release(&problem);
	assert_int_equal(make(&problem, "8x1073741824", 1, NO_WINDOW, DTYPE_F32, &err), 0);
	assert_true(problem_pairs(&problem) == INT64_MAX);
	problem_release(&problem);
	assert_int_equal(make(&problem, "8x1073741824", 1, 0, DTYPE_F32, &err), 0);
	assert_true(problem_pairs(&problem) == INT64_C(1) << 33);
	problem_release(&problem);
}

static void work_counts_heads_and_passes(void **state)
{
	struct problem problem;
	struct err err;

	(void)state;
	assert_int_equal(make(&problem, "3,5", 2, 1, DTYPE_BF16, &err), 0);
	/* 3 tokens see 2 + 3 + 2 keys, 5 see 2 + 3 + 3 + 3 + 2. */
	assert_int_equal(problem_pairs(&problem), 20);
	assert_true(problem_flops(&problem, PASS_FORWARD) == 4.0 * 64 * 2 * 20);
	assert_true(problem_flops(&problem, PASS_BACKWARD) == 10.0 * 64 * 2 * 20);
	/* T H D = 1024: qkv and out of 2 bytes; lse 16 and tables 2 x 160 of 4. */
	assert_int_equal(problem_bytes(&problem, PASS_FORWARD), 4 * 1024 * 2 + (16 + 320) * 4);
	assert_int_equal(problem_bytes(&problem, PASS_BACKWARD), 8 * 1024 * 2 + (16 + 320) * 4);
	problem_release(&problem);
}

static void sizes_pass_31_bits(void **state)
{
	struct problem problem;
	struct err err;

	(void)state;
	assert_int_equal(make(&problem, "1024x1024", 12, NO_WINDOW, DTYPE_F32, &err), 0);
	assert_true(problem_qkv_count(&problem) == INT64_C(2415919104));
	assert_true(problem_memory(&problem, PASS_FORWARD, 1) > INT64_C(4) * 2415919104);
	problem_release(&problem);
}

static void sizes_past_63_bits_are_refused(void **state)
{
	static const struct {
		const char *spec;
		int64_t heads;
		bool good;
	} rows[] = {
		/* T heads 3 64 8 bytes: 1536 = 3 * 2^9, so 2^52 tokens of one head are the most. */
		{"1048576x1048576", 1 << 12, true},
		{"1048576x1048576", 1 << 13, false},
		{"16777216x1073741824", 1, false},
		{"1x1", INT64_MAX, false},
		{"1x1", INT64_MAX / 1536, true},
		{"1x1", INT64_MAX / 1536 + 1, false},
		{"3x0", INT64_MAX, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct problem problem;
		struct err err = {0};
		bool good = !make(&problem, rows[i].spec, rows[i].heads, 8, DTYPE_BF16, &err);

		if (good != rows[i].good)
			fail_msg("row %zu: %s", i, err.text);
		if (good)
			assert_true(problem_qkv_count(&problem) > 0);
		else
			assert_int_equal(err.kind, ERR_USAGE);
		problem_release(&problem);
	}
}

static void senseless_problems_are_refused(void **state)
{
	static const struct {
		int64_t heads, window;
		const char *fragment;
	} rows[] = {
		{0, NO_WINDOW, "0 heads"},
		{-5, NO_WINDOW, "-5 heads"},
		{1, -2, "window of -2"},
		{1, LENS_MAX_LEN + 1, "window of 1073741825"},
		{1, INT64_MAX, "window"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct problem problem;
		struct err err = {0};

		assert_int_equal(
			make(&problem, "5", rows[i].heads, rows[i].window, DTYPE_F32, &err), -1);
		assert_int_equal(err.kind, ERR_USAGE);
		assert_non_null(strstr(err.text, rows[i].fragment));
		problem_release(&problem);
	}
}

static void memory_is_estimated_and_checked(void **state)
{
	struct problem problem;
	struct err err = {0};
	int64_t small;

	(void)state;
	assert_int_equal(make(&problem, "test", 2, NO_WINDOW, DTYPE_F32, &err), 0);
	small = problem_memory(&problem, PASS_FORWARD, 1);
	/* Two copies of what a pass reads and writes, and results in f64. */
	assert_true(small >
		    2 * problem_bytes(&problem, PASS_FORWARD) + 8 * problem_out_count(&problem));
	assert_true(problem_memory(&problem, PASS_BACKWARD, 1) > small);
	assert_true(problem_memory(&problem, PASS_FORWARD, 4) > small);
	assert_int_equal(problem_fits(&problem, PASS_BACKWARD, 2, &err), 0);
	problem_release(&problem);

	assert_int_equal(make(&problem, "4x1073741824", 1024, 64, DTYPE_BF16, &err), 0);
	assert_int_equal(problem_fits(&problem, PASS_FORWARD, 1, &err), -1);
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	assert_non_null(strstr(err.text, "needs 7.1 PiB of memory and "));
	assert_non_null(strstr(err.text, "are free; use fewer"));
	problem_release(&problem);

	assert_int_equal(make(&problem, "1x1", INT64_MAX / 1536, 64, DTYPE_F32, &err), 0);
	assert_true(problem_memory(&problem, PASS_BACKWARD, 1) == INT64_MAX);
	assert_int_equal(problem_fits(&problem, PASS_BACKWARD, 1, &err), -1);
	problem_release(&problem);
}

static void windows_have_names(void **state)
{
	static const char *const bad[] = {"", "-1", "-2", "None", "8 ", "1e3", "1073741825"};
	char text[32];
	int64_t window;

	(void)state;
	assert_string_equal(window_name(NO_WINDOW, text), "none");
	assert_string_equal(window_name(0, text), "0");
	assert_true(window_parse("none", &window) && window == NO_WINDOW);
	assert_true(window_parse("0", &window) && window == 0);
	assert_true(window_parse("64", &window) && window == 64);
	assert_true(window_parse("1073741824", &window) && window == LENS_MAX_LEN);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_false(window_parse(bad[i], &window));
	assert_string_equal(pass_name(PASS_FORWARD), "forward");
	assert_string_equal(pass_name(PASS_BACKWARD), "backward");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_bench_workload_has_the_references_sizes),
		cmocka_unit_test(empty_sequences_are_legal),
		cmocka_unit_test(pairs_match_a_count),
		cmocka_unit_test(pairs_stick_at_the_top),
		cmocka_unit_test(work_counts_heads_and_passes),
		cmocka_unit_test(sizes_pass_31_bits),
		cmocka_unit_test(sizes_past_63_bits_are_refused),
		cmocka_unit_test(senseless_problems_are_refused),
		cmocka_unit_test(memory_is_estimated_and_checked),
		cmocka_unit_test(windows_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
