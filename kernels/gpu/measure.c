#include "base/mem.h"
#include "kernels/gpu/code.h"
#include "kernels/gpu/gpu.h"
#include "kernels/gpu/peak.h"

#define RUNS            10 /* the best of which counts */
#define ROUNDS          4096
#define BLOCKS_A_UNIT   8
#define FLOPS_A_PRODUCT (2.0 * 16 * 8 * 16)
#define LEAST_MEMORY    (INT64_C(1) << 28)
#define QUAD            16 /* bytes */

static const struct gpu_instance multiply = {
	.name = "peak_multiply", .defines = {"-DHEAD_DIM=64", "-DELEM=1", NULL}};
static const struct gpu_instance read_memory = {
	.name = "peak_read", .defines = {"-DHEAD_DIM=64", "-DELEM=1", NULL}};

/* The least time of `instance` over `args`. */
static int best_seconds(const struct gpu *gpu, const struct gpu_instance *instance,
	const struct args *args, double *best, struct err *err)
{
	const struct gpu_driver *driver = gpu->driver;
	struct gpu_launch launch = {
		.grid = {(unsigned)args->heads, 1}, .threads = PEAK_THREADS, .args = args};
	struct gpu_code_loaded loaded;
	int result = code_load(gpu, instance->name, instance, 0, &loaded, err);

	*best = 0;
	for (int i = 0; i < RUNS && !result; i++) {
		double seconds = 0;

		result = driver->mark(gpu->handle, GPU_START, err) ||
					 driver->launch(
						 gpu->handle, loaded.function, &launch, err) ||
					 driver->mark(gpu->handle, GPU_STOP, err) ||
					 driver->elapsed(gpu->handle, &seconds, err)
				 ? -1
				 : 0;
		if (!i || seconds < *best)
			*best = seconds;
	}
	code_unload(gpu, &loaded);
	return result;
}

/* Enough that the cache holds little of it, and a small part of the device's memory. */
static int64_t memory_to_read(const struct gpu_limits *limits)
{
	int64_t bytes = 16 * limits->cache;

	if (bytes < LEAST_MEMORY)
		bytes = LEAST_MEMORY;
	if (bytes > limits->memory / 4)
		bytes = limits->memory / 4;
	return bytes;
}

int gpu_measure(struct device *device, struct ceiling *ceiling, struct err *err)
{
	const struct gpu *gpu = gpu_of(device);
	int64_t bytes = memory_to_read(&gpu->limits);
	int blocks = gpu->limits.units * BLOCKS_A_UNIT, result = -1;
	void *memory = gpu->driver->alloc(gpu->handle, bytes, 0, err);
	void *sink = gpu->driver->alloc(gpu->handle, QUAD, 0, err);
	struct args args = {.qkv = memory, .delta = sink, .heads = blocks};
	double seconds;

	if (!memory || !sink || gpu->driver->fill(gpu->handle, memory, 0x3c, bytes, err))
		goto out;
	args.tokens = ROUNDS;
	if (best_seconds(gpu, &multiply, &args, &seconds, err))
		goto out;
	ceiling->flops = FLOPS_A_PRODUCT * PEAK_CHAINS * ROUNDS *
			 (PEAK_THREADS / gpu->limits.warp) * blocks / seconds;
	args.tokens = bytes / QUAD;
	if (best_seconds(gpu, &read_memory, &args, &seconds, err))
		goto out;
	ceiling->bytes = (double)bytes / seconds;
	result = 0;
out:
	gpu->driver->free(gpu->handle, sink);
	gpu->driver->free(gpu->handle, memory);
	return result;
}
