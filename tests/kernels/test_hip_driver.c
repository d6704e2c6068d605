/* Every call of the HIP driver, over stand-ins for AMD's libraries: what it asks for, in which
 * order, what it says when a call fails or the compiler dies, and that it gives everything back. */
#include <dlfcn.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "kernels/gpu/gpu.h"
#include "kernels/hip/hip.h"
#include "tests/kernels/setting.h"

static struct {
	const char **fails, **architecture;
	int *live, *launches, *wave;
	size_t *filled;
} stub;

/* By path, so that its name is taken when the tool asks for it. */
static void *load_stub(const char *name)
{
	char self[PATH_MAX] = "", path[PATH_MAX + 32];

	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return NULL;
	snprintf(path, sizeof path, "%s/%s", dirname(self), name);
	return dlopen(path, RTLD_NOW | RTLD_LOCAL);
}

static bool load_stubs(void)
{
	void *library = load_stub("libamdhip64_stub.so");

	if (!library || !load_stub("libhiprtc_stub.so"))
		return false;
	stub.fails = dlsym(library, "stub_fails");
	stub.architecture = dlsym(library, "stub_architecture");
	stub.live = dlsym(library, "stub_live");
	stub.launches = dlsym(library, "stub_launches");
	stub.wave = dlsym(library, "stub_wave");
	stub.filled = dlsym(library, "stub_filled");
	return true;
}

static struct device *open_device(struct err *err)
{
	static const struct device_options options;

	return hip_backend.open(&options, err);
}

static void test_device_is_described(void **state)
{
	struct err err = {0};
	struct device *device;

	(void)state;
	assert_int_equal(hip_backend.probe(&err), 1);
	device = open_device(&err);
	assert_non_null(device);
	assert_string_equal(device->info.name, "hip:0");
	assert_string_equal(device->info.model, "Stub MI300X");
	assert_string_equal(device->info.architecture, "gfx942");
	assert_int_equal(device->info.units, 304);
	assert_int_equal(device->info.memory, INT64_C(192) << 30);
	assert_string_equal(device->info.driver, "HIP 7.1");
	assert_string_equal(device->info.compiler, "hipRTC 7.1");
	assert_int_equal(gpu_of(device)->limits.shared, 65536);
	assert_int_equal(gpu_of(device)->limits.warp, 64);
	hip_backend.close(device);
	assert_int_equal(*stub.live, 0);
}

static void test_emu_is_refused(void **state)
{
	struct device_options options = {.emu = "gfx942"};
	struct err err;

	(void)state;
	assert_null(hip_backend.open(&options, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "hip-emu"));
}

/* A GPU the kernels are not for is refused with its name, before anything is compiled for it. */
static void test_other_architectures_are_refused(void **state)
{
	static const struct {
		const char *architecture;
		int wave;
		const char *says;
	} cases[] = {
		{"gfx1030", 32, "gfx1030 has no matrix unit"},
		{"gfx1100", 64, "waves of 64 lanes here, not of 32"},
		{"", 64, "names no architecture"},
	};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct err err = {0};

		*stub.architecture = cases[i].architecture;
		*stub.wave = cases[i].wave;
		assert_null(open_device(&err));
		assert_int_equal(err.kind, ERR_UNAVAILABLE);
		if (!strstr(err.text, cases[i].says))
			fail_msg("%s", err.text);
		assert_int_equal(*stub.live, 0);
	}
	*stub.architecture = "gfx942:sramecc+:xnack-";
	*stub.wave = 64;
}

/* HIP does not tell of the cache behind the L2. */
static void test_flush_sweeps_the_memory_side_cache(void **state)
{
	struct err err;
	struct device *device = open_device(&err);

	(void)state;
	assert_int_equal(hip_backend.flush(device, &err), 0);
	assert_int_equal(*stub.filled, 512 << 20);
	assert_int_equal(hip_backend.flush(device, &err), 0);
	hip_backend.close(device);
	assert_int_equal(*stub.live, 0);
}

/* The stand-in takes 2 ms for everything. A product is twice CUDA's and a wave twice its warp. */
static void test_rates_are_work_by_time(void **state)
{
	struct ceiling ceiling = {0};
	struct err err;
	struct device *device = open_device(&err);

	(void)state;
	if (hip_backend.measure(device, &ceiling, &err))
		fail_msg("%s", err.text);
	assert_true(fabs(ceiling.flops / (304.0 * 8 * 4 * 8 * 4096 * 8192 / 2e-3) - 1) < 1e-3);
	hip_backend.close(device);
	assert_int_equal(*stub.live, 0);
}

static int compile(const char *text, struct gpu_code *code, struct str *log, struct err *err)
{
	static const char *const no_defines[] = {NULL};
	struct gpu_source source = {"probe_f32", "probe", {"probe.hip", text}, NULL, 0, no_defines};

	return hip_driver.compile(&source, "gfx942", code, log, err);
}

