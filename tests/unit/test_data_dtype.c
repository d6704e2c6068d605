/* Element types: rounding against arithmetic in f64, and every bit pattern of the narrow ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "data/dtype.h"

struct narrow {
	enum dtype dtype;
	uint16_t (*from)(float value);
	float (*to)(uint16_t bits);
	int fraction; /* bits */
	int least;    /* exponent of the smallest normal */
	double top;   /* the largest finite value */
};

static const struct narrow narrows[] = {
	{DTYPE_BF16, bf16_from_f32, bf16_to_f32, 7, -126, 0x1.fep127},
	{DTYPE_F16, f16_from_f32, f16_to_f32, 10, -14, 0x1.ffcp15},
};
#define NARROWS ((int)(sizeof narrows / sizeof *narrows))

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

/* A finite value's nearest, ties to even, by the rounding mode of f64. */
static double nearest(const struct narrow *narrow, double value)
{
	int exponent = value == 0.0 ? narrow->least : ilogb(value);
	double unit = ldexp(
		1.0, (exponent < narrow->least ? narrow->least : exponent) - narrow->fraction);
	double rounded = nearbyint(value / unit) * unit;

	return fabs(rounded) > narrow->top ? copysign(INFINITY, value) : rounded;
}

/* The value of a bit pattern, by the definition of the format. */
static double value_of(const struct narrow *narrow, uint16_t bits)
{
	int fraction = bits & ((1 << narrow->fraction) - 1);
	int exponent = (bits & 0x7fff) >> narrow->fraction;
	double sign = bits & 0x8000 ? -1.0 : 1.0;

	if (exponent == 0x7fff >> narrow->fraction)
		return fraction ? NAN : sign * INFINITY;
	if (!exponent)
		return sign * ldexp(fraction, narrow->least - narrow->fraction);
	return sign * ldexp(fraction + (1 << narrow->fraction),
			      narrow->least + exponent - 1 - narrow->fraction);
}

static void expect_nearest(const struct narrow *narrow, float value)
{
	double want = nearest(narrow, value);
	double got = narrow->to(narrow->from(value));

	if (!(got == want) || !signbit(got) != !signbit(value))
		fail_msg("%s of %a: got %a, want %a", dtype_name(narrow->dtype), value, got, want);
}

static void every_pattern_widens_and_returns(void **state)
{
	(void)state;
	for (const struct narrow *narrow = narrows; narrow < narrows + NARROWS; narrow++)
		for (int bits = 0; bits <= 0xffff; bits++) {
			double want = value_of(narrow, (uint16_t)bits);
			float got = narrow->to((uint16_t)bits);
			uint16_t back = narrow->from(got);

			if (isnan(want)) {
				/* Quiet, of the same sign and payload. */
				int quiet = bits | 1 << (narrow->fraction - 1);

				if (!isnan(got) || back != quiet)
					fail_msg("NaN %04x comes back as %04x", bits, back);
			} else if (!(got == want) || back != bits) {
				fail_msg("%04x is %a, comes back as %04x", bits, got, back);
			}
		}
}

static void midpoints_go_to_even(void **state)
{
	(void)state;
	for (const struct narrow *narrow = narrows; narrow < narrows + NARROWS; narrow++)
		for (uint16_t bits = 0; value_of(narrow, bits) < INFINITY; bits++) {
			uint16_t next = bits + 1;
			double above = value_of(narrow, next);
			float middle;

			/* Past the largest, infinity stands where the next would be. */
			if (isinf(above))
				above = narrow->top +
					ldexp(1.0, ilogb(narrow->top) - narrow->fraction);
			middle = (float)((value_of(narrow, bits) + above) / 2);
			assert_int_equal(narrow->from(middle), bits & 1 ? next : bits);
			assert_int_equal(narrow->from(nextafterf(middle, 0.0f)), bits);
			assert_int_equal(narrow->from(nextafterf(middle, INFINITY)), next);
			assert_int_equal(narrow->from(-middle), 0x8000 | (bits & 1 ? next : bits));
		}
}

