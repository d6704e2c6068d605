/* The GPU backend over a driver of host memory that notes what it is asked for, runs no kernel
 * and fails when told to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kernels/gpu/gpu.h"
#include "kernels/gpu/plan.h"
#include "tests/kernels/setting.h"

#define HISTORY 64

struct gpu_device {
	int unused;
};

/* What the driver was asked for. */
static struct {
	int calls;   /* that may fail */
	int fail_at; /* the call to fail; 0: none */
	int live;    /* things given out and not given back */
	int compiled, captured, replayed;
	bool capturing;
	char launched[HISTORY][64];
	struct gpu_launch launches[HISTORY];
	int launch_count;
	void *stray; /* a launch writes a byte here */
} fake;

static int call(struct err *err)
{
	if (++fake.calls == fake.fail_at)
		return err_set(err, ERR_UNAVAILABLE, "told to fail");
	return 0;
}

static void *give(size_t bytes, struct err *err)
{
	void *memory = call(err) ? NULL : malloc(bytes ? bytes : 1);

	fake.live += memory != NULL;
	return memory;
}

static void take(void *memory)
{
	fake.live -= memory != NULL;
	free(memory);
}

static int fake_probe(struct err *err)
{
	(void)err;
	return 1;
}

static struct gpu_device *fake_open(
	const struct device_options *options, struct gpu_limits *limits, struct err *err)
{
	(void)options;
	*limits = (struct gpu_limits){.model = "Fake",
		.architecture = "sm_86",
		.units = 4,
		.warp = 32,
		.shared = 101376,
		.matrix = true};
	return give(sizeof(struct gpu_device), err);
}

static void fake_close(struct gpu_device *device)
{
	take(device);
}

static void *fake_alloc(struct gpu_device *device, int64_t bytes, int64_t guard, struct err *err)
{
	(void)device;
	return give((size_t)(bytes + guard), err);
}

static void fake_free(struct gpu_device *device, void *memory)
{
	(void)device;
	take(memory);
}

static int fake_copy(
	struct gpu_device *device, void *to, const void *from, int64_t bytes, struct err *err)
{
	(void)device;
	if (call(err))
		return -1;
	memcpy(to, from, (size_t)bytes);
	return 0;
}

static int fake_fill(
	struct gpu_device *device, void *memory, int byte, int64_t bytes, struct err *err)
{
	(void)device;
	if (call(err))
		return -1;
	memset(memory, byte, (size_t)bytes);
	return 0;
}

static int fake_compiler(char text[96], struct err *err)
{
	strcpy(text, "fake 1");
	return call(err);
}

static int fake_compile(const struct gpu_source *source, const char *architecture,
	struct gpu_code *code, struct str *log, struct err *err)
{
	(void)log;
	assert_string_equal(architecture, "sm_86");
	if (call(err))
		return -1;
	fake.compiled++;
	code->count = (int64_t)strlen(source->instance) + 1;
	code->bytes = mem_new(code->count, 1, "code", err);
	memcpy(code->bytes, source->instance, (size_t)code->count);
	return 0;
}

static struct gpu_module *fake_load(
	struct gpu_device *device, const struct gpu_code *code, struct err *err)
{
	char *module = give((size_t)code->count, err);

	(void)device;
	if (module)
		memcpy(module, code->bytes, (size_t)code->count);
	return (struct gpu_module *)module;
}

static void fake_unload(struct gpu_device *device, struct gpu_module *module)
{
	(void)device;
	take(module);
}

static struct gpu_function *fake_function(struct gpu_device *device, struct gpu_module *module,
	const struct gpu_source *source, int64_t shared, struct err *err)
{
	(void)device, (void)shared;
	assert_string_equal((const char *)module, source->instance);
	return call(err) ? NULL : (struct gpu_function *)module;
}

static int fake_launch(struct gpu_device *device, struct gpu_function *function,
	const struct gpu_launch *launch, struct err *err)
{
	int at = fake.launch_count % HISTORY;

	(void)device;
	if (call(err))
		return -1;
	strcpy(fake.launched[at], (const char *)function);
	fake.launches[at] = *launch;
	fake.launch_count++;
	if (fake.stray)
		*(unsigned char *)fake.stray = 0;
	return 0;
}

static int fake_wait(struct gpu_device *device, struct err *err)
{
	(void)device;
	return call(err);
}

static int fake_mark(struct gpu_device *device, enum gpu_mark mark, struct err *err)
{
	(void)device, (void)mark;
	return call(err);
}

static int fake_elapsed(struct gpu_device *device, double *seconds, struct err *err)
{
	(void)device;
	*seconds = 1;
	return call(err);
}

