/* The third GPU driver: its device is this process. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/team.h"
#include "kernels/emu/emu.h"
#include "kernels/emu/library.h"
#include "kernels/emu/memory.h"
#include "kernels/gpu/gpu.h"

/* What the emulator pretends to be: multiprocessors and the most shared memory a block gets. */
static const struct model {
	const char *architecture;
	int units;
	int64_t shared;
} models[] = {
	{"sm_90", 132, 232448},
	{"sm_80", 108, 166912},
	{"sm_86", 84, 101376},
	{"sm_89", 128, 101376},
	{"sm_100", 148, 232448},
	{"sm_120", 170, 101376},
};
#define MODELS ((int)(sizeof models / sizeof *models))

struct gpu_device {
	const struct emu_library *library;
	struct memory memory;
	int64_t shared;
	int workers;
	uint64_t seed;
	double marks[2]; /* by enum gpu_mark */
};

/* Code that came with the library is a name in it; other code is a shared object. */
#define BUILTIN "builtin "

struct gpu_function {
	emu_kernel *kernel;
	char name[64];
};

struct gpu_module {
	void *handle;
	int file; /* of a shared object; -1: the library itself */
	struct gpu_function function;
};

static int emu_probe(struct err *err)
{
	return emu_library(err) ? 1 : -1;
}

static const struct model *model_find(const char *architecture, struct err *err)
{
	struct str names = {0};

	for (int i = 0; i < MODELS; i++)
		if (!architecture || !strcmp(models[i].architecture, architecture))
			return &models[i];
	for (int i = 0; i < MODELS; i++)
		str_addf(&names, "%s%s", i ? ", " : "", models[i].architecture);
	err_set(err, ERR_USAGE, "the emulator does not know '%s'; it knows %s", architecture,
		names.text);
	str_release(&names);
	return NULL;
}

static int seed_read(uint64_t *seed, struct err *err)
{
	const char *text = getenv("PATTN_EMU_SEED");
	int64_t value = 0;

	if (text && (!str_to_int(text, &value) || value < 0))
		return err_set(
			err, ERR_USAGE, "PATTN_EMU_SEED is '%s'; a number >= 0 is wanted", text);
	*seed = (uint64_t)value;
	return 0;
}

static void emu_close(struct gpu_device *device)
{
	mem_free(device);
}

static struct gpu_device *emu_open(
	const struct device_options *options, struct gpu_limits *limits, struct err *err)
{
	const struct emu_library *library = emu_library(err);
	const struct model *model = model_find(options->emu, err);
	struct gpu_device *device;

	if (!library || !model)
		return NULL;
	device = mem_new(1, sizeof *device, "device", err);
	if (!device || seed_read(&device->seed, err)) {
		mem_free(device);
		return NULL;
	}
	device->library = library;
	device->workers = options->threads ? options->threads : team_processors();
	device->shared = model->shared;
	*limits = (struct gpu_limits){.units = model->units,
		.warp = SIMT_WARP,
		.memory = mem_available(),
		.shared = model->shared,
		.matrix = true};
	snprintf(limits->model, sizeof limits->model, "emulated %s", model->architecture);
	snprintf(limits->architecture, sizeof limits->architecture, "%s", model->architecture);
	return device;
}

static void *emu_alloc(struct gpu_device *device, int64_t bytes, int64_t guard, struct err *err)
{
	return memory_alloc(&device->memory, bytes, guard, err);
}

static void emu_free(struct gpu_device *device, void *memory)
{
	memory_free(&device->memory, memory);
}

static int emu_copy(
	struct gpu_device *device, void *to, const void *from, int64_t bytes, struct err *err)
{
	(void)device, (void)err;
	if (bytes)
		memcpy(to, from, (size_t)bytes);
	return 0;
}

static int emu_fill(
	struct gpu_device *device, void *memory, int byte, int64_t bytes, struct err *err)
{
	(void)device, (void)err;
	memset(memory, byte, (size_t)bytes);
	return 0;
}

static bool emu_builtin(const struct gpu_source *source, struct gpu_code *code)
{
	struct err err;
	const struct emu_library *library = emu_library(&err);
	size_t room = sizeof BUILTIN + strlen(source->instance);

	if (!library || !emu_kernel_find(library->handle, source->instance))
		return false;
	code->bytes = mem_new((int64_t)room, 1, "kernel name", &err);
	if (!code->bytes)
		return false;
	snprintf(code->bytes, room, BUILTIN "%s", source->instance);
	code->count = (int64_t)room;
	return true;
}

static void emu_unload(struct gpu_device *device, struct gpu_module *module)
{
	(void)device;
	if (!module)
		return;
	if (module->file >= 0) {
		if (module->handle)
			dlclose(module->handle);
		close(module->file);
	}
	mem_free(module);
}