static void test_compiled_code_comes_back(void **state)
{
	struct gpu_code code = {0};
	struct str log = {0};
	struct err err;

	(void)state;
	assert_int_equal(compile("fine", &code, &log, &err), 0);
	assert_int_equal(code.count, 5);
	assert_string_equal(code.bytes, "fine");
	assert_non_null(strstr(log.text, "a warning"));
	mem_free(code.bytes);
	str_release(&log);
}

static void test_a_broken_source_is_named_with_its_line(void **state)
{
	struct gpu_code code = {0};
	struct err err;

	(void)state;
	assert_int_equal(compile("nonsense", &code, NULL, &err), -1);
	assert_string_equal(err.text,
		"probe_f32 does not compile for gfx942: probe.hip:3:1: error: unknown type name "
		"'nonsense'");
	assert_null(code.bytes);
}

static void test_a_compiler_that_dies_takes_nothing_with_it(void **state)
{
	struct gpu_code code = {0};
	struct err err;

	(void)state;
	assert_int_equal(compile("abort", &code, NULL, &err), -1);
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	assert_non_null(strstr(err.text, "hipRTC died (Aborted)"));
	assert_null(code.bytes);
}

/* The whole of a backend's life; 0 when nothing failed. */
static int live(const struct setting *setting, struct err *err)
{
	static const struct outputs nothing;
	const struct backend *backend = &hip_backend;
	struct device *device = open_device(err);
	struct workload *workload = NULL;
	struct kernel *kernel = NULL;
	const char *overrun = NULL;
	double seconds = 0;
	int result = -1;

	if (device)
		workload = backend->upload(
			device, &setting->problem, PASS_BACKWARD, &setting->inputs, err);
	if (workload)
		kernel = backend->prepare(workload, schedule_find(PASS_BACKWARD, "m32"), err);
	if (kernel && !backend->run(kernel, 1, &seconds, err) &&
		!backend->run(kernel, 3, &seconds, err) &&
		!backend->download(workload, &nothing, &overrun, err) &&
		!backend->flush(device, err))
		result = overrun || fabs(seconds - 2e-3) > 1e-6;
	if (kernel)
		backend->finish(kernel);
	if (workload)
		backend->release(workload);
	if (device)
		backend->close(device);
	return result;
}

static void test_a_pass_runs_as_a_graph(void **state)
{
	struct setting setting;
	struct err err = {0};

	(void)state;
	setting_init(&setting, "5,40", 8, DTYPE_BF16);
	*stub.launches = 0;
	if (live(&setting, &err))
		fail_msg("%s", err.text);
	assert_int_equal(*stub.launches, 3 * (1 + 3));
	assert_int_equal(*stub.live, 0);
	setting_release(&setting);
}

/* The failure is told in HIP's words, and nothing is left behind. */
static void test_every_failing_call_is_told(void **state)
{
	static const char *const symbols[] = {"hipInit", "hipSetDevice", "hipStreamCreateWithFlags",
		"hipEventCreate", "hipDeviceTotalMem", "hipDeviceGetName", "hipDeviceGetAttribute",
		"hipGetDevicePropertiesR0600", "hipRuntimeGetVersion", "hipMalloc",
		"hipMemcpyHtoDAsync", "hipMemsetD8Async", "hipStreamSynchronize",
		"hipModuleLoadData", "hipModuleGetFunction", "hipStreamBeginCapture",
		"hipEventRecord", "hipModuleLaunchKernel", "hipStreamEndCapture",
		"hipGraphInstantiate", "hipGraphLaunch", "hipEventElapsedTime",
		"hipMemcpyDtoHAsync"};
	struct setting setting;

	(void)state;
	setting_init(&setting, "5,40", 8, DTYPE_BF16);
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		struct err err = {0};

		*stub.fails = symbols[i];
		assert_int_equal(live(&setting, &err), -1);
		assert_int_equal(err.kind, ERR_UNAVAILABLE);
		if (!strstr(err.text, "unspecified launch failure (hipErrorLaunchFailure)"))
			fail_msg("%s: %s", symbols[i], err.text);
		assert_int_equal(*stub.live, 0);
	}
	*stub.fails = "";
	setting_release(&setting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_device_is_described),
		cmocka_unit_test(test_emu_is_refused),
		cmocka_unit_test(test_other_architectures_are_refused),
		cmocka_unit_test(test_flush_sweeps_the_memory_side_cache),
		cmocka_unit_test(test_rates_are_work_by_time),
		cmocka_unit_test(test_compiled_code_comes_back),
		cmocka_unit_test(test_a_broken_source_is_named_with_its_line),
		cmocka_unit_test(test_a_compiler_that_dies_takes_nothing_with_it),
		cmocka_unit_test(test_a_pass_runs_as_a_graph),
		cmocka_unit_test(test_every_failing_call_is_told),
	};

	if (!load_stubs()) {
		fprintf(stderr, "the stand-ins for AMD's libraries do not load: %s\n", dlerror());
		return 1;
	}
	setenv("PATTN_CACHE", "", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