static int fake_capture_begin(struct gpu_device *device, struct err *err)
{
	(void)device;
	if (call(err))
		return -1;
	fake.capturing = true;
	return 0;
}

static struct gpu_graph *fake_capture_end(struct gpu_device *device, struct err *err)
{
	(void)device;
	assert_true(fake.capturing);
	fake.capturing = false;
	fake.captured++;
	return give(1, err);
}

static int fake_replay(struct gpu_device *device, struct gpu_graph *graph, struct err *err)
{
	(void)device;
	assert_non_null(graph);
	fake.replayed++;
	return call(err);
}

static void fake_graph_free(struct gpu_device *device, struct gpu_graph *graph)
{
	(void)device;
	take(graph);
}

static const char *const fake_options[] = {NULL};
static const char *const fake_headers[] = {"kernels/gpu/", NULL};

#define FAKE_DRIVER                                                                                \
	.folder = "kernels/cuda/", .headers = fake_headers, .options = fake_options,               \
	.probe = fake_probe, .open = fake_open, .close = fake_close, .alloc = fake_alloc,          \
	.free = fake_free, .copy_in = fake_copy, .copy_out = fake_copy, .fill = fake_fill,         \
	.compiler = fake_compiler, .compile = fake_compile, .load = fake_load,                     \
	.unload = fake_unload, .function = fake_function, .launch = fake_launch,                   \
	.wait = fake_wait, .mark = fake_mark, .elapsed = fake_elapsed

static const struct gpu_driver plain_driver = {FAKE_DRIVER};
static const struct gpu_driver graph_driver = {FAKE_DRIVER, .capture_begin = fake_capture_begin,
	.capture_end = fake_capture_end, .replay = fake_replay, .graph_free = fake_graph_free};

static const struct backend fake_backend = {
	.name = "fake", .summary = "host memory", .probe = fake_probe, GPU_BACKEND_SLOTS};

static struct device *open_fake(const struct gpu_driver *driver, struct err *err)
{
	static const struct device_options options;

	return gpu_open(&fake_backend, driver, &options, err);
}

static int forget(void **state)
{
	(void)state;
	memset(&fake, 0, sizeof fake);
	setenv("PATTN_CACHE", "", 1);
	return 0;
}

static void test_device_says_what_it_is(void **state)
{
	struct err err;
	struct device *device = open_fake(&plain_driver, &err);

	(void)state;
	assert_string_equal(device->info.name, "fake:0");
	assert_string_equal(device->info.model, "Fake");
	assert_string_equal(device->info.architecture, "sm_86");
	assert_string_equal(device->info.compiler, "fake 1");
	assert_int_equal(strlen(device->info.code), 16);
	gpu_close(device);
	assert_int_equal(fake.live, 0);
}

static void test_an_instruction_set_is_refused(void **state)
{
	struct device_options options = {.isa = "avx2"};
	struct err err;

	(void)state;
	assert_null(gpu_open(&fake_backend, &plain_driver, &options, &err));
	assert_int_equal(err.kind, ERR_USAGE);
}

static void test_usable_gives_reasons(void **state)
{
	static const struct {
		enum pass pass;
		const char *schedule;
		enum dtype dtype;
		int64_t heads;
		const char *why; /* NULL: usable */
	} cases[] = {
		{PASS_FORWARD, "r64_c64", DTYPE_BF16, 2, NULL},
		{PASS_FORWARD, "m64_c64", DTYPE_F16, 2, NULL},
		{PASS_FORWARD, "m64_c64", DTYPE_F32, 2, "needs 16-bit operands: bf16 or f16"},
		{PASS_BACKWARD, "s32", DTYPE_F32, 2, "needs 16-bit operands: bf16 or f16"},
		{PASS_FORWARD, "r16_c16", DTYPE_F32, 65535, NULL},
		{PASS_FORWARD, "r16_c16", DTYPE_F32, 65536, "launches at most 65535 heads"},
	};
	struct err err;
	struct device *device = open_fake(&plain_driver, &err);
	struct setting setting;

	(void)state;
	setting_init(&setting, "5,40", NO_WINDOW, DTYPE_F32);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct reason reason = {""};

		setting.problem.dtype = cases[i].dtype;
		setting.problem.heads = cases[i].heads;
		assert_int_equal(gpu_usable(device, schedule_find(cases[i].pass, cases[i].schedule),
					 &setting.problem, &reason),
			cases[i].why == NULL);
		assert_string_equal(reason.text, cases[i].why ? cases[i].why : "");
	}
	setting_release(&setting);
	gpu_close(device);
}

