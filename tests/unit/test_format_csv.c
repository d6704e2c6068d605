#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cmd/format.h"
#include "tests/unit/report_sample.h"

static void test_rows(void **state)
{
	struct report report;
	struct str text = {0};

	(void)state;
	sample_report(&report);
	csv_write(&report, &text);
	assert_string_equal(text.text,
		"device,mode,dtype,window,pass,heads,dim,tokens,longest,schedule,outcome,why,"
		"decision,rank,samples,median,first_quartile,third_quartile,min,flops,bytes,"
		"floor_fraction,code,compiler,driver,version,created,lens\r\n"
		"\"cpu | Model \"\"X\"\" | avx2 | 2 units\",hot,f32,none,forward,2,64,100,100,"
		"r16_c16,wrong,out is not a number,,,0,,,,,,,,,,,,,\r\n"
		"\"cpu | Model \"\"X\"\" | avx2 | 2 units\",hot,f32,none,forward,2,64,100,100,"
		"r64_c32,ok,,winner,1,3,0.002,0.0015,0.0025,0.001,2.5e+11,1.5e+09,0.5,,,,,,\r\n"
		"\"cpu | Model \"\"X\"\" | avx2 | 2 units\",hot,f32,none,forward,2,64,100,100,"
		"m64_c32,unsupported,needs a matrix unit,,,0,,,,,,,,,,,,,\r\n"
		"\"cpu | Model \"\"X\"\" | avx2 | 2 units\",cold,f32,64,backward,2,64,97,64,"
		"\"x|y,z\",ok,,tie,1,1,0.5,0.5,0.5,0.5,,,,beef,\"cc \"\"2\"\"\",550.1,0.0.1,"
		"2026-12-01T00:00:00Z,\"64,33\"\r\n");
	str_release(&text);
	report_release(&report);
}

static void test_nothing_is_a_header(void **state)
{
	struct str text = {0};

	(void)state;
	csv_write(&(struct report){0}, &text);
	assert_int_equal(strcspn(text.text, "\n") + 1, text.length);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_nothing_is_a_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
