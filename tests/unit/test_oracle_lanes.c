/* The oracle's arithmetic: right, and the same bits on every rung of the ladder. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "oracle/lanes.h"

/* Uniform in [low, high]. */
static double draw(struct rng *rng, double low, double high)
{
	return low + (high - low) * (double)(rng_next(rng) >> 11) * 0x1p-53;
}

/* Runs `check` with every rung this processor has. */
static void each_rung(void (*check)(const struct lanes *lanes))
{
	assert_true(lanes_ladder[0].usable());
	for (int i = 0; i < lanes_rungs; i++)
		if (lanes_ladder[i].usable())
			check(&lanes_ladder[i]);
}

#define WIDEST 4096

static double ulps(double got, double want)
{
	return fabs(got - want) / (nextafter(fabs(want), INFINITY) - fabs(want));
}

static void check_exp(const struct lanes *lanes)
{
	static double x[WIDEST], got[WIDEST], narrowest[WIDEST];
	struct rng rng = {1};

	for (int range = 0; range < 40; range++) {
		double low = range < 20 ? -20 : -708;
		double high = range < 20 ? 1 : 709;

		for (int i = 0; i < WIDEST; i++)
			got[i] = narrowest[i] = x[i] = draw(&rng, low, high);
		lanes->exp_each(got, WIDEST);
		lanes_ladder[0].exp_each(narrowest, WIDEST);
		assert_memory_equal(got, narrowest, sizeof got);
		for (int i = 0; i < WIDEST; i++)
			assert_true(ulps(got[i], exp(x[i])) <= 1.5);
	}
}

static void exp_is_near_the_librarys(void **state)
{
	(void)state;
	each_rung(check_exp);
}

static void check_exp_edges(const struct lanes *lanes)
{
	double x[] = {0, -0.0, -INFINITY, INFINITY, NAN, -1e300, 1e300, -745, -710, 750, 0x1p-60,
		-0x1p-1074, 1, -1, -708, 709};
	double want[] = {1, 1, 0, INFINITY, NAN, 0, INFINITY, 0, 0, INFINITY, 1, 1, exp(1), exp(-1),
		exp(-708), exp(709)};
	enum { COUNT = sizeof x / sizeof *x };

	lanes->exp_each(x, COUNT);
	for (int i = 0; i < COUNT; i++)
		if (isnan(want[i]))
			assert_true(isnan(x[i]));
		else
			assert_true(x[i] == want[i] || ulps(x[i], want[i]) <= 1);
}

static void exp_has_the_right_edges(void **state)
{
	(void)state;
	each_rung(check_exp_edges);
}

static void check_count(const struct lanes *lanes)
{
	double x[3 * LANES_COLUMNS] = {0}, top[3 * LANES_COLUMNS] = {0};

	for (int i = 0; i < 3 * LANES_COLUMNS; i++)
		x[i] = i % 3;
	lanes->max_each(top, x, 2 * LANES_COLUMNS);
	lanes->exp_each(x, 2 * LANES_COLUMNS);
	for (int i = 0; i < 3 * LANES_COLUMNS; i++) {
		bool within = i < 2 * LANES_COLUMNS;

		assert_true(top[i] == (within ? i % 3 : 0));
		assert_true(within ? fabs(x[i] - exp(i % 3)) < 1e-14 : x[i] == i % 3);
	}
}

static void no_more_than_the_count_is_touched(void **state)
{
	(void)state;
	each_rung(check_count);
}

static void check_max(const struct lanes *lanes)
{
	double top[] = {-INFINITY, 1, 2, NAN, 3, -INFINITY, 0, -1};
	const double x[] = {-INFINITY, 2, 1, 3, NAN, 5, INFINITY, -2};
	const double want[] = {-INFINITY, 2, 2, NAN, 3, 5, INFINITY, -1};

	lanes->max_each(top, x, 8);
	for (int i = 0; i < 8; i++)
		assert_true(isnan(want[i]) ? isnan(top[i]) : top[i] == want[i]);
}

static void max_passes_over_what_is_not_a_number(void **state)
{
	(void)state;
	each_rung(check_max);
}

static void log_is_near_the_librarys(void **state)
{
	struct rng rng = {2};

	(void)state;
	for (int i = 0; i < 200000; i++) {
		double x = i % 2 ? 1 + draw(&rng, 0, 4) : exp(draw(&rng, -700, 700));

		assert_true(ulps(lanes_log(x), log(x)) <= 3);
	}
	assert_true(lanes_log(1) == 0);
	assert_true(lanes_log(2) == log(2));
	assert_true(isnan(lanes_log(NAN)));
}

/* C, A and B with room for the padding, which holds what must not spread. */
#define LARGEST 40
#define PITCH   (LARGEST + LANES_COLUMNS)

struct factors {
	double a[PITCH][PITCH], b[PITCH][PITCH], c[PITCH][PITCH];
};

static void factors_draw(struct factors *factors, struct rng *rng, int rows, int columns, int inner)
{
	for (int i = 0; i < PITCH; i++)
		for (int j = 0; j < PITCH; j++) {
			factors->a[i][j] = i < rows && j < inner ? draw(rng, -1, 1) : NAN;
			factors->b[i][j] = i < inner && j < columns ? draw(rng, -1, 1) : NAN;
			factors->c[i][j] = i < rows && j < columns ? draw(rng, -1, 1) : NAN;
		}
}

static void transpose(double (*m)[PITCH])
{
	for (int i = 0; i < PITCH; i++)
		for (int j = 0; j < i; j++) {
			double kept = m[i][j];

			m[i][j] = m[j][i];
			m[j][i] = kept;
		}
}

static void check_product(const struct lanes *lanes)
{
	static struct factors factors;
	static double want[PITCH][PITCH];
	struct rng rng = {3};

	for (int trial = 0; trial < 200; trial++) {
		int rows = (int)rng_between(&rng, 1, LARGEST);
		int columns = (int)rng_between(&rng, 1, LARGEST);
		int inner = (int)rng_between(&rng, 0, LARGEST);
		bool across = trial % 2;
		struct matrix c = {factors.c[0], PITCH, 1}, b = {factors.b[0], PITCH, 1};
		struct matrix a = {factors.a[0], across ? 1 : PITCH, across ? PITCH : 1};

		factors_draw(&factors, &rng, rows, columns, inner);
		memcpy(want, factors.c, sizeof want);
		for (int i = 0; i < rows; i++)
			for (int j = 0; j < columns; j++)
				for (int k = 0; k < inner; k++)
					want[i][j] += factors.a[i][k] * factors.b[k][j];
		if (across)
			transpose(factors.a);
		lanes->product_add(c, a, b, rows, columns, inner);
		for (int i = 0; i < rows; i++)
			assert_memory_equal(factors.c[i], want[i], (size_t)columns * sizeof **want);
	}
}

static void products_add_in_order_and_keep_padding_apart(void **state)
{
	(void)state;
	each_rung(check_product);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(exp_is_near_the_librarys),
		cmocka_unit_test(exp_has_the_right_edges),
		cmocka_unit_test(no_more_than_the_count_is_touched),
		cmocka_unit_test(max_passes_over_what_is_not_a_number),
		cmocka_unit_test(log_is_near_the_librarys),
		cmocka_unit_test(products_add_in_order_and_keep_padding_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
