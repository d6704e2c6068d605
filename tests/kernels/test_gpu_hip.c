/* AMD's libraries: what is said without them, and what hipRTC makes of the kernels where it is to
 * be had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kernels/gpu/plan.h"
#include "kernels/gpu/sources.h"
#include "kernels/hip/api.h"
#include "kernels/hip/hip.h"

static void test_a_missing_runtime_is_explained(void **state)
{
	struct err err = {0};

	(void)state;
	if (hip_load(&err))
		skip();
	assert_int_equal(hip_backend.probe(&err), -1);
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	if (strstr(err.text, "libamdhip64.so"))
		assert_non_null(strstr(err.text, "--device hip-emu"));
	else
		assert_non_null(strstr(err.text, "rocminfo"));
}

static void compile(const struct sources *sources, const char *name, const char *entry,
	const char *const *defines, const char *architecture)
{
	struct gpu_source source = {name, entry, *sources_kernel(sources, entry), sources->headers,
		sources->header_count, defines};
	struct gpu_code code = {0};
	struct err err;

	if (hip_driver.compile(&source, architecture, &code, NULL, &err))
		fail_msg("%s", err.text);
	assert_memory_equal((char *)code.bytes, "\177ELF", 4);
	mem_free(code.bytes);
}

/* gfx90a is what every release since 5 knows. One schedule of each kernel, and the rates' kernels,
 * which are in no schedule. */
static void test_kernels_compile(void **state)
{
	static const char *const names[] = {"m64_c32", "r64_c64", "s32", "c32"};
	static const char *const peaks[] = {"peak_multiply", "peak_exponent", "peak_read"};
	static const char *const defines[] = {"-DHEAD_DIM=64", "-DELEM=1", NULL};
	struct sources sources = {0};
	char compiler[96];
	struct err err;

	(void)state;
	if (hip_driver.compiler(compiler, &err)) {
		assert_non_null(strstr(err.text, "ROCM_PATH"));
		skip();
	}
	assert_memory_equal(compiler, "hipRTC ", 7);
	assert_int_equal(sources_init(&sources, &hip_driver, NULL, &err), 0);
	for (int i = 0; i < 4; i++) {
		enum pass pass = i < 2 ? PASS_FORWARD : PASS_BACKWARD;
		const struct schedule *schedule = schedule_find(pass, names[i]);
		const struct gpu_entry *plan[GPU_PLAN_MAX];

		for (int k = gpu_plan(schedule, plan); k-- > 0;) {
			struct gpu_instance instance;

			gpu_instance_init(&instance, plan[k], schedule, DTYPE_BF16);
			compile(&sources, instance.name, plan[k]->name, instance.defines, "gfx90a");
		}
	}
	for (int i = 0; i < 3; i++)
		compile(&sources, peaks[i], peaks[i], defines, "gfx90a");
	sources_release(&sources);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_missing_runtime_is_explained),
		cmocka_unit_test(test_kernels_compile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
