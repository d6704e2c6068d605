#include "kernels/gpu/gpu.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "kernels/gpu/cache.h"
#include "kernels/gpu/plan.h"
#include "kernels/gpu/tiles.h"

#define GRID_X_MAX INT64_C(0x7fffffff)
#define GRID_Y_MAX INT64_C(65535)

/* What the kernels of this device are made of. */
static uint64_t code_hash(const struct gpu *gpu)
{
	uint64_t hash = gpu->sources.hash;

	for (const char *const *option = gpu->driver->options; *option; option++)
		hash = hash_bytes(hash, *option, strlen(*option) + 1);
	return hash;
}

static int describe(struct gpu *gpu, int index, struct err *err)
{
	struct device_info *info = &gpu->device.info;
	const struct gpu_limits *limits = &gpu->limits;
	char compiler[96];

	if (gpu->driver->compiler(compiler, err))
		return -1;
	snprintf(info->name, sizeof info->name, "%s:%d", gpu->device.backend->name, index);
	snprintf(info->model, sizeof info->model, "%s", limits->model);
	snprintf(info->architecture, sizeof info->architecture, "%s", limits->architecture);
	snprintf(info->driver, sizeof info->driver, "%s", limits->driver);
	snprintf(info->compiler, sizeof info->compiler, "%s", compiler);
	snprintf(info->code, sizeof info->code, "%016" PRIx64, code_hash(gpu));
	info->units = limits->units;
	info->memory = limits->memory;
	return 0;
}

struct device *gpu_open(const struct backend *backend, const struct gpu_driver *driver,
	const struct device_options *options, struct err *err)
{
	struct gpu *gpu;

	if (options->isa) {
		err_set(err, ERR_USAGE, "--isa %s is for --device cpu", options->isa);
		return NULL;
	}
	gpu = mem_new(1, sizeof *gpu, "device", err);
	if (!gpu)
		return NULL;
	gpu->device.backend = backend;
	gpu->driver = driver;
	gpu->from_folder = options->kernel_dir != NULL;
	cache_folder(&gpu->cache);
	if (sources_init(&gpu->sources, driver, options->kernel_dir, err))
		goto failed;
	gpu->handle = driver->open(options, &gpu->limits, err);
	if (!gpu->handle || describe(gpu, options->index, err))
		goto failed;
	return &gpu->device;
failed:
	gpu_close(&gpu->device);
	return NULL;
}

void gpu_close(struct device *device)
{
	struct gpu *gpu = gpu_of(device);

	if (gpu->handle)
		gpu->driver->close(gpu->handle);
	sources_release(&gpu->sources);
	str_release(&gpu->cache);
	mem_free(gpu);
}

static bool no(struct reason *reason, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool no(struct reason *reason, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(reason->text, sizeof reason->text, format, args);
	va_end(args);
	return false;
}

bool gpu_usable(const struct device *device, const struct schedule *schedule,
	const struct problem *problem, struct reason *reason)
{
	const struct gpu *gpu = gpu_of(device);
	const struct gpu_limits *limits = &gpu->limits;
	int64_t shared = gpu_plan_shared(gpu->driver->maker, schedule, problem->dtype);

	if (schedule->matrix && problem->dtype == DTYPE_F32)
		return no(reason, "needs 16-bit operands: bf16 or f16");
	if (schedule->matrix && !limits->matrix)
		return no(reason, "needs a matrix unit with m16n8k16 (sm_80 or later)");
	if (shared > limits->shared)
		return no(reason,
			"needs %" PRId64 " bytes of shared memory a block; %s gives %" PRId64,
			shared, limits->architecture, limits->shared);
	if (problem->heads > GRID_Y_MAX)
		return no(reason, "launches at most %" PRId64 " heads", GRID_Y_MAX);
	if (tiles_count(problem, schedule->rows) > GRID_X_MAX)
		return no(reason, "launches at most %" PRId64 " tiles", GRID_X_MAX);
	return true;
}

int gpu_flush(struct device *device, struct err *err)
{
	const struct gpu *gpu = gpu_of(device);

	return gpu->driver->flush ? gpu->driver->flush(gpu->handle, err) : 0;
}

void gpu_sense(struct device *device, struct sensed *sensed)
{
	const struct gpu *gpu = gpu_of(device);

	*sensed = (struct sensed){0};
	if (gpu->driver->sense)
		gpu->driver->sense(gpu->handle, sensed);
}
