#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/format_table.h"
#include "tests/unit/report_sample.h"

static void check_widths(const char *text)
{
	for (; *text; text += strcspn(text, "\n") + 1)
		assert_in_range(strcspn(text, "\n"), 0, 100);
}

static void test_times(void **state)
{
	struct report report;
	struct str text = {0};

	(void)state;
	sample_report(&report);
	table_device(&sample_device, false, &text);
	for (int i = 0; i < report.count; i++)
		table_entry(&report.entries[i], false, &text);
	assert_string_equal(text.text,
		"cpu: Model \"X\", avx2, 2 units\n"
		"\n"
		"f32, window none, forward: 100 tokens, 2 heads, hot, 3 rounds\n"
		"  schedule    median ms  IQR %   GFLOP/s     GB/s  floor %   ratio     error\n"
		"  r64_c32         2.000   50.0     250.0     1.50     50.0   1.000   2.0e-07  "
		"winner\n"
		"  r16_c16     wrong: out is not a number\n"
		"  unsupported: m64_c32 (needs a matrix unit)\n"
		"\n"
		"f32, window 64, backward: 97 tokens, 2 heads, cold, cached\n"
		"  schedule    median ms  IQR %   GFLOP/s     GB/s  floor %   ratio     error\n"
		"  x|y,z           500.0    0.0         -        -        -   1.000         -  "
		"tie\n");
	check_widths(text.text);
	str_release(&text);
	report_release(&report);
}

/* Best first, whatever the ranking; equal medians keep their order. */
static void test_order(void **state)
{
	static const double medians[] = {3e-3, 1e-3, 2e-3, 1e-3, 4.0};
	static const char *const names[] = {"r16_c16", "r32_c32", "r64_c32", "r32_c64", "r64_c64"};
	static const char *const order[] = {"r32_c32", "r32_c64", "r64_c32", "r16_c16", "r64_c64"};
	struct trial trials[5] = {{0}};
	struct contest contest = {.problem = &sample_problem, .trials = trials, .count = 5};
	struct report report = {0};
	struct key key = {.window = 8};
	struct str text = {0};
	const char *at;

	(void)state;
	for (int i = 0; i < 5; i++) {
		trials[i].schedule = schedule_find(PASS_FORWARD, names[i]);
		trials[i].outcome = OUTCOME_OK;
		trials[i].stats.median = medians[i];
		trials[i].flops = 2e9 / medians[i];
	}
	entry_take(report_add(&report, &key), &contest);
	table_entry(&report.entries[0], false, &text);
	assert_non_null(strstr(text.text, "TFLOP/s"));
	at = text.text;
	for (int i = 0; i < 5; i++) {
		at = strstr(at, order[i]);
		assert_non_null(at);
	}
	assert_null(strstr(text.text, "winner"));
	check_widths(text.text);
	str_release(&text);
	report_release(&report);
}

static void test_colour_changes_no_text(void **state)
{
	struct report report;
	struct str plain = {0}, coloured = {0}, stripped = {0};

	(void)state;
	sample_report(&report);
	table_entry(&report.entries[0], false, &plain);
	table_entry(&report.entries[0], true, &coloured);
	for (const char *at = coloured.text; *at; at++) {
		if (*at == '\033')
			at = strchr(at, 'm');
		else
			str_add_bytes(&stripped, at, 1);
	}
	assert_true(coloured.length > plain.length);
	assert_string_equal(stripped.text, plain.text);
	str_release(&plain);
	str_release(&coloured);
	str_release(&stripped);
	report_release(&report);
}

static void test_checks(void **state)
{
	struct report report;
	struct str text = {0};

	(void)state;
	sample_report(&report);
	checks_head(false, &text);
	for (int i = 0; i < 3; i++)
		checks_trial(&sample_problem, &report.entries[0].findings[i].trial, false, &text);
	assert_string_equal(text.text,
		"dtype  window  pass      schedule   outcome         largest errors\n"
		"f32      none  forward   r16_c16    wrong           out nan      lse 2.0e-07\n"
		"       out: token 12 of sequence 0, head 1, dimension 63: got nan, want 0.25\n"
		"       out: error nan, of one sequence nan; at most 1e-05 is right\n"
		"f32      none  forward   r64_c32    ok              out 1.0e-07  lse 2.0e-07\n"
		"f32      none  forward   m64_c32    unsupported     needs a matrix unit\n");
	check_widths(text.text);
	str_release(&text);
	report_release(&report);
}

/* Wrong beyond its errors: a guard band was written, say. */
static void test_wrong_with_right_errors(void **state)
{
	struct trial trial = {.schedule = schedule_find(PASS_FORWARD, "r16_c16"),
		.outcome = OUTCOME_WRONG,
		.why = "wrote past the end of lse"};
	struct str text = {0};

	(void)state;
	sample_judge(&trial, 1e-7);
	checks_trial(&sample_problem, &trial, false, &text);
	assert_non_null(strstr(text.text, "wrote past the end of lse"));
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_colour_changes_no_text),
		cmocka_unit_test(test_checks),
		cmocka_unit_test(test_wrong_with_right_errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