/* Refused exactly when a block takes more than the device gives, with both figures. */
static void test_usable_counts_shared_memory(void **state)
{
	struct err err;
	struct device *device = open_fake(&plain_driver, &err);
	struct setting setting;

	(void)state;
	setting_init(&setting, "5,40", NO_WINDOW, DTYPE_BF16);
	for (int i = 0; i < schedule_count; i++) {
		struct gpu_limits *limits = &gpu_of(device)->limits;
		struct reason reason = {""};
		char want[160];

		limits->shared = gpu_plan_shared(GPU_NVIDIA, &schedules[i], DTYPE_BF16);
		assert_true(gpu_usable(device, &schedules[i], &setting.problem, &reason));
		snprintf(want, sizeof want,
			"needs %lld bytes of shared memory a block; sm_86 gives %lld",
			(long long)limits->shared, (long long)limits->shared - 1);
		limits->shared--;
		assert_false(gpu_usable(device, &schedules[i], &setting.problem, &reason));
		assert_string_equal(reason.text, want);
	}
	setting_release(&setting);
	gpu_close(device);
}

static void test_outputs_are_poisoned_and_inputs_are_not(void **state)
{
	struct err err;
	struct device *device = open_fake(&plain_driver, &err);
	struct setting setting;
	struct workload *workload;
	struct outputs outputs = {0};
	const char *overrun;
	int64_t count;

	(void)state;
	setting_init(&setting, "5,40", NO_WINDOW, DTYPE_F16);
	workload = gpu_upload(device, &setting.problem, PASS_BACKWARD, &setting.inputs, &err);
	assert_non_null(workload);
	count = problem_qkv_count(&setting.problem);
	outputs.dqkv = mem_new(count, 2, "dqkv", &err);
	assert_int_equal(gpu_download(workload, &outputs, &overrun, &err), 0);
	assert_null(overrun);
	for (int64_t i = 0; i < count; i++)
		assert_int_equal(((uint16_t *)outputs.dqkv)[i], 0xffff);
	gpu_release(workload);
	mem_free(outputs.dqkv);
	setting_release(&setting);
	gpu_close(device);
	assert_int_equal(fake.live, 0);
}

/* A write behind any one buffer is seen, named, and gone after the next poison. */
static void test_a_write_behind_a_buffer_is_named(void **state)
{
	static const struct {
		size_t offset; /* of the pointer in struct args */
		const char *name;
		int row; /* bytes an element */
	} cases[] = {
		{offsetof(struct args, qkv), "qkv", 3 * 2},
		{offsetof(struct args, lse), "lse", 0},
		{offsetof(struct args, dq), "dq", 4},
		{offsetof(struct args, dqkv), "dqkv", 3 * 2},
	};
	struct err err;
	struct device *device = open_fake(&plain_driver, &err);
	struct setting setting;
	struct workload *workload;
	struct kernel *kernel;

	(void)state;
	setting_init(&setting, "5,40", NO_WINDOW, DTYPE_BF16);
	workload = gpu_upload(device, &setting.problem, PASS_BACKWARD, &setting.inputs, &err);
	kernel = gpu_prepare(workload, schedule_find(PASS_BACKWARD, "m32"), &err);
	assert_non_null(kernel);
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		static const struct outputs nothing;
		int64_t bytes = cases[i].row ? problem_out_count(&setting.problem) * cases[i].row
					     : problem_lse_count(&setting.problem) * 4;
		const char *overrun;
		double seconds;
		char *memory;

		fake.stray = NULL;
		assert_int_equal(gpu_run(kernel, 1, &seconds, &err), 0);
		memcpy(&memory,
			(const char *)fake.launches[(fake.launch_count - 1) % HISTORY].args +
				cases[i].offset,
			sizeof memory);
		fake.stray = memory + bytes + 7;
		assert_int_equal(gpu_run(kernel, 1, &seconds, &err), 0);
		assert_int_equal(gpu_download(workload, &nothing, &overrun, &err), 0);
		assert_non_null(overrun);
		assert_string_equal(overrun, cases[i].name);
		assert_int_equal(gpu_poison(workload, &err), 0);
		assert_int_equal(gpu_download(workload, &nothing, &overrun, &err), 0);
		assert_null(overrun);
	}
	gpu_finish(kernel);
	gpu_release(workload);
	setting_release(&setting);
	gpu_close(device);
	assert_int_equal(fake.live, 0);
}