/* The file stays open as long as the module is loaded: its name is its number, and the loader takes
 * two files of one name for the same. */
static int object_load(struct gpu_module *module, const struct gpu_code *code, struct err *err)
{
	char path[64];

	module->file = memfd_create("kernel", MFD_CLOEXEC);
	if (module->file < 0 ||
		write(module->file, code->bytes, (size_t)code->count) != (ssize_t)code->count)
		return err_set(err, ERR_UNAVAILABLE, "no memory for a kernel's code");
	snprintf(path, sizeof path, "/proc/self/fd/%d", module->file);
	module->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!module->handle)
		return err_set(err, ERR_UNAVAILABLE, "loading a kernel: %s", dlerror());
	return 0;
}

static struct gpu_module *emu_load(
	struct gpu_device *device, const struct gpu_code *code, struct err *err)
{
	struct gpu_module *module = mem_new(1, sizeof *module, "kernel", err);

	if (!module)
		return NULL;
	if (code->count > (int64_t)sizeof BUILTIN &&
		!memcmp(code->bytes, BUILTIN, sizeof BUILTIN - 1)) {
		module->handle = device->library->handle;
		module->file = -1;
		return module;
	}
	if (object_load(module, code, err)) {
		emu_unload(device, module);
		return NULL;
	}
	return module;
}

static struct gpu_function *emu_function(struct gpu_device *device, struct gpu_module *module,
	const struct gpu_source *source, int64_t shared, struct err *err)
{
	struct gpu_function *function = &module->function;

	if (shared > device->shared) {
		err_set(err, ERR_UNAVAILABLE,
			"%s: a block may have %lld bytes of shared memory, not %lld",
			source->instance, (long long)device->shared, (long long)shared);
		return NULL;
	}
	function->kernel = emu_kernel_find(module->handle, source->instance);
	snprintf(function->name, sizeof function->name, "%s", source->instance);
	if (function->kernel)
		return function;
	err_set(err, ERR_UNAVAILABLE, "%s: not in the compiled kernel", source->instance);
	return NULL;
}

static int emu_launch(struct gpu_device *device, struct gpu_function *function,
	const struct gpu_launch *launch, struct err *err)
{
	char error[512];
	struct simt_launch simt = {.kernel = function->kernel,
		.name = function->name,
		.args = launch->args,
		.grid_x = launch->grid[0],
		.grid_y = launch->grid[1],
		.threads = launch->threads,
		.shared = (size_t)launch->shared,
		.workers = device->workers,
		.seed = device->seed};
	int result;

	memory_guard(&device->memory, true);
	result = device->library->run(&simt, error, sizeof error);
	memory_guard(&device->memory, false);
	return result ? err_set(err, ERR_UNAVAILABLE, "%s", error) : 0;
}

/* A launch has ended when it returns. */
static int emu_wait(struct gpu_device *device, struct err *err)
{
	(void)device, (void)err;
	return 0;
}

static int emu_mark(struct gpu_device *device, enum gpu_mark mark, struct err *err)
{
	(void)err;
	device->marks[mark] = clock_seconds();
	return 0;
}

static int emu_elapsed(struct gpu_device *device, double *seconds, struct err *err)
{
	(void)err;
	*seconds = device->marks[GPU_STOP] - device->marks[GPU_START];
	return 0;
}

static const char *const header_folders[] = {"kernels/gpu/", "kernels/emu/simt/", NULL};

static const struct gpu_driver emu_driver = {
	.folder = "kernels/cuda/",
	.headers = header_folders,
	.options = emu_options,
	.probe = emu_probe,
	.open = emu_open,
	.close = emu_close,
	.alloc = emu_alloc,
	.free = emu_free,
	.copy_in = emu_copy,
	.copy_out = emu_copy,
	.fill = emu_fill,
	.compiler = emu_compiler,
	.compile = emu_compile,
	.builtin = emu_builtin,
	.load = emu_load,
	.unload = emu_unload,
	.function = emu_function,
	.launch = emu_launch,
	.wait = emu_wait,
	.mark = emu_mark,
	.elapsed = emu_elapsed,
};

static struct device *open_backend(const struct device_options *options, struct err *err)
{
	return gpu_open(&cuda_emu_backend, &emu_driver, options, err);
}

const struct backend cuda_emu_backend = {
	.name = "cuda-emu",
	.summary = "CUDA kernels on an emulated GPU: proves results, tells no times",
	.emulated = true,
	.probe = emu_probe,
	.open = open_backend,
	GPU_BACKEND_SLOTS,
};
