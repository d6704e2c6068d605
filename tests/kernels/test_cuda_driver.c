/* Every call of the CUDA driver, over a stand-in for libcuda.so.1: what it asks for, in which
 * order, what it says when a call fails, and that it gives everything back. */
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

#include "kernels/cuda/api.h"
#include "kernels/cuda/cuda.h"
#include "kernels/gpu/gpu.h"
#include "tests/kernels/setting.h"

static struct {
	const char **fails;
	int *live, *launches;
	uint64_t *filled;
} stub;

/* By path, so that the name libcuda.so.1 is taken when the tool asks for it. */
static bool load_stub(void)
{
	char self[PATH_MAX] = "", path[PATH_MAX + 32];
	void *library;

	if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
		return false;
	snprintf(path, sizeof path, "%s/libcuda_stub.so", dirname(self));
	library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
	stub.fails = dlsym(library, "stub_fails");
	stub.live = dlsym(library, "stub_live");
	stub.launches = dlsym(library, "stub_launches");
	stub.filled = dlsym(library, "stub_filled");
	return stub.fails && stub.live && stub.launches && stub.filled;
}

static bool compiler_is_missing(void)
{
	struct err err;

	return nvrtc_load(&err) == NULL;
}

static struct device *open_device(struct err *err)
{
	static const struct device_options options;

	return cuda_backend.open(&options, err);
}

static void test_device_is_described(void **state)
{
	struct err err;
	struct device *device;

	(void)state;
	if (compiler_is_missing())
		skip();
	assert_int_equal(cuda_backend.probe(&err), 1);
	device = open_device(&err);
	assert_non_null(device);
	assert_string_equal(device->info.name, "cuda:0");
	assert_string_equal(device->info.model, "Stub H200");
	assert_string_equal(device->info.architecture, "sm_90");
	assert_int_equal(device->info.units, 132);
	assert_int_equal(device->info.memory, INT64_C(141) << 30);
	assert_memory_equal(device->info.driver, "CUDA 13.0", 9);
	assert_int_equal(gpu_of(device)->limits.shared, 232448);
	cuda_backend.close(device);
	assert_int_equal(*stub.live, 0);
}

static void test_emu_is_refused(void **state)
{
	struct device_options options = {.emu = "sm_80"};
	struct err err;

	(void)state;
	assert_null(cuda_backend.open(&options, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, "cuda-emu"));
}

static void test_cache_is_flushed_with_twice_its_size(void **state)
{
	struct err err;
	struct device *device;

	(void)state;
	if (compiler_is_missing())
		skip();
	device = open_device(&err);
	assert_int_equal(cuda_backend.flush(device, &err), 0);
	assert_int_equal(*stub.filled, 2 * (8 << 20));
	assert_int_equal(cuda_backend.flush(device, &err), 0);
	cuda_backend.close(device);
	assert_int_equal(*stub.live, 0);
}

/* The stand-in takes 2 ms for everything. */
static void test_rates_are_work_by_time(void **state)
{
	struct ceiling ceiling = {0};
	struct err err;
	struct device *device;

	(void)state;
	if (compiler_is_missing())
		skip();
	device = open_device(&err);
	*stub.launches = 0;
	if (cuda_backend.measure(device, &ceiling, &err))
		fail_msg("%s", err.text);
	assert_true(fabs(ceiling.bytes / ((1 << 28) / 2e-3) - 1) < 1e-3);
	assert_true(fabs(ceiling.flops / (132.0 * 8 * 8 * 8 * 4096 * 4096 / 2e-3) - 1) < 1e-3);
	assert_true(fabs(ceiling.exponentials / (132.0 * 8 * 256 * 8 * 4096 / 2e-3) - 1) < 1e-3);
	assert_true(ceiling.apart);
	assert_int_equal(*stub.launches, 3 * 10);
	cuda_backend.close(device);
	assert_int_equal(*stub.live, 0);
}

/* The whole of a backend's life; 0 when nothing failed. */
static int live(const struct setting *setting, struct err *err)
{
	static const struct outputs nothing;
	const struct backend *backend = &cuda_backend;
	struct device *device = open_device(err);
	struct workload *workload = NULL;
	struct kernel *kernel = NULL;
	const char *overrun;
	double seconds;
	int result = -1;

	if (!device)
		return -1;
	workload = backend->upload(device, &setting->problem, PASS_BACKWARD, &setting->inputs, err);
	if (workload)
		kernel = backend->prepare(workload, schedule_find(PASS_BACKWARD, "m32"), err);
	if (kernel && !backend->run(kernel, 1, &seconds, err) &&
		!backend->run(kernel, 3, &seconds, err) &&
		!backend->download(workload, &nothing, &overrun, err) &&
		!backend->flush(device, err)) {
		assert_null(overrun);
		assert_true(seconds > 0.0019 && seconds < 0.0021);
		result = 0;
	}
	if (kernel)
		backend->finish(kernel);
	if (workload)
		backend->release(workload);
	backend->close(device);
	return result;
}

static void test_a_pass_runs_as_a_graph(void **state)
{
	struct setting setting;
	struct err err = {0};

	(void)state;
	if (compiler_is_missing())
		skip();
	setting_init(&setting, "5,40", 8, DTYPE_BF16);
	*stub.launches = 0;
	if (live(&setting, &err))
		fail_msg("%s", err.text);
	assert_int_equal(*stub.launches, 3 * (1 + 3));
	assert_int_equal(*stub.live, 0);
	setting_release(&setting);
}

/* The failure is told in the driver's words, and nothing is left behind. */
static void test_every_failing_call_is_told(void **state)
{
	static const char *const symbols[] = {"cuDeviceGet", "cuDevicePrimaryCtxRetain",
		"cuCtxSetCurrent", "cuStreamCreate", "cuEventCreate", "cuDeviceTotalMem_v2",
		"cuDeviceGetName", "cuDriverGetVersion", "cuMemAlloc_v2", "cuMemcpyHtoDAsync_v2",
		"cuMemsetD8Async", "cuStreamSynchronize", "cuModuleLoadData", "cuModuleGetFunction",
		"cuFuncSetAttribute", "cuStreamBeginCapture_v2", "cuEventRecordWithFlags",
		"cuLaunchKernel", "cuStreamEndCapture", "cuGraphInstantiateWithFlags",
		"cuGraphLaunch", "cuEventElapsedTime", "cuMemcpyDtoHAsync_v2"};
	struct setting setting;

	(void)state;
	if (compiler_is_missing())
		skip();
	setting_init(&setting, "5,40", 8, DTYPE_BF16);
	for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
		struct err err = {0};

		*stub.fails = symbols[i];
		assert_int_equal(live(&setting, &err), -1);
		assert_int_equal(err.kind, ERR_UNAVAILABLE);
		if (!strstr(err.text, "unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED)"))
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
		cmocka_unit_test(test_cache_is_flushed_with_twice_its_size),
		cmocka_unit_test(test_rates_are_work_by_time),
		cmocka_unit_test(test_a_pass_runs_as_a_graph),
		cmocka_unit_test(test_every_failing_call_is_told),
	};
	char folder[] = "/tmp/pattn-cuda.XXXXXX", command[64];
	int status;

	if (!load_stub()) {
		fprintf(stderr, "the stand-in for libcuda.so.1 does not load: %s\n", dlerror());
		return 1;
	}
	if (!mkdtemp(folder))
		return 1;
	setenv("PATTN_CACHE", folder, 1);
	status = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof command, "rm -rf %s", folder);
	return system(command) || status;
}
