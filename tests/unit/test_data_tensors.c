/* Seeded inputs, pinned to values computed elsewhere. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "data/tensors.h"

/* From NumPy's f32 arithmetic on Python's integers. */
static const struct {
	uint64_t seed;
	float first[6];
	float thousandth;
	uint16_t half[6];
} pinned[] = {
	{7,
		{-0x1.6f006p-5f, -0x1.82824p-1f, 0x1.91688p-6f, -0x1.8bac7p-1f, -0x1.f33334p-2f,
			0x1.c39580p-2f},
		0x1.ea3058p-2f, {0xa9bc, 0xba0a, 0x2646, 0xba2f, 0xb7cd, 0x370e}},
	{9,
		{-0x1.d460aap-1f, -0x1.028f5cp-2f, 0x1.bf3b64p-1f, 0x1.f7b4a0p-2f, 0x1.e4f780p-5f,
			0x1.1d7dc0p-3f},
		0x1.96bb98p-2f, {0xbb52, 0xb40a, 0x3afd, 0x37df, 0x2b94, 0x3076}},
};
#define PINNED (sizeof pinned / sizeof *pinned)

static void the_generator_is_the_references(void **state)
{
	float values[1000];
	uint16_t halves[6];

	(void)state;
	for (size_t i = 0; i < PINNED; i++) {
		tensors_fill(values, 1000, DTYPE_F32, pinned[i].seed);
		assert_memory_equal(values, pinned[i].first, sizeof pinned[i].first);
		assert_true(values[999] == pinned[i].thousandth);
		tensors_fill(halves, 6, DTYPE_F16, pinned[i].seed);
		assert_memory_equal(halves, pinned[i].half, sizeof halves);
	}
}

static void rotary_tables_are_the_references(void **state)
{
	/* From Python's f64 arithmetic, rounded to f32. */
	static const struct {
		int position, pair;
		float cos, sin;
	} rows[] = {
		{0, 0, 1.0f, 0.0f},
		{0, 31, 1.0f, 0.0f},
		{1, 0, 0x1.14a280p-1f, 0x1.aed548p-1f},
		{1, 1, 0x1.76a960p-1f, 0x1.5cf59cp-1f},
		{100, 5, 0x1.35ad8cp-3f, -0x1.fa1ce4p-1f},
		{8191, 0, -0x1.4af3b2p-1f, -0x1.86a8d4p-1f},
		{8191, 31, 0x1.d781ccp-2f, 0x1.c67e52p-1f},
	};
	static float cosines[8192 * HALF_DIM], sines[8192 * HALF_DIM];

	(void)state;
	tensors_rotary(cosines, sines, 8192);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int at = rows[i].position * HALF_DIM + rows[i].pair;

		if (cosines[at] != rows[i].cos || sines[at] != rows[i].sin)
			fail_msg("position %d pair %d: %a %a", rows[i].position, rows[i].pair,
				cosines[at], sines[at]);
	}
}

static void a_problem_gets_its_inputs(void **state)
{
	(void)state;
	for (int i = 0; i < DTYPE_COUNT; i++) {
		enum dtype dtype = (enum dtype)i;
		struct lens lens = {0};
		struct problem problem;
		struct tensors tensors;
		struct err err;

		assert_int_equal(lens_parse(&lens, "3,0,5", 1, &err), 0);
		assert_int_equal(problem_init(&problem, &lens, 2, NO_WINDOW, dtype, &err), 0);
		assert_int_equal(tensors_init(&tensors, &problem, TENSORS_SEED, &err), 0);
		for (int64_t j = 0; j < 6; j++) {
			uint32_t want = 0;

			dtype_store(dtype, &want, 0, pinned[0].first[j]);
			assert_true(
				dtype_load(dtype, tensors.qkv, j) == dtype_load(dtype, &want, 0));
			dtype_store(dtype, &want, 0, pinned[1].first[j]);
			assert_true(
				dtype_load(dtype, tensors.dout, j) == dtype_load(dtype, &want, 0));
		}
		/* The last elements are made too, and hardly ever zero. */
		assert_true(
			dtype_load(dtype, tensors.qkv, problem_qkv_count(&problem) - 1) != 0.0f);
		assert_true(
			dtype_load(dtype, tensors.dout, problem_out_count(&problem) - 1) != 0.0f);
		assert_true(
			tensors.cos[4 * HALF_DIM + 31] == (float)cos(4 / pow(10000.0, 62.0 / 64)));
		assert_true(
			tensors.sin[4 * HALF_DIM + 31] == (float)sin(4 / pow(10000.0, 62.0 / 64)));
		tensors_release(&tensors);
		assert_null(tensors.qkv);
		problem_release(&problem);
		lens_release(&lens);
	}
}

static void constant_inputs_are_refused(void **state)
{
	struct lens lens = {0};
	struct problem problem;
	struct tensors tensors;
	struct err err = {0};

	(void)state;
	assert_int_equal(lens_add(&lens, 1, 4, &err), 0);
	assert_int_equal(problem_init(&problem, &lens, 1, 0, DTYPE_F32, &err), 0);
	assert_int_equal(tensors_init(&tensors, &problem, 0, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(tensors_init(&tensors, &problem, UINT64_MAX - 1, &err), -1);
	tensors_release(&tensors);
	problem_release(&problem);
	lens_release(&lens);
}

static void empty_problems_have_tensors(void **state)
{
	struct lens lens = {0};
	struct problem problem;
	struct tensors tensors;
	struct err err;

	(void)state;
	assert_int_equal(lens_add(&lens, 2, 0, &err), 0);
	assert_int_equal(problem_init(&problem, &lens, 1, 0, DTYPE_F32, &err), 0);
	assert_int_equal(tensors_init(&tensors, &problem, 7, &err), 0);
	assert_non_null(tensors.qkv);
	assert_non_null(tensors.sin);
	tensors_release(&tensors);
	problem_release(&problem);
	lens_release(&lens);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_is_the_references),
		cmocka_unit_test(rotary_tables_are_the_references),
		cmocka_unit_test(a_problem_gets_its_inputs),
		cmocka_unit_test(constant_inputs_are_refused),
		cmocka_unit_test(empty_problems_have_tensors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
