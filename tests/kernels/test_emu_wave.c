/* The emulated machine's AMD matrix units against the tables of AMD's documents, and waves of 64.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/rng.h"
#include "kernels/emu/simt/half.h"
#include "kernels/emu/simt/simt.h"

enum { SIDE = 16 };

static struct {
	int gfx;
	enum simt_elem elem;
	float a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE], d[SIDE][SIDE];
	int spoil; /* the lane whose operand a is another's; -1: none */
} product;

static int run(void (*kernel)(struct args), unsigned lanes, unsigned threads, char error[512])
{
	struct args args = {0};
	struct simt_launch launch = {.kernel = kernel,
		.name = "kernel",
		.args = &args,
		.grid_x = 1,
		.grid_y = 1,
		.threads = threads,
		.warp = lanes};

	error[0] = '\0';
	return simt_run(&launch, error, 512);
}

/* A lane and which of its elements. */
struct home {
	int lane, element;
};

/* Where the matrix calculator says that element k of row (of a) or column (of b) i lies. On gfx11
 * lane i + 16 has it too. */
static struct home home_of_operand(int i, int k)
{
	switch (product.gfx) {
	case 9: return (struct home){i + 16 * (k / 4), k % 4};
	case 11: return (struct home){i, k};
	default: return (struct home){i + 16 * (k / 4 % 2), k % 4 + 4 * (k / 8)};
	}
}

static struct home home_of_sum(int row, int column)
{
	switch (product.gfx) {
	case 9: return (struct home){column + 16 * (row / 4), row % 4};
	case 11: return (struct home){column + 16 * (row % 2), row / 2};
	default: return (struct home){column + 16 * (row / 8), row % 8};
	}
}

static uint32_t element(float value)
{
	return product.elem == SIMT_BF16 ? bf16_bits(value) : f16_bits(value);
}

static void multiply(struct args args)
{
	int lane = (int)simt_place().thread, own = product.gfx == 11 ? lane % SIDE : lane;
	uint32_t a[8] = {0}, b[8] = {0};
	float c[8] = {0};

	(void)args;
	for (int i = 0; i < SIDE; i++)
		for (int k = 0; k < SIDE; k++) {
			struct home operand = home_of_operand(i, k), sum = home_of_sum(i, k);

			if (operand.lane == own) {
				a[operand.element / 2] |= element(product.a[i][k])
							  << 16 * (operand.element % 2);
				b[operand.element / 2] |= element(product.b[k][i])
							  << 16 * (operand.element % 2);
			}
			if (sum.lane == lane)
				c[sum.element] = product.c[i][k];
		}
	if (lane == product.spoil)
		a[0] ^= 1;
	simt_wave_mma(c, a, b, product.gfx, product.elem, "here");
	for (int i = 0; i < SIDE; i++)
		for (int j = 0; j < SIDE; j++)
			if (home_of_sum(i, j).lane == lane)
				product.d[i][j] = c[home_of_sum(i, j).element];
}

/* Small whole numbers are exact in every type, and their sums too. */
static void fill_whole(float (*values)[SIDE], struct rng *rng)
{
	for (int i = 0; i < SIDE * SIDE; i++)
		values[i / SIDE][i % SIDE] = (float)(int)(rng_next(rng) >> 33 & 15) - 8;
}

static void fill_product(int gfx, enum simt_elem elem, struct rng *rng)
{
	product.gfx = gfx;
	product.elem = elem;
	product.spoil = -1;
	fill_whole(product.a, rng);
	fill_whole(product.b, rng);
	fill_whole(product.c, rng);
}

static void check_product(void)
{
	for (int m = 0; m < SIDE; m++)
		for (int n = 0; n < SIDE; n++) {
			float want = product.c[m][n];

			for (int k = 0; k < SIDE; k++)
				want += product.a[m][k] * product.b[k][n];
			assert_true(product.d[m][n] == want);
		}
}

static void test_units_match_amd_tables(void **state)
{
	static const int generations[] = {9, 11, 12};
	struct rng rng = {5};
	char error[512];

	(void)state;
	for (int i = 0; i < 3; i++)
		for (int elem = SIMT_BF16; elem <= SIMT_F16; elem++) {
			unsigned lanes = generations[i] == 9 ? 64 : 32;

			fill_product(generations[i], (enum simt_elem)elem, &rng);
			if (run(multiply, lanes, lanes, error))
				fail_msg("%s", error);
			check_product();
		}
}

/* gfx11 holds operands twice; what a kernel that forgets gets from the hardware is undefined. */
static void test_halves_that_disagree_are_refused(void **state)
{
	struct rng rng = {6};
	char error[512];

	(void)state;
	fill_product(11, SIMT_BF16, &rng);
	product.spoil = 20;
	assert_int_equal(run(multiply, 32, 32, error), -1);
	assert_non_null(strstr(error, "halves of a wave disagree"));
}

static void test_a_wave_of_another_size_is_refused(void **state)
{
	struct rng rng = {7};
	char error[512];

	(void)state;
	fill_product(9, SIMT_BF16, &rng);
	assert_int_equal(run(multiply, 32, 64, error), -1);
	assert_non_null(strstr(error, "a wave of 32 lanes"));
	fill_product(12, SIMT_BF16, &rng);
	assert_int_equal(run(multiply, 64, 64, error), -1);
	assert_non_null(strstr(error, "a wave of 64 lanes"));
	assert_int_equal(run(multiply, 64, 96, error), -1);
	assert_non_null(strstr(error, "whole warps"));
}

static float shuffled[128];

static void shuffle(struct args args)
{
	unsigned thread = simt_place().thread;

	(void)args;
	shuffled[thread] = simt_shuffle_xor((float)thread, 48, "here");
}

static void test_shuffles_span_64_lanes(void **state)
{
	char error[512];

	(void)state;
	assert_int_equal(run(shuffle, 64, 128, error), 0);
	for (int thread = 0; thread < 128; thread++)
		assert_true(shuffled[thread] == (float)(thread ^ 48));
	assert_int_equal(run(shuffle, 32, 64, error), -1);
	assert_non_null(strstr(error, "past the warp"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_units_match_amd_tables),
		cmocka_unit_test(test_halves_that_disagree_are_refused),
		cmocka_unit_test(test_a_wave_of_another_size_is_refused),
		cmocka_unit_test(test_shuffles_span_64_lanes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
