/* The random problems of `pattn verify --fuzz`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "cmd/fuzz.h"

static const enum dtype all[] = {DTYPE_F32, DTYPE_BF16, DTYPE_F16};

static void draw(struct draw *drawn, int64_t seed, int64_t number)
{
	struct err err;

	if (draw_problem(drawn, seed, number, all, DTYPE_COUNT, &err))
		fail_msg("%s", err.text);
}

static bool same(const struct draw *a, const struct draw *b)
{
	return a->heads == b->heads && a->window == b->window && a->dtype == b->dtype &&
	       a->seed == b->seed && a->lens.count == b->lens.count &&
	       !memcmp(a->lens.len, b->lens.len, (size_t)a->lens.count * sizeof *a->lens.len);
}

static void test_depends_on_seed_and_number(void **state)
{
	struct draw drawn, again, other, next;

	(void)state;
	draw(&drawn, 1, 17);
	draw(&next, 1, 18);
	draw(&again, 1, 17);
	draw(&other, 2, 17);
	assert_true(same(&drawn, &again));
	assert_false(same(&drawn, &next));
	assert_false(same(&drawn, &other));
	lens_release(&drawn.lens);
	lens_release(&next.lens);
	lens_release(&again.lens);
	lens_release(&other.lens);
}

/* Two hundred problems reach every kind of length and window, and stay small. */
static void test_reaches_everything(void **state)
{
	bool empty = false, edge = false, large = false, unwindowed = false, alone = false;
	bool beyond = false, dtypes[DTYPE_COUNT] = {false};

	(void)state;
	for (int64_t number = 0; number < 200; number++) {
		struct draw drawn;
		int64_t longest = 0;

		draw(&drawn, 1, number);
		for (int64_t i = 0; i < drawn.lens.count; i++) {
			int64_t len = drawn.lens.len[i];

			assert_in_range(len, 0, 700);
			empty |= len == 0;
			edge |= len == 65;
			large |= len > 200;
			longest = len > longest ? len : longest;
		}
		assert_in_range(drawn.lens.count, 1, 6);
		assert_in_range(drawn.heads, 1, 4);
		assert_true(drawn.seed >= 1);
		unwindowed |= drawn.window == NO_WINDOW;
		alone |= drawn.window == 0;
		beyond |= longest > 0 && drawn.window >= longest;
		dtypes[drawn.dtype] = true;
		lens_release(&drawn.lens);
	}
	assert_true(empty && edge && large && unwindowed && alone && beyond);
	assert_true(dtypes[DTYPE_F32] && dtypes[DTYPE_BF16] && dtypes[DTYPE_F16]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_depends_on_seed_and_number),
		cmocka_unit_test(test_reaches_everything),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