static void random_values_round_to_nearest(void **state)
{
	struct rng rng = {1};

	(void)state;
	for (int i = 0; i < 500000; i++) {
		uint64_t draw = rng_next(&rng);
		float any = float_of((uint32_t)draw);
		/* Within the exponents of f16 and a little beyond. */
		float near = float_of(
			(uint32_t)(100 + (draw >> 32) % 50) << 23 | ((uint32_t)draw & 0x807fffff));

		for (const struct narrow *narrow = narrows; narrow < narrows + NARROWS; narrow++) {
			if (isfinite(any))
				expect_nearest(narrow, any);
			expect_nearest(narrow, near);
		}
	}
}

static void special_values_stay(void **state)
{
	(void)state;
	for (const struct narrow *narrow = narrows; narrow < narrows + NARROWS; narrow++) {
		assert_int_equal(narrow->from(0.0f), 0);
		assert_int_equal(narrow->from(-0.0f), 0x8000);
		assert_true(narrow->to(narrow->from(INFINITY)) == INFINITY);
		assert_true(narrow->to(narrow->from(-INFINITY)) == -INFINITY);
		assert_true(narrow->to(narrow->from(3.4028235e38f)) == INFINITY);
		/* Payloads in the low bits only, signalling and quiet. */
		assert_true(isnan(narrow->to(narrow->from(float_of(0x7f800001)))));
		assert_true(isnan(narrow->to(narrow->from(float_of(0xffc00001)))));
		assert_true(narrow->from(float_of(0xffc00001)) & 0x8000);
	}
	assert_true(f16_to_f32(f16_from_f32(65519.0f)) == 65504.0f);
	assert_true(f16_to_f32(f16_from_f32(65520.0f)) == INFINITY);
	assert_int_equal(f16_from_f32(0x1p-24f), 1);
	assert_int_equal(f16_from_f32(0x1p-25f), 0);
	assert_int_equal(f16_from_f32(0x1.000002p-25f), 1);
}

#ifdef __FLT16_MANT_DIG__
static void the_compiler_agrees(void **state)
{
	(void)state;
	/* A stride through all of f32, coprime to the spacing of f16. */
	for (uint64_t bits = 0; bits <= UINT32_MAX; bits += 4099) {
		float value = float_of((uint32_t)bits);
		_Float16 half = (_Float16)value;
		uint16_t want;

		memcpy(&want, &half, sizeof want);
		if (!isnan(value) && f16_from_f32(value) != want)
			fail_msg("%a: got %04x, want %04x", value, f16_from_f32(value), want);
	}
}
#endif

static void elements_load_and_store(void **state)
{
	static const int sizes[DTYPE_COUNT] = {4, 2, 2};
	static const char *const names[DTYPE_COUNT] = {"f32", "bf16", "f16"};
	enum dtype found;
	uint32_t tensor[4];

	(void)state;
	for (int i = 0; i < DTYPE_COUNT; i++) {
		enum dtype dtype = (enum dtype)i;

		assert_int_equal(dtype_size(dtype), sizes[i]);
		assert_string_equal(dtype_name(dtype), names[i]);
		assert_true(dtype_find(names[i], &found) && found == dtype);
		memset(tensor, 0, sizeof tensor);
		dtype_store(dtype, tensor, 1, -1.5f);
		dtype_store(dtype, tensor, 2, 0.25f);
		assert_true(dtype_load(dtype, tensor, 0) == 0.0f);
		assert_true(dtype_load(dtype, tensor, 1) == -1.5f);
		assert_true(dtype_load(dtype, tensor, 2) == 0.25f);
		assert_true(dtype_load(dtype, tensor, 3) == 0.0f);
	}
	assert_false(dtype_find("f64", &found));
	assert_false(dtype_find("", &found));
	assert_false(dtype_find("F32", &found));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_pattern_widens_and_returns),
		cmocka_unit_test(midpoints_go_to_even),
		cmocka_unit_test(random_values_round_to_nearest),
		cmocka_unit_test(special_values_stay),
#ifdef __FLT16_MANT_DIG__
		cmocka_unit_test(the_compiler_agrees),
#endif
		cmocka_unit_test(elements_load_and_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
