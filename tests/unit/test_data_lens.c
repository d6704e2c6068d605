/* The grammar of sequence lengths. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "data/lens.h"
#include "data/lens_json.h"

/* `want` is the folded list of a good input, or a piece of the message of a bad one. */
struct row {
	const char *input;
	bool good;
	const char *want;
};

static void check(const struct row *row, struct lens *lens, int result, const struct err *err)
{
	struct str text = {0};

	str_add(&text, "");
	if (!result)
		lens_format(lens, &text);
	if (!result != row->good)
		fail_msg("'%s': %s", row->input, result ? err->text : text.text);
	if (row->good && strcmp(text.text, row->want))
		fail_msg("'%s' gives %s, not %s", row->input, text.text, row->want);
	if (!row->good && (!strstr(err->text, row->want) || strchr(err->text, '\n')))
		fail_msg("'%s' says: %s", row->input, err->text);
	if (!row->good && err->kind != ERR_USAGE)
		fail_msg("'%s' is of kind %d", row->input, err->kind);
	str_release(&text);
	lens_release(lens);
}

static const struct row specs[] = {
	{"5", true, "5"},
	{"5,40,1,33,70", true, "5,40,1,33,70"},
	{"0", true, "0"},
	{"007", true, "7"},
	{"8x512", true, "8x512"},
	{"3x512,40,512", true, "3x512,40,512"},
	{"2x0,0", true, "3x0"},
	{"7..7x4", true, "4x7"},
	{"16777216x0", true, "16777216x0"},
	{"1073741824", true, "1073741824"},
	{"test", true, "5,40,1,33,70"},
	{"test,1x9", true, "5,40,1,33,70,9"},
	{"modernbert-short", true, "16x512"},
	{"modernbert-long", true, "2x8192"},
	{"", false, "item '' (item 1 of --lens '') is empty"},
	{",", false, "item 1 of"},
	{"5,", false, "item 2 of --lens '5,'"},
	{"5,,12", false, "item '' (item 2 of --lens '5,,12') is empty"},
	{"5,12a", false, "length '12a' (item 2 of --lens '5,12a') is not a whole number"},
	{"banch", false, "or a preset (bench, test, modernbert-short, modernbert-long)"},
	{" 5", false, "length ' 5'"},
	{"5 ", false, "length '5 '"},
	{"-5", false, "length '-5'"},
	{"+5", false, "length '+5'"},
	{"5.5", false, "length '5.5'"},
	{"1e3", false, "length '1e3'"},
	{"5\n", false, "length '5?'"},
	{"1073741825", false, "from 0 to 1073741824"},
	{"99999999999999999999", false, "length '99999999999999999999'"},
	{"0x5", false, "count '0'"},
	{"x5", false, "count ''"},
	{"8x", false, "length ''"},
	{"-1x5", false, "count '-1'"},
	{"8X5", false, "length '8X5'"},
	{"2x3x4", false, "length '3x4'"},
	{"16777217x1", false, "count '16777217'"},
	{"9223372036854775807x1", false, "from 1 to 16777216"},
	{"1x1073741825", false, "length '1073741825'"},
	{"16777216x1,1", false, "item 2 of --lens: more than 16777216 sequences"},
	{"9..3x2", false, "low end '9' (item 1 of --lens '9..3x2') is above the high end"},
	{"..3x2", false, "low end ''"},
	{"3..x2", false, "high end ''"},
	{"3..5", false, "count ''"},
	{"3..5x", false, "count ''"},
	{"3..5x0", false, "count '0'"},
	{"-3..5x1", false, "low end '-3'"},
	{"3..1073741825x1", false, "high end '1073741825'"},
	{"1..2..3x1", false, "high end '2..3'"},
	{"1...3x1", false, "high end '.3'"},
	{"2x1..5", false, "length '1..5'"},
	{"16777216x1,1..2x1", false, "more than"},
	{"@", false, "names no file"},
};

static void specs_are_read_or_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof specs / sizeof *specs; i++) {
		struct lens lens = {0};
		struct err err = {0};
		int result = lens_parse(&lens, specs[i].input, 1, &err);

		check(&specs[i], &lens, result, &err);
	}
}

static void long_specs_keep_the_remedy(void **state)
{
	struct lens lens = {0};
	struct err err = {0};
	char *spec = malloc(100001);

	(void)state;
	assert_non_null(spec);
	memset(spec, 'q', 100000);
	spec[100000] = '\0';
	assert_int_equal(lens_parse(&lens, spec, 1, &err), -1);
	assert_non_null(strstr(err.text, "write for example 5,40,1"));
	assert_non_null(strstr(err.text, "modernbert-long)"));
	free(spec);
	lens_release(&lens);
}

