/* Strings, strict numbers, lists. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/str.h"

static void text_grows(void **state)
{
	struct str str = {0};

	(void)state;
	str_add(&str, "");
	assert_string_equal(str.text, "");
	for (int i = 0; i < 1000; i++)
		str_addf(&str, "%d,", i % 10);
	str_add_bytes(&str, "a\0b", 3);
	assert_int_equal(str.length, 2003);
	assert_memory_equal(str.text + 1996, "8,9,a\0b", 8);
	str_release(&str);
	assert_null(str.text);
}

static void a_copy_is_its_own(void **state)
{
	char text[] = "abc", *copy = str_copy(text);

	(void)state;
	text[0] = 'x';
	assert_string_equal(copy, "abc");
	free(copy);
}

static void integers_are_strict(void **state)
{
	static const struct {
		const char *text;
		bool good;
		int64_t value;
	} rows[] = {
		{"0", true, 0},
		{"007", true, 7},
		{"-12", true, -12},
		{"-0", true, 0},
		{"9223372036854775807", true, INT64_MAX},
		{"-9223372036854775808", true, INT64_MIN},
		{"9223372036854775808", false, 0},
		{"-9223372036854775809", false, 0},
		{"", false, 0},
		{"-", false, 0},
		{"--1", false, 0},
		{"+1", false, 0},
		{" 1", false, 0},
		{"- 1", false, 0},
		{"1 ", false, 0},
		{"1a", false, 0},
		{"0x10", false, 0},
		{"1.0", false, 0},
		{"\n1", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		int64_t value = 0;

		if (str_to_int(rows[i].text, &value) != rows[i].good || value != rows[i].value)
			fail_msg("'%s' gives %lld", rows[i].text, (long long)value);
	}
}

static void decimals_are_strict(void **state)
{
	static const struct {
		const char *text;
		bool good;
		double value;
	} rows[] = {
		{"0", true, 0.0},
		{"1.5", true, 1.5},
		{".5", true, 0.5},
		{"-.5", true, -0.5},
		{"2.", true, 2.0},
		{"1e-3", true, 1e-3},
		{"1E+3", true, 1e3},
		{"", false, 0},
		{".", false, 0},
		{"-", false, 0},
		{"+1", false, 0},
		{" 1", false, 0},
		{"1 ", false, 0},
		{"1e", false, 0},
		{"1e999", false, 0},
		{"nan", false, 0},
		{"inf", false, 0},
		{"-inf", false, 0},
		{"0x1p3", false, 0},
		{"1,5", false, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		double value = 0.0;

		if (str_to_double(rows[i].text, &value) != rows[i].good || value != rows[i].value)
			fail_msg("'%s' gives %g", rows[i].text, value);
	}
}

static void patterns_match_whole_text(void **state)
{
	(void)state;
	assert_true(str_matches("r*_c32", "r16_c32"));
	assert_true(str_matches("[rm]64_c6?", "m64_c64"));
	assert_true(str_matches("*", ""));
	assert_false(str_matches("r16", "r16_c32"));
}

static int collect(void *context, const char *piece)
{
	str_addf(context, "<%s>", piece);
	return !strcmp(piece, "stop") ? 9 : 0;
}

static void lists_keep_empty_pieces(void **state)
{
	static const struct {
		const char *list, *pieces;
		int result;
	} rows[] = {
		{"a,b", "<a><b>", 0},
		{"", "<>", 0},
		{",a,,", "<><a><><>", 0},
		{"a,stop,b", "<a><stop>", 9},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct str pieces = {0};

		assert_int_equal(str_each(rows[i].list, collect, &pieces), rows[i].result);
		assert_string_equal(pieces.text, rows[i].pieces);
		str_release(&pieces);
	}
}

static void bytes_read_well(void **state)
{
	static const struct {
		int64_t bytes;
		const char *text;
	} rows[] = {
		{0, "0 B"},
		{1023, "1023 B"},
		{1024, "1.0 KiB"},
		{1536, "1.5 KiB"},
		{(1 << 20) - 1, "1.0 MiB"},
		{INT64_C(3) << 29, "1.5 GiB"},
		{INT64_MAX, "8.0 EiB"},
	};
	char text[32];

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		assert_string_equal(str_bytes(rows[i].bytes, text), rows[i].text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_grows),
		cmocka_unit_test(a_copy_is_its_own),
		cmocka_unit_test(integers_are_strict),
		cmocka_unit_test(decimals_are_strict),
		cmocka_unit_test(patterns_match_whole_text),
		cmocka_unit_test(lists_keep_empty_pieces),
		cmocka_unit_test(bytes_read_well),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
