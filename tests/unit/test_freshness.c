/* What a stored row is worth on the device as it is now, in words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "tune/freshness.h"

static const struct device_info device = {
	.architecture = "sm_90", .code = "c0de", .compiler = "nvrtc 12.4", .driver = "550.54"};

static void test_judgements(void **state)
{
	static const struct {
		struct stored stored;
		enum freshness freshness;
		const char *why;
	} cases[] = {
		{{.architecture = "sm_90",
			 .code = "c0de",
			 .compiler = "nvrtc 12.4",
			 .driver = "550.54"},
			FRESH, ""},
		{{.architecture = "sm_90",
			 .code = "c0de",
			 .compiler = "nvrtc 12.4",
			 .driver = "535.1"},
			DUE, "measured with another driver: 535.1"},
		{{.architecture = "sm_90", .code = "c0de", .compiler = "nvrtc 12.4", .driver = ""},
			DUE, "measured with another driver: none"},
		{{.architecture = "sm_90",
			 .code = "c0de",
			 .compiler = "nvrtc 12.1",
			 .driver = "550.54"},
			STALE, "made by another compiler: nvrtc 12.1"},
		{{.architecture = "sm_90",
			 .code = "C0DE",
			 .compiler = "nvrtc 12.4",
			 .driver = "550.54"},
			STALE, "the kernels changed since"},
		{{.architecture = "sm_80",
			 .code = "c0de",
			 .compiler = "nvrtc 12.4",
			 .driver = "550.54"},
			STALE, "made for another architecture: sm_80"},
		/* The gravest is said. */
		{{.architecture = "sm_90", .code = "old", .compiler = "old", .driver = "old"},
			STALE, "the kernels changed since"},
		{{.architecture = "sm_90", .code = "c0de", .compiler = "old", .driver = "old"},
			STALE, "made by another compiler: old"},
		{{.architecture = "old", .code = "old", .compiler = "old", .driver = "old"}, STALE,
			"made for another architecture: old"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct reason why = {"unset"};

		assert_int_equal(
			freshness_judge(&cases[i].stored, &device, &why), cases[i].freshness);
		assert_string_equal(why.text, cases[i].why);
	}
}

/* A text of a store's may be of any length. */
static void test_long_words_are_cut(void **state)
{
	char compiler[1000];
	struct stored stored = {.architecture = device.architecture,
		.code = device.code,
		.compiler = compiler,
		.driver = device.driver};
	struct reason why;

	(void)state;
	memset(compiler, 'x', sizeof compiler - 1);
	compiler[sizeof compiler - 1] = '\0';
	assert_int_equal(freshness_judge(&stored, &device, &why), STALE);
	assert_int_equal(strlen(why.text), sizeof why.text - 1);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(freshness_name(FRESH), "fresh");
	assert_string_equal(freshness_name(DUE), "due");
	assert_string_equal(freshness_name(STALE), "stale");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_judgements),
		cmocka_unit_test(test_long_words_are_cut),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
