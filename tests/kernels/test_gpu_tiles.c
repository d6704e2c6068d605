/* Launch geometry: every row once, the most work first. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kernels/gpu/tiles.h"

static void make(struct problem *problem, const char *spec, int64_t window)
{
	struct lens lens = {0};
	struct err err;

	assert_int_equal(lens_parse(&lens, spec, 1, &err), 0);
	assert_int_equal(problem_init(problem, &lens, 2, window, DTYPE_BF16, &err), 0);
	lens_release(&lens);
}

static struct tile *tiles_of(const struct problem *problem, int rows)
{
	struct err err;
	struct tile *tiles = tiles_new(problem, rows, &err);

	assert_non_null(tiles);
	return tiles;
}

static void test_every_row_is_in_one_tile(void **state)
{
	static const int rows[] = {16, 32, 64, 128};
	struct problem problem;

	(void)state;
	make(&problem, "5,40,0,1,33,70,64,200", 8);
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct tile *tiles = tiles_of(&problem, rows[r]);
		int64_t count = tiles_count(&problem, rows[r]);
		char *seen = calloc((size_t)problem.tokens, 1);

		for (int64_t t = 0; t < count; t++) {
			assert_in_range(tiles[t].first, 0, tiles[t].length - 1);
			for (int i = tiles[t].first;
				i < tiles[t].first + rows[r] && i < tiles[t].length; i++)
				assert_int_equal(seen[tiles[t].start + i]++, 0);
		}
		for (int64_t i = 0; i < problem.tokens; i++)
			assert_int_equal(seen[i], 1);
		free(seen);
		mem_free(tiles);
	}
	problem_release(&problem);
}

static void test_longest_sequences_come_first(void **state)
{
	struct problem problem;
	struct tile *tiles;

	(void)state;
	make(&problem, "5,300,40,300", NO_WINDOW);
	tiles = tiles_of(&problem, 64);
	assert_int_equal(tiles_count(&problem, 64), 1 + 5 + 1 + 5);
	for (int64_t t = 0; t < 5; t++) {
		assert_int_equal(tiles[t].start, 5);
		assert_int_equal(tiles[t].first, 64 * t);
		assert_int_equal(tiles[5 + t].start, 345);
	}
	assert_int_equal(tiles[10].length, 40);
	assert_int_equal(tiles[11].length, 5);
	mem_free(tiles);
	problem_release(&problem);
}

/* In a window the ends of a sequence reach less than its middle. */
static void test_window_ranks_the_middle_first(void **state)
{
	struct problem problem;
	struct tile *tiles;

	(void)state;
	make(&problem, "200,100", 8);
	tiles = tiles_of(&problem, 32);
	assert_int_equal(tiles[0].length, 200);
	assert_int_equal(tiles[0].first, 32);
	assert_int_equal(tiles[tiles_count(&problem, 32) - 1].first, 96);
	mem_free(tiles);
	problem_release(&problem);
}

static void test_more_tiles_than_a_grid_is_high(void **state)
{
	struct problem problem;
	struct tile *tiles;
	int64_t count;

	(void)state;
	make(&problem, "70000x1,3x40", NO_WINDOW);
	tiles = tiles_of(&problem, 16);
	count = tiles_count(&problem, 16);
	assert_int_equal(count, 70009);
	assert_int_equal(tiles[0].length, 40);
	assert_int_equal(tiles[count - 1].start, 69999);
	mem_free(tiles);
	problem_release(&problem);
}

static void test_nothing_makes_no_tile(void **state)
{
	struct problem problem;
	struct tile *tiles;

	(void)state;
	make(&problem, "0,0", 64);
	tiles = tiles_of(&problem, 64);
	assert_int_equal(tiles_count(&problem, 64), 0);
	mem_free(tiles);
	problem_release(&problem);
}

static void test_a_window_over_everything_is_none(void **state)
{
	static const struct {
		int64_t window;
		int want;
	} cases[] = {{NO_WINDOW, -1}, {0, 0}, {38, 38}, {39, -1}, {INT64_C(1) << 30, -1}};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct problem problem;

		make(&problem, "40,7", cases[i].window);
		assert_int_equal(tiles_window(&problem), cases[i].want);
		problem_release(&problem);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_is_in_one_tile),
		cmocka_unit_test(test_longest_sequences_come_first),
		cmocka_unit_test(test_window_ranks_the_middle_first),
		cmocka_unit_test(test_more_tiles_than_a_grid_is_high),
		cmocka_unit_test(test_nothing_makes_no_tile),
		cmocka_unit_test(test_a_window_over_everything_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
