#include <stdio.h>

#include "kernels/gpu/code.h"
#include "kernels/gpu/gpu.h"
#include "kernels/gpu/peak.h"

#define RUNS          10 /* the best of which counts */
#define ROUNDS        4096
#define BLOCKS_A_UNIT 8
#define LEAST_MEMORY  (INT64_C(1) << 28)
#define QUAD          16 /* bytes */

/* Of a product of a whole warp. */
static const double product_flops[GPU_MAKERS] = {2.0 * 16 * 8 * 16, 2.0 * 16 * 16 * 16};

/* Work a second of the kernel `entry`, which does `work` over `args` by each of its blocks. */
static int best_rate(const struct gpu *gpu, const char *entry, const struct args *args, double work,
	double *rate, struct err *err)
{
	const struct gpu_driver *driver = gpu->driver;
	struct gpu_launch launch = {
		.grid = {(unsigned)args->heads, 1}, .threads = PEAK_THREADS, .args = args};
	struct gpu_instance instance = {.defines = {"-DHEAD_DIM=64", "-DELEM=1", NULL}};
	struct gpu_code_loaded loaded;
	double best = 0;
	int result;

	snprintf(instance.name, sizeof instance.name, "%s", entry);
	result = code_load(gpu, entry, &instance, 0, &loaded, err);
	for (int i = 0; i < RUNS && !result; i++) {
		double seconds = 0;

		result = driver->mark(gpu->handle, GPU_START, err) ||
					 driver->launch(
						 gpu->handle, loaded.function, &launch, err) ||
					 driver->mark(gpu->handle, GPU_STOP, err) ||
					 driver->elapsed(gpu->handle, &seconds, err)
				 ? -1
				 : 0;
		if (!i || seconds < best)
			best = seconds;
	}
	code_unload(gpu, &loaded);
	*rate = best > 0 ? work * args->heads / best : 0;
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
	int blocks = gpu->limits.units * BLOCKS_A_UNIT, warps = PEAK_THREADS / gpu->limits.warp;
	void *memory = gpu->driver->alloc(gpu->handle, bytes, 0, err);
	void *sink = memory ? gpu->driver->alloc(gpu->handle, QUAD, 0, err) : NULL;
	struct args rounds = {.delta = sink, .heads = blocks, .tokens = ROUNDS};
	struct args quads = {.qkv = memory, .delta = sink, .heads = blocks, .tokens = bytes / QUAD};
	int result = -1;

	if (sink && !gpu->driver->fill(gpu->handle, memory, 0x3c, bytes, err) &&
		!best_rate(gpu, "peak_multiply", &rounds,
			product_flops[gpu->driver->maker] * PEAK_CHAINS * ROUNDS * warps,
			&ceiling->flops, err) &&
		!best_rate(gpu, "peak_exponent", &rounds, 1.0 * PEAK_CHAINS * ROUNDS * PEAK_THREADS,
			&ceiling->exponentials, err) &&
		!best_rate(gpu, "peak_read", &quads, (double)bytes / blocks, &ceiling->bytes, err))
		result = 0;
	ceiling->apart = true;
	gpu->driver->free(gpu->handle, sink);
	gpu->driver->free(gpu->handle, memory);
	return result;
}