static void the_bench_preset_is_the_formula(void **state)
{
	struct lens lens = {0};
	struct err err;

	(void)state;
	assert_int_equal(lens_parse(&lens, "bench", 1, &err), 0);
	assert_int_equal(lens.count, 32);
	for (int i = 0; i < 32; i++)
		assert_int_equal(lens.len[i], 64 + (37 * i) % 128);
	lens_release(&lens);
}

static void every_preset_is_read(void **state)
{
	(void)state;
	for (int i = 0; i < lens_preset_count; i++) {
		struct lens lens = {0};
		struct err err;

		assert_int_equal(lens_parse(&lens, lens_presets[i].name, 1, &err), 0);
		assert_true(lens.count > 0);
		assert_true(strlen(lens_presets[i].summary) > 0);
		lens_release(&lens);
	}
}

static void ranges_are_drawn_by_seed(void **state)
{
	struct lens a = {0}, b = {0}, c = {0};
	struct err err;
	int low = 0, high = 0;

	(void)state;
	assert_int_equal(lens_parse(&a, "64..67x500,64..67x500", 1, &err), 0);
	assert_int_equal(lens_parse(&b, "64..67x500,64..67x500", 1, &err), 0);
	assert_int_equal(lens_parse(&c, "64..67x500,64..67x500", 2, &err), 0);
	assert_int_equal(a.count, 1000);
	for (int i = 0; i < 1000; i++) {
		assert_in_range(a.len[i], 64, 67);
		low += a.len[i] == 64;
		high += a.len[i] == 67;
	}
	assert_in_range(low, 150, 350);
	assert_in_range(high, 150, 350);
	assert_memory_equal(a.len, b.len, 1000 * sizeof *a.len);
	assert_memory_not_equal(a.len, c.len, 1000 * sizeof *a.len);
	/* The second range goes on where the first stopped. */
	assert_memory_not_equal(a.len, a.len + 500, 500 * sizeof *a.len);
	lens_release(&a);
	lens_release(&b);
	lens_release(&c);
}

static const struct row files[] = {
	{"1 2\t3\r\n4\n", true, "1,2,3,4"},
	{"1,2, 3 ,4,\n", true, "1,2,3,4"},
	{"# head, 9\n5 # five\n6#six\n#end", true, "5,6"},
	{"\n\n 7", true, "7"},
	{"0\n0\n", true, "2x0"},
	{"[1, 2,\n 3]\n", true, "1,2,3"},
	{"\n [5]", true, "5"},
	{"", false, "holds no lengths"},
	{"# nothing\n", false, "holds no lengths"},
	{"[]", false, "holds no lengths"},
	{"1 2\n3 4x\n", false, ", line 2: '4x' is not a whole number"},
	{"1\n\n-2", false, ", line 3: '-2'"},
	{"8x512", false, "'8x512'"},
	{"1.5", false, "'1.5'"},
	{"1073741825", false, "'1073741825'"},
	{"1,,2", false, "line 1: a number is missing before a comma"},
	{"1\n,\n,2", false, "line 3: a number is missing"},
	{",1", false, "a number is missing"},
	{"00000000000000000000000000000000000000000000000000000000000000000000000000001", false,
		"..."},
	{"[1, 2.5]", false, ", element 2: '2.5' is not a whole number"},
	{"[-1]", false, ", element 1: '-1'"},
	{"[1073741825]", false, "element 1"},
	{"[1e400]", false, "element 1"},
	{"[\"5\"]", false, "element 1"},
	{"[[5]]", false, "element 1: '[5]'"},
	{"[true]", false, "element 1: 'true'"},
	{"[1,\n2", false, "malformed JSON"},
	{"[1]\n[2]", false, "line 2: malformed JSON"},
	{"[1,]", false, "malformed JSON"},
	{"[nan]", false, "malformed JSON"},
};

static char path[64];

static int make_path(void **state)
{
	int file;

	(void)state;
	strcpy(path, "/tmp/pattn-lens-XXXXXX");
	file = mkstemp(path);
	return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static int parse_file(struct lens *lens, const char *bytes, size_t count, struct err *err)
{
	struct str spec = {0};
	int result;

	assert_int_equal(file_write(path, bytes, count, err), 0);
	str_addf(&spec, "@%s", path);
	result = lens_parse(lens, spec.text, 1, err);
	str_release(&spec);
	return result;
}

static void files_are_read_or_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		struct lens lens = {0};
		struct err err = {0};
		int result = parse_file(&lens, files[i].input, strlen(files[i].input), &err);

		if (result && !strstr(err.text, path))
			fail_msg("'%s' does not name the file: %s", files[i].input, err.text);
		check(&files[i], &lens, result, &err);
	}
}

