/* What threads share, on problems small enough for ThreadSanitizer: items of one pass, the partial
 * gradients of a split head, the oracle's blocks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "tests/kernels/bench_of.h"

static void test_many_short_sequences(void **state)
{
	struct device *device = open_cpu(NULL, 4);
	(void)state;
	check_all(device, "5,0,40,1,33,17", 2, NO_WINDOW, DTYPE_F32);
	check_all(device, "5,0,40,1,33,17", 2, 8, DTYPE_BF16);
	device_close(device);
}

static void test_one_split_head(void **state)
{
	struct device *device = open_cpu(NULL, 2);
	(void)state;
	check_all(device, "530", 1, 20, DTYPE_F32);
	device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_short_sequences),
		cmocka_unit_test(test_one_split_head),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
