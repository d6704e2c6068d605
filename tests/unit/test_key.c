#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tune/key.h"

static void test_fingerprint(void **state)
{
	struct device_info device = {
		.name = "cpu", .model = "AMD EPYC", .architecture = "avx512", .units = 2};
	char text[320];

	(void)state;
	key_device(text, &device);
	assert_string_equal(text, "cpu | AMD EPYC | avx512 | 2 units");
	strcpy(device.name, "cuda:11");
	key_device(text, &device);
	assert_string_equal(text, "cuda | AMD EPYC | avx512 | 2 units");
}

static void test_longest_fingerprint_fits(void **state)
{
	struct device_info device = {.units = INT32_MIN};
	char text[320];

	(void)state;
	memset(device.name, 'n', sizeof device.name - 1);
	memset(device.model, 'm', sizeof device.model - 1);
	memset(device.architecture, 'a', sizeof device.architecture - 1);
	key_device(text, &device);
	assert_non_null(strstr(text, " | -2147483648 units"));
}

static void test_shape(void **state)
{
	static const struct {
		int64_t value, rounded;
	} cases[] = {
		{0, 0},
		{1, 1},
		{2, 2},
		{3, 4},
		{4, 4},
		{5, 8},
		{4016, 4096},
		{4096, 4096},
		{4097, 8192},
		{(INT64_C(1) << 54) + 1, INT64_C(1) << 55},
	};
	const struct device_info device = {.name = "cpu"};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct problem problem = {.dtype = DTYPE_F16,
			.heads = 12,
			.window = NO_WINDOW,
			.tokens = cases[i].value,
			.longest = cases[i].value};
		struct key key;

		key_make(&key, &device, &problem, PASS_BACKWARD, true);
		assert_int_equal(key.tokens, cases[i].rounded);
		assert_int_equal(key.longest, cases[i].rounded);
		assert_int_equal(key.pass, PASS_BACKWARD);
		assert_int_equal(key.dtype, DTYPE_F16);
		assert_int_equal(key.heads, 12);
		assert_int_equal(key.dim, HEAD_DIM);
		assert_int_equal(key.window, NO_WINDOW);
		assert_true(key.cold);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fingerprint),
		cmocka_unit_test(test_longest_fingerprint_fits),
		cmocka_unit_test(test_shape),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
