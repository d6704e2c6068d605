#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/format.h"
#include "tests/unit/report_sample.h"

static void test_table(void **state)
{
	struct report report;
	struct str text = {0};

	(void)state;
	sample_report(&report);
	md_write(&report, &text);
	assert_string_equal(text.text,
		"### cpu | Model \"X\" | avx2 | 2 units\n\n"
		"| dtype | window | pass | heads | tokens | longest | mode | schedule | median ms "
		"| IQR % | GFLOP/s | GB/s | floor % | result |\n"
		"|---|---:|---|---:|---:|---:|---|---|---:|---:|---:|---:|---:|---|\n"
		"| f32 | none | forward | 2 | 100 | 100 | hot | r16_c16 |  |  |  |  |  | wrong: "
		"out "
		"is not a number |\n"
		"| f32 | none | forward | 2 | 100 | 100 | hot | r64_c32 | 2.0000 | 50.0 | 250.0 "
		"| 1.50 | 50.0 | **winner** |\n"
		"| f32 | none | forward | 2 | 100 | 100 | hot | m64_c32 |  |  |  |  |  "
		"| unsupported: needs a matrix unit |\n"
		"| f32 | 64 | backward | 2 | 97 | 64 | cold | x\\|y,z | 500.0000 |  |  |  |  "
		"| **tie** |\n");
	str_release(&text);
	report_release(&report);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