static void test_launches(void **state)
{
	static const char *const names[] = {
		"delta_bf16", "attend_back_mma_bf16_m64", "rotate_back_bf16"};
	struct err err;
	struct device *device = open_fake(&plain_driver, &err);
	struct setting setting;
	struct workload *workload;
	struct kernel *kernel;
	double seconds;

	(void)state;
	setting_init(&setting, "5,130,64", 8, DTYPE_BF16);
	workload = gpu_upload(device, &setting.problem, PASS_BACKWARD, &setting.inputs, &err);
	kernel = gpu_prepare(workload, schedule_find(PASS_BACKWARD, "m64"), &err);
	assert_non_null(kernel);
	assert_int_equal(gpu_run(kernel, 2, &seconds, &err), 0);
	assert_int_equal(fake.launch_count, 6);
	for (int i = 0; i < 6; i++) {
		const struct gpu_launch *launch = &fake.launches[i];
		const struct args *args = launch->args;

		assert_string_equal(fake.launched[i], names[i % 3]);
		assert_int_equal(launch->grid[0], 1 + 3 + 1);
		assert_int_equal(launch->grid[1], 2);
		assert_int_equal(args->tokens, 199);
		assert_int_equal(args->heads, 2);
		assert_int_equal(args->window, 8);
		assert_int_equal(args->tile_rows, 64);
		assert_true(args->scale == 0.125f);
		assert_int_equal(args->tiles[0].length, 130);
		assert_non_null(args->dq);
		assert_memory_equal(args->qkv, setting.tensors.qkv,
			(size_t)problem_qkv_count(&setting.problem) * 2);
	}
	gpu_finish(kernel);
	kernel = gpu_prepare(workload, schedule_find(PASS_BACKWARD, "s64"), &err);
	assert_int_equal(gpu_run(kernel, 1, &seconds, &err), 0);
	assert_string_equal(fake.launched[8], "attend_back_q_bf16_s64");
	assert_null(fake.launches[8].args->dq);
	gpu_finish(kernel);
	gpu_release(workload);
	setting_release(&setting);
	gpu_close(device);
	assert_int_equal(fake.live, 0);
}

static void test_graphs_are_captured_once_a_batch_size(void **state)
{
	static const struct {
		int passes, captured;
	} runs[] = {{1, 1}, {1, 1}, {5, 2}, {5, 2}, {1, 3}};
	struct err err;
	struct device *device = open_fake(&graph_driver, &err);
	struct setting setting;
	struct workload *workload;
	struct kernel *kernel;
	double seconds;

	(void)state;
	setting_init(&setting, "5,40", NO_WINDOW, DTYPE_BF16);
	workload = gpu_upload(device, &setting.problem, PASS_FORWARD, &setting.inputs, &err);
	kernel = gpu_prepare(workload, schedule_find(PASS_FORWARD, "r16_c16"), &err);
	for (int i = 0; i < 5; i++) {
		assert_int_equal(gpu_run(kernel, runs[i].passes, &seconds, &err), 0);
		assert_int_equal(fake.captured, runs[i].captured);
		assert_int_equal(fake.replayed, i + 1);
	}
	assert_int_equal(fake.launch_count, 1 + 5 + 1);
	gpu_finish(kernel);
	gpu_release(workload);
	setting_release(&setting);
	gpu_close(device);
	assert_int_equal(fake.live, 0);
}

static void test_nothing_is_launched_for_nothing(void **state)
{
	struct err err;
	struct device *device = open_fake(&graph_driver, &err);
	struct setting setting;
	struct workload *workload;
	struct kernel *kernel;
	double seconds;

	(void)state;
	setting_init(&setting, "0,0", NO_WINDOW, DTYPE_BF16);
	workload = gpu_upload(device, &setting.problem, PASS_FORWARD, &setting.inputs, &err);
	kernel = gpu_prepare(workload, schedule_find(PASS_FORWARD, "m64_c64"), &err);
	assert_int_equal(gpu_run(kernel, 3, &seconds, &err), 0);
	assert_int_equal(fake.launch_count, 0);
	gpu_finish(kernel);
	gpu_release(workload);
	setting_release(&setting);
	gpu_close(device);
}

/* The whole of a backend's life; 0 when nothing failed. */
static int live(const struct setting *setting, struct err *err)
{
	static const struct outputs nothing;
	struct device *device = open_fake(&graph_driver, err);
	struct workload *workload = NULL;
	struct kernel *kernel = NULL;
	const char *overrun;
	double seconds;
	int result = -1;

	if (!device)
		return -1;
	workload = gpu_upload(device, &setting->problem, PASS_BACKWARD, &setting->inputs, err);
	if (workload)
		kernel = gpu_prepare(workload, schedule_find(PASS_BACKWARD, "c32"), err);
	if (kernel && !gpu_poison(workload, err) && !gpu_run(kernel, 1, &seconds, err) &&
		!gpu_run(kernel, 2, &seconds, err) &&
		!gpu_download(workload, &nothing, &overrun, err))
		result = 0;
	if (kernel)
		gpu_finish(kernel);
	if (workload)
		gpu_release(workload);
	gpu_close(device);
	return result;
}

