#include <string.h>

#include "base/mem.h"
#include "kernels/gpu/cache.h"
#include "kernels/gpu/gpu.h"
#include "kernels/gpu/plan.h"
#include "kernels/gpu/tiles.h"
#include "kernels/gpu/workload.h"

/* One launch of a pass. */
struct step {
	struct gpu_module *module;
	struct gpu_function *function;
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

/* Code from the tool itself, from the cache, or from the compiler: the first that has it. */
static int find_code(const struct gpu *gpu, const struct gpu_source *source, struct gpu_code *code,
	struct err *err)
{
	const struct gpu_driver *driver = gpu->driver;
	const char *folder = gpu->cache.length ? gpu->cache.text : NULL;
	uint64_t key;

	if (driver->builtin && !gpu->from_folder && driver->builtin(source, code))
		return 0;
	key = cache_key(
		source, driver->options, gpu->limits.architecture, gpu->device.info.compiler);
	if (folder && cache_read(folder, source->instance, key, code))
		return 0;
	if (driver->compile(source, gpu->limits.architecture, code, NULL, err))
		return err_prefix(err, "%s", source->kernel.name);
	if (folder)
		cache_write(folder, source->instance, key, code);
	return 0;
}

static int step_init(struct gpu_kernel *kernel, const struct gpu_entry *entry, struct err *err)
{
	const struct gpu *gpu = gpu_of_kernel(kernel);
	const struct schedule *schedule = kernel->kernel.schedule;
	const struct problem *problem = kernel->kernel.workload->problem;
	struct step *step = &kernel->steps[kernel->step_count++];
	struct gpu_instance instance;
	struct gpu_source source;
	struct gpu_code code = {0};

	gpu_instance_init(&instance, entry, schedule, problem->dtype);
	source = (struct gpu_source){
		.instance = instance.name,
		.entry = entry->name,
		.kernel = *sources_kernel(&gpu->sources, entry->name),
		.headers = gpu->sources.headers,
		.header_count = gpu->sources.header_count,
		.defines = instance.defines,
	};
	step->launch = (struct gpu_launch){
		.grid = {(unsigned)kernel->tile_count, (unsigned)problem->heads},
		.threads = (unsigned)gpu_entry_threads(entry, schedule),
		.shared = gpu_entry_shared(entry, schedule, problem->dtype),
		.args = &kernel->args,
	};
	if (find_code(gpu, &source, &code, err))
		return -1;
	step->module = gpu->driver->load(gpu->handle, &code, err);
	mem_free(code.bytes);
	if (!step->module)
		return -1;
	step->function =
		gpu->driver->function(gpu->handle, step->module, &source, step->launch.shared, err);
	return step->function ? 0 : -1;
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
		.scratch = gpu_plan_shared(schedule, workload->problem->dtype)};
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
			if (gpu->driver->launch(gpu->handle, kernel->steps[i].function,
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
		gpu->driver->unload(gpu->handle, own->steps[i].module);
	gpu->driver->free(gpu->handle, own->tiles);
	mem_free(own);
}
