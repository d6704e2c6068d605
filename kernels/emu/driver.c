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

/* What the emulator pretends to be: multiprocessors, lanes of a warp and the most shared memory a
 * block gets. The first of a maker's is what stands for none in particular. */
static const struct model {
	const char *architecture;
	enum gpu_maker maker;
	int units, warp;
	int64_t shared;
} models[] = {
	{"sm_90", GPU_NVIDIA, 132, 32, 232448},
	{"sm_80", GPU_NVIDIA, 108, 32, 166912},
	{"sm_86", GPU_NVIDIA, 84, 32, 101376},
	{"sm_89", GPU_NVIDIA, 128, 32, 101376},
	{"sm_100", GPU_NVIDIA, 148, 32, 232448},
	{"sm_120", GPU_NVIDIA, 170, 32, 101376},
	{"gfx942", GPU_AMD, 304, 64, 65536},
	{"gfx90a", GPU_AMD, 104, 64, 65536},
	{"gfx950", GPU_AMD, 256, 64, 163840},
	{"gfx1100", GPU_AMD, 96, 32, 65536},
	{"gfx1151", GPU_AMD, 40, 32, 65536},
	{"gfx1200", GPU_AMD, 32, 32, 65536},
	{"gfx1201", GPU_AMD, 64, 32, 65536},
};
#define MODELS ((int)(sizeof models / sizeof *models))

struct gpu_device {
	const struct emu_library *library;
	const struct model *model;
	struct memory memory;
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

static const struct model *model_find(
	enum gpu_maker maker, const char *architecture, struct err *err)
{
	struct str names = {0};

	for (int i = 0; i < MODELS; i++)
		if (models[i].maker == maker &&
			(!architecture || !strcmp(models[i].architecture, architecture)))
			return &models[i];
	for (int i = 0; i < MODELS; i++)
		if (models[i].maker == maker)
			str_addf(&names, "%s%s", names.length ? ", " : "", models[i].architecture);
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

static struct gpu_device *open_model(enum gpu_maker maker, const struct device_options *options,
	struct gpu_limits *limits, struct err *err)
{
	const struct emu_library *library = emu_library(err);
	const struct model *model = model_find(maker, options->emu, err);
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
	device->model = model;
	*limits = (struct gpu_limits){.units = model->units,
		.warp = model->warp,
		.memory = mem_available(),
		.shared = model->shared,
		.matrix = true};
	snprintf(limits->model, sizeof limits->model, "emulated %s", model->architecture);
	snprintf(limits->architecture, sizeof limits->architecture, "%s", model->architecture);
	return device;
}

static struct gpu_device *open_cuda(
	const struct device_options *options, struct gpu_limits *limits, struct err *err)
{
	return open_model(GPU_NVIDIA, options, limits, err);
}

static struct gpu_device *open_hip(
	const struct device_options *options, struct gpu_limits *limits, struct err *err)
{
	return open_model(GPU_AMD, options, limits, err);
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

#define SYMBOL_ROOM 96

/* What came with the library for AMD is there once for each generation. */
static void symbol_of(const struct model *model, const struct gpu_module *module,
	const char *instance, char symbol[SYMBOL_ROOM])
{
	if (module->file < 0 && model->maker == GPU_AMD)
		snprintf(symbol, SYMBOL_ROOM, "gfx%d_%s", emu_gfx(model->architecture), instance);
	else
		snprintf(symbol, SYMBOL_ROOM, "%s", instance);
}

static struct gpu_function *emu_function(struct gpu_device *device, struct gpu_module *module,
	const struct gpu_source *source, int64_t shared, struct err *err)
{
	struct gpu_function *function = &module->function;
	char symbol[SYMBOL_ROOM];

	if (shared > device->model->shared) {
		err_set(err, ERR_UNAVAILABLE,
			"%s: a block may have %lld bytes of shared memory, not %lld",
			source->instance, (long long)device->model->shared, (long long)shared);
		return NULL;
	}
	symbol_of(device->model, module, source->instance, symbol);
	function->kernel = emu_kernel_find(module->handle, symbol);
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
		.warp = (unsigned)device->model->warp,
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

/* All but whose kernels run. */
#define EMU_DRIVER_SLOTS                                                                           \
	.headers = header_folders, .options = emu_options, .probe = emu_probe, .close = emu_close, \
	.alloc = emu_alloc, .free = emu_free, .copy_in = emu_copy, .copy_out = emu_copy,           \
	.fill = emu_fill, .compiler = emu_compiler, .compile = emu_compile,                        \
	.builtin = emu_builtin, .load = emu_load, .unload = emu_unload, .function = emu_function,  \
	.launch = emu_launch, .wait = emu_wait, .mark = emu_mark, .elapsed = emu_elapsed

static const struct gpu_driver cuda_emu_driver = {
	.maker = GPU_NVIDIA, .folder = "kernels/cuda/", .open = open_cuda, EMU_DRIVER_SLOTS};
static const struct gpu_driver hip_emu_driver = {
	.maker = GPU_AMD, .folder = "kernels/hip/", .open = open_hip, EMU_DRIVER_SLOTS};

static struct device *open_cuda_backend(const struct device_options *options, struct err *err)
{
	return gpu_open(&cuda_emu_backend, &cuda_emu_driver, options, err);
}

static struct device *open_hip_backend(const struct device_options *options, struct err *err)
{
	return gpu_open(&hip_emu_backend, &hip_emu_driver, options, err);
}

const struct backend cuda_emu_backend = {
	.name = "cuda-emu",
	.summary = "CUDA kernels on an emulated GPU: proves results, tells no times",
	.emulated = true,
	.probe = emu_probe,
	.open = open_cuda_backend,
	GPU_BACKEND_SLOTS,
};

const struct backend hip_emu_backend = {
	.name = "hip-emu",
	.summary = "HIP kernels on an emulated GPU: proves results, tells no times",
	.emulated = true,
	.probe = emu_probe,
	.open = open_hip_backend,
	GPU_BACKEND_SLOTS,
};
