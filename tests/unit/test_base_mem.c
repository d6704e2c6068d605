/* Allocation and sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"

/* The address sanitizer aborts on a size it cannot serve unless told otherwise. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1";
}

static void arithmetic_does_not_wrap(void **state)
{
	int64_t value;

	(void)state;
	assert_true(mem_mul(INT64_C(3037000499), INT64_C(3037000499), &value));
	assert_true(value == INT64_C(9223372030926249001));
	assert_false(mem_mul(INT64_C(3037000500), INT64_C(3037000500), &value));
	assert_true(mem_mul(INT64_MAX, 1, &value) && value == INT64_MAX);
	assert_true(mem_mul(INT64_MAX, 0, &value) && value == 0);
	assert_true(mem_add(INT64_MAX - 1, 1, &value) && value == INT64_MAX);
	assert_false(mem_add(INT64_MAX, 1, &value));
}

static void memory_is_aligned_and_zero(void **state)
{
	static const int64_t sizes[] = {0, 1, 63, 64, 4096, (2 << 20) - 1, 2 << 20, (4 << 20) + 5};
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		unsigned char *memory = mem_new(sizes[i], 1, "buffer", &err);

		assert_non_null(memory);
		assert_int_equal((uintptr_t)memory % (sizes[i] < 2 << 20 ? 64 : 2 << 20), 0);
		for (int64_t byte = 0; byte < sizes[i]; byte++)
			if (memory[byte])
				fail_msg("byte %lld of %lld", (long long)byte, (long long)sizes[i]);
		/* So that memory that comes back is not zero by itself. */
		memset(memory, 0xff, (size_t)sizes[i]);
		mem_free(memory);
	}
	mem_free(NULL);
}

static void what_cannot_be_had_is_an_error(void **state)
{
	struct err err = {0};

	(void)state;
	assert_null(mem_new(INT64_C(1) << 40, INT64_C(1) << 40, "scores", &err));
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	assert_non_null(strstr(err.text, "scores"));
	assert_null(mem_new(INT64_C(1) << 60, 1, "scores", &err));
	assert_non_null(strstr(err.text, "cannot allocate 1.0 EiB"));
}

static void available_is_positive_and_below_the_machine(void **state)
{
	int64_t available = mem_available();

	(void)state;
	assert_true(available > 0);
	assert_true(available <= sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE));
}

static void available_heeds_the_address_space_limit(void **state)
{
	const rlim_t bytes = (rlim_t)1 << 30;
	struct rlimit limit = {bytes, bytes};
	int status;
	pid_t child;

	(void)state;
	child = fork();
	if (!child)
		_exit(setrlimit(RLIMIT_AS, &limit) || mem_available() >= (int64_t)bytes);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arithmetic_does_not_wrap),
		cmocka_unit_test(memory_is_aligned_and_zero),
		cmocka_unit_test(what_cannot_be_had_is_an_error),
		cmocka_unit_test(available_is_positive_and_below_the_machine),
		cmocka_unit_test(available_heeds_the_address_space_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
