#include "base/mem.h"
#include "kernels/gpu/code.h"
#include "kernels/gpu/gpu.h"
#include "kernels/gpu/plan.h"
#include "kernels/gpu/tiles.h"
#include "kernels/gpu/workload.h"

/* One launch of a pass. */
struct step {
	struct gpu_code_loaded code;
	struct gpu_launch launch;
};

struct gpu_kernel {
	struct kernel kernel;
	void *tiles; /* on the device */
	int64_t tile_count;
	struct args args;
	struct step steps[GPU_PLAN_MAX];
	int step_count;
	struct gpu_graph *graph; /* of `graph_passes` passes between two marks; NULL: none yet */
	int graph_passes;
};

static struct gpu_kernel *gpu_kernel_of(struct kernel *kernel)
{
	return (struct gpu_kernel *)kernel;
}

static const struct gpu *gpu_of_kernel(const struct gpu_kernel *kernel)
{
	return gpu_of(kernel->kernel.workload->device);
}

static int step_init(struct gpu_kernel *kernel, const struct gpu_entry *entry, struct err *err)
{
	const struct gpu *gpu = gpu_of_kernel(kernel);
	const struct schedule *schedule = kernel->kernel.schedule;
	const struct problem *problem = kernel->kernel.workload->problem;
	struct step *step = &kernel->steps[kernel->step_count++];
	struct gpu_instance instance;

	gpu_instance_init(&instance, entry, schedule, problem->dtype);
	step->launch = (struct gpu_launch){
		.grid = {(unsigned)kernel->tile_count, (unsigned)problem->heads},
		.threads = (unsigned)gpu_entry_threads(entry, schedule, gpu->limits.warp),
		.shared = gpu_entry_shared(gpu->driver->maker, entry, schedule, problem->dtype),
		.args = &kernel->args,
	};
	return code_load(gpu, entry->name, &instance, step->launch.shared, &step->code, err);
}

static int tiles_upload(struct gpu_kernel *kernel, struct err *err)
{
	const struct gpu *gpu = gpu_of_kernel(kernel);
	const struct problem *problem = kernel->kernel.workload->problem;
	int rows = kernel->kernel.schedule->rows;
	struct tile *tiles = tiles_new(problem, rows, err);
	int64_t bytes;
	int result = -1;

	if (!tiles)
		return -1;
	kernel->tile_count = tiles_count(problem, rows);
	bytes = kernel->tile_count * (int64_t)sizeof *tiles;
	kernel->tiles = gpu->driver->alloc(gpu->handle, bytes, GPU_GUARD, err);
	if (!kernel->tiles)
		goto out;
	kernel->args.tiles = kernel->tiles;
	kernel->args.tile_rows = rows;
	result = gpu->driver->copy_in(gpu->handle, kernel->tiles, tiles, bytes, err);
out:
	mem_free(tiles);
	return result;
}

struct kernel *gpu_prepare(
	struct workload *workload, const struct schedule *schedule, struct err *err)
{
	const struct gpu_workload *work = (const struct gpu_workload *)workload;
	const struct gpu_entry *plan[GPU_PLAN_MAX];
	int count = gpu_plan(schedule, plan);
	struct gpu_kernel *kernel = mem_new(1, sizeof *kernel, "kernel", err);

	if (!kernel)
		return NULL;
	kernel->kernel = (struct kernel){.workload = workload,
		.schedule = schedule,
		.scratch = gpu_plan_shared(gpu_of(workload->device)->driver->maker, schedule,
			workload->problem->dtype)};
	kernel->args = work->args;
	if (schedule->split)
		kernel->args.dq = NULL;
	if (tiles_upload(kernel, err))
		goto failed;
	for (int i = 0; i < count; i++)
		if (step_init(kernel, plan[i], err))
			goto failed;
	return &kernel->kernel;
failed:
	gpu_finish(&kernel->kernel);
	return NULL;
}

/* Enqueues `passes` passes between two marks. */
static int enqueue(const struct gpu_kernel *kernel, int passes, struct err *err)
{
	const struct gpu *gpu = gpu_of_kernel(kernel);
	int steps = kernel->tile_count ? kernel->step_count : 0;

	if (gpu->driver->mark(gpu->handle, GPU_START, err))
		return -1;
	for (int pass = 0; pass < passes; pass++)
		for (int i = 0; i < steps; i++)
			if (gpu->driver->launch(gpu->handle, kernel->steps[i].code.function,
				    &kernel->steps[i].launch, err))
				return -1;
	return gpu->driver->mark(gpu->handle, GPU_STOP, err);
}

/* The host launches a kernel no faster than a short one runs: a graph hands the device all at
 * once, marks included. */
static int capture(struct gpu_kernel *kernel, int passes, struct err *err)
{
	const struct gpu *gpu = gpu_of_kernel(kernel);
	struct err later; /* of less interest than what went wrong first */
	int result;

	gpu->driver->graph_free(gpu->handle, kernel->graph);
	kernel->graph = NULL;
	if (gpu->driver->capture_begin(gpu->handle, err))
		return -1;
	result = enqueue(kernel, passes, err);
	kernel->graph = gpu->driver->capture_end(gpu->handle, result ? &later : err);
	kernel->graph_passes = result ? 0 : passes;
	return kernel->graph ? result : -1;
}

int gpu_run(struct kernel *kernel, int passes, double *seconds, struct err *err)
{
	struct gpu_kernel *own = gpu_kernel_of(kernel);
	const struct gpu *gpu = gpu_of_kernel(own);
	const struct gpu_driver *driver = gpu->driver;
	bool captured = own->graph && own->graph_passes == passes;

	if (!driver->capture_begin) {
		if (enqueue(own, passes, err))
			return -1;
	} else if ((!captured && capture(own, passes, err)) ||
		   driver->replay(gpu->handle, own->graph, err)) {
		return -1;
	}
	return driver->elapsed(gpu->handle, seconds, err);
}

void gpu_finish(struct kernel *kernel)
{
	struct gpu_kernel *own = gpu_kernel_of(kernel);
	const struct gpu *gpu = gpu_of_kernel(own);

	if (gpu->driver->graph_free)
		gpu->driver->graph_free(gpu->handle, own->graph);
	for (int i = 0; i < own->step_count; i++)
		code_unload(gpu, &own->steps[i].code);
	gpu->driver->free(gpu->handle, own->tiles);
	mem_free(own);
}