/* Each call of the driver fails in turn: the failure is told, and everything is given back. */
static void test_every_failure_is_told_and_leaks_nothing(void **state)
{
	struct setting setting;
	int result = -1, at = 0;

	(void)state;
	setting_init(&setting, "5,40", NO_WINDOW, DTYPE_F32);
	while (result) {
		struct err err = {0};

		forget(NULL);
		fake.fail_at = ++at;
		result = live(&setting, &err);
		assert_int_equal(fake.live, 0);
		assert_false(fake.capturing);
		if (result)
			assert_non_null(strstr(err.text, "told to fail"));
	}
	assert_true(at > 60);
	setting_release(&setting);
}

static void prepare_once(const struct setting *setting)
{
	struct err err;
	struct device *device = open_fake(&plain_driver, &err);
	struct workload *workload =
		gpu_upload(device, &setting->problem, PASS_FORWARD, &setting->inputs, &err);
	struct kernel *kernel = gpu_prepare(workload, schedule_find(PASS_FORWARD, "r32_c32"), &err);
	double seconds;

	assert_non_null(kernel);
	assert_int_equal(gpu_run(kernel, 1, &seconds, &err), 0);
	gpu_finish(kernel);
	gpu_release(workload);
	gpu_close(device);
}

static void test_code_is_compiled_once(void **state)
{
	char root[] = "/tmp/pattn-backend.XXXXXX", command[64];
	struct setting setting;

	(void)state;
	assert_non_null(mkdtemp(root));
	setenv("PATTN_CACHE", root, 1);
	setting_init(&setting, "5,40", NO_WINDOW, DTYPE_F32);
	prepare_once(&setting);
	assert_int_equal(fake.compiled, 1);
	prepare_once(&setting);
	assert_int_equal(fake.compiled, 1);
	assert_int_equal(fake.launch_count, 2);
	setting_release(&setting);
	snprintf(command, sizeof command, "rm -rf %s", root);
	assert_int_equal(system(command), 0);
}

/* A folder's file takes the place of the embedded one, and the code's name changes with it. */
static void test_kernel_folder(void **state)
{
	char root[] = "/tmp/pattn-kernels.XXXXXX", command[128], embedded[24];
	struct device_options options = {.kernel_dir = root};
	struct err err;
	struct device *device = open_fake(&plain_driver, &err);

	(void)state;
	assert_non_null(mkdtemp(root));
	strcpy(embedded, device->info.code);
	gpu_close(device);
	assert_null(gpu_open(&fake_backend, &plain_driver, &options, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_non_null(strstr(err.text, root));
	snprintf(command, sizeof command, "echo changed > %s/attend.cu", root);
	assert_int_equal(system(command), 0);
	device = gpu_open(&fake_backend, &plain_driver, &options, &err);
	assert_non_null(device);
	assert_string_not_equal(device->info.code, embedded);
	assert_string_equal(sources_kernel(&gpu_of(device)->sources, "attend")->text, "changed\n");
	gpu_close(device);
	snprintf(command, sizeof command, "rm -r %s", root);
	assert_int_equal(system(command), 0);
	assert_int_equal(fake.live, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_device_says_what_it_is, forget),
		cmocka_unit_test_setup(test_an_instruction_set_is_refused, forget),
		cmocka_unit_test_setup(test_usable_gives_reasons, forget),
		cmocka_unit_test_setup(test_usable_counts_shared_memory, forget),
		cmocka_unit_test_setup(test_outputs_are_poisoned_and_inputs_are_not, forget),
		cmocka_unit_test_setup(test_a_write_behind_a_buffer_is_named, forget),
		cmocka_unit_test_setup(test_launches, forget),
		cmocka_unit_test_setup(test_graphs_are_captured_once_a_batch_size, forget),
		cmocka_unit_test_setup(test_nothing_is_launched_for_nothing, forget),
		cmocka_unit_test_setup(test_every_failure_is_told_and_leaks_nothing, forget),
		cmocka_unit_test_setup(test_code_is_compiled_once, forget),
		cmocka_unit_test_setup(test_kernel_folder, forget),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