static void binary_files_are_refused(void **state)
{
	struct lens lens = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(parse_file(&lens, "5\0006", 3, &err), -1);
	assert_non_null(strstr(err.text, "NUL"));
	lens_release(&lens);
}

static void files_mix_with_items(void **state)
{
	struct lens lens = {0};
	struct str spec = {0}, text = {0};
	struct err err;

	(void)state;
	assert_int_equal(file_write(path, "7 8", 3, &err), 0);
	str_addf(&spec, "5,@%s,2x9", path);
	assert_int_equal(lens_parse(&lens, spec.text, 1, &err), 0);
	lens_format(&lens, &text);
	assert_string_equal(text.text, "5,7,8,2x9");
	str_release(&spec);
	str_release(&text);
	lens_release(&lens);
}

static void missing_files_are_unavailable(void **state)
{
	struct lens lens = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(lens_parse(&lens, "5,@/nonexistent/lens", 1, &err), -1);
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	assert_non_null(strstr(err.text, "/nonexistent/lens"));
	assert_non_null(strstr(err.text, "No such file"));
	lens_release(&lens);
}

static int parse_input(struct lens *lens, const char *input, struct err *err)
{
	int pipes[2], saved = dup(STDIN_FILENO), result;

	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], input, strlen(input)), strlen(input));
	close(pipes[1]);
	dup2(pipes[0], STDIN_FILENO);
	result = lens_parse(lens, "@-", 1, err);
	dup2(saved, STDIN_FILENO);
	close(pipes[0]);
	close(saved);
	return result;
}

static void a_dash_is_standard_input(void **state)
{
	struct lens lens = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(parse_input(&lens, "3 4\n", &err), 0);
	assert_int_equal(lens.count, 2);
	assert_int_equal(parse_input(&lens, "3 x", &err), -1);
	assert_non_null(strstr(err.text, "standard input, line 1: 'x'"));
	assert_int_equal(parse_input(&lens, "", &err), -1);
	assert_non_null(strstr(err.text, "standard input holds no lengths"));
	lens_release(&lens);
}

static void a_long_array_is_refused_unparsed(void **state)
{
	const size_t commas = (size_t)LENS_MAX_COUNT;
	char *text = malloc(commas + 3);
	struct lens lens = {0};
	struct err err = {0};

	(void)state;
	assert_non_null(text);
	/* Not JSON, so that only the count can be what is refused. */
	memset(text, ',', commas + 2);
	text[0] = '[';
	text[commas + 1] = ']';
	text[commas + 2] = '\0';
	assert_int_equal(lens_parse_json(&lens, text, "list.json", &err), -1);
	assert_string_equal(err.text, "list.json: more than 16777216 sequences; use fewer");
	assert_int_equal(lens.count, 0);
	free(text);
}

static void additions_are_bounded(void **state)
{
	struct lens lens = {0};
	struct err err = {0};

	(void)state;
	assert_int_equal(lens_add(&lens, 3, 5, &err), 0);
	assert_int_equal(lens_add(&lens, LENS_MAX_COUNT - 2, 5, &err), -1);
	assert_int_equal(lens_add(&lens, INT64_MAX, 5, &err), -1);
	assert_int_equal(lens_add(&lens, 1, LENS_MAX_LEN + 1, &err), -1);
	assert_int_equal(lens_add(&lens, 1, -1, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(lens.count, 3);
	/* Nothing large was taken for what was refused. */
	assert_true(lens.room < 1000);
	lens_release(&lens);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(specs_are_read_or_refused),
		cmocka_unit_test(long_specs_keep_the_remedy),
		cmocka_unit_test(the_bench_preset_is_the_formula),
		cmocka_unit_test(every_preset_is_read),
		cmocka_unit_test(ranges_are_drawn_by_seed),
		cmocka_unit_test(files_are_read_or_refused),
		cmocka_unit_test(binary_files_are_refused),
		cmocka_unit_test(files_mix_with_items),
		cmocka_unit_test(missing_files_are_unavailable),
		cmocka_unit_test(a_dash_is_standard_input),
		cmocka_unit_test(a_long_array_is_refused_unparsed),
		cmocka_unit_test(additions_are_bounded),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
