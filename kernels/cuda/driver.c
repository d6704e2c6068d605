#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/cuda/api.h"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/nvrtc.h"
#include "kernels/gpu/gpu.h"

struct gpu_device {
	const struct cuda_api *api;
	int index;
	struct cuda_context *context;
	struct cuda_stream *stream;
	struct cuda_event *marks[2]; /* by enum gpu_mark */
	bool capturing;
	void *flushed; /* memory larger than the cache; NULL: none yet */
	int64_t flushed_bytes;
	const struct nvml_api *nvml; /* NULL: no word on clocks */
	struct nvml_device *monitor;
};

/* 0 for success, else -1 with what the driver says about `doing` in `err`. */
static int check(const struct cuda_api *api, int status, const char *doing, struct err *err)
{
	const char *name = NULL, *text = NULL;

	if (!status)
		return 0;
	api->error_name(status, &name);
	api->error_text(status, &text);
	return err_set(err, ERR_UNAVAILABLE, "%s: %s (%s)", doing,
		text ? text : "the driver knows no more", name ? name : "unknown error");
}

static int cuda_probe(struct err *err)
{
	const struct cuda_api *api = cuda_load(err);
	int count = 0;

	if (!api || check(api, api->device_count(&count), "counting GPUs", err))
		return -1;
	if (!count)
		return err_set(err, ERR_UNAVAILABLE,
			"the NVIDIA driver finds no GPU; look at nvidia-smi and "
			"CUDA_VISIBLE_DEVICES");
	if (!nvrtc_load(err))
		return -1;
	return count;
}

static int attribute(const struct gpu_device *device, int which)
{
	int value = 0;

	device->api->device_attribute(&value, which, device->index);
	return value;
}

static int read_limits(const struct gpu_device *device, struct gpu_limits *limits, struct err *err)
{
	const struct cuda_api *api = device->api;
	int major = attribute(device, CUDA_CAPABILITY_MAJOR), version = 0;
	size_t bytes = 0;

	*limits = (struct gpu_limits){
		.units = attribute(device, CUDA_MULTIPROCESSORS),
		.warp = attribute(device, CUDA_WARP_SIZE),
		.cache = attribute(device, CUDA_L2_BYTES),
		.shared = attribute(device, CUDA_SHARED_OPTIN),
		.matrix = major >= 8,
	};
	if (check(api, api->device_memory(&bytes, device->index), "reading the memory size", err) ||
		check(api, api->device_name(limits->model, sizeof limits->model, device->index),
			"reading the GPU's name", err) ||
		check(api, api->driver_version(&version), "reading the driver's version", err))
		return -1;
	limits->memory = (int64_t)bytes;
	snprintf(limits->architecture, sizeof limits->architecture, "sm_%d%d", major,
		attribute(device, CUDA_CAPABILITY_MINOR));
	snprintf(limits->driver, sizeof limits->driver, "CUDA %d.%d", version / 1000,
		version % 1000 / 10);
	return 0;
}

/* Clocks are read, and the driver is known by its release, where NVML is to be had; without it a
 * run goes on unwatched. */
static void find_monitor(struct gpu_device *device, struct gpu_limits *limits)
{
	const struct nvml_api *nvml = nvml_load();
	size_t used = strlen(limits->driver);
	char bus[32], release[64];

	if (!nvml)
		return;
	if (!nvml->driver_version(release, sizeof release))
		snprintf(limits->driver + used, sizeof limits->driver - used, ", driver %s",
			release);
	if (!device->api->device_bus_id(bus, sizeof bus, device->index) &&
		!nvml->device(bus, &device->monitor))
		device->nvml = nvml;
}

static void cuda_close(struct gpu_device *device)
{
	const struct cuda_api *api = device->api;

	if (device->flushed)
		api->free(device->flushed);
	for (int i = 0; i < 2; i++)
		if (device->marks[i])
			api->event_destroy(device->marks[i]);
	if (device->stream)
		api->stream_destroy(device->stream);
	if (device->context)
		api->context_release(device->index);
	mem_free(device);
}

static struct gpu_device *cuda_open(
	const struct device_options *options, struct gpu_limits *limits, struct err *err)
{
	const struct cuda_api *api = cuda_load(err);
	struct gpu_device *device;

	if (!api)
		return NULL;
	if (options->emu) {
		err_set(err, ERR_USAGE, "--emu %s is for --device cuda-emu", options->emu);
		return NULL;
	}
	device = mem_new(1, sizeof *device, "device", err);
	if (!device)
		return NULL;
	device->api = api;
	if (check(api, api->device_get(&device->index, options->index), "opening the GPU", err) ||
		check(api, api->context_retain(&device->context, device->index), "opening the GPU",
			err) ||
		check(api, api->context_use(device->context), "opening the GPU", err) ||
		check(api, api->stream_create(&device->stream, CUDA_STREAM_NON_BLOCKING),
			"opening a stream", err) ||
		check(api, api->event_create(&device->marks[GPU_START], 0), "making an event",
			err) ||
		check(api, api->event_create(&device->marks[GPU_STOP], 0), "making an event",
			err) ||
		read_limits(device, limits, err)) {
		cuda_close(device);
		return NULL;
	}
	device->flushed_bytes = 2 * limits->cache;
	find_monitor(device, limits);
	return device;
}

static void *cuda_alloc(struct gpu_device *device, int64_t bytes, int64_t guard, struct err *err)
{
	void *memory = NULL;
	char size[32];
	int64_t whole;

	if (!mem_add(bytes, guard, &whole)) {
		err_set(err, ERR_UNAVAILABLE, "the size does not fit 63 bits");
		return NULL;
	}
	if (check(device->api, device->api->alloc(&memory, (size_t)whole), "device memory", err)) {
		err_prefix(err, "%s", str_bytes(whole, size));
		return NULL;
	}
	return memory;
}

static void cuda_free(struct gpu_device *device, void *memory)
{
	if (memory)
		device->api->free(memory);
}

static int cuda_wait(struct gpu_device *device, struct err *err)
{
	return check(device->api, device->api->stream_wait(device->stream), "running kernels", err);
}

static int cuda_copy_in(
	struct gpu_device *device, void *to, const void *from, int64_t bytes, struct err *err)
{
	if (!bytes)
		return 0;
	if (check(device->api, device->api->copy_in(to, from, (size_t)bytes, device->stream),
		    "copying to the GPU", err))
		return -1;
	return cuda_wait(device, err);
}

static int cuda_copy_out(
	struct gpu_device *device, void *to, const void *from, int64_t bytes, struct err *err)
{
	if (!bytes)
		return 0;
	if (check(device->api, device->api->copy_out(to, from, (size_t)bytes, device->stream),
		    "copying from the GPU", err))
		return -1;
	return cuda_wait(device, err);
}

static int cuda_fill(
	struct gpu_device *device, void *memory, int byte, int64_t bytes, struct err *err)
{
	if (!bytes)
		return 0;
	return check(device->api,
		device->api->fill(memory, (unsigned char)byte, (size_t)bytes, device->stream),
		"filling memory", err);
}

static struct gpu_module *cuda_module_load(
	struct gpu_device *device, const struct gpu_code *code, struct err *err)
{
	struct cuda_module *module = NULL;

	if (check(device->api, device->api->module_load(&module, code->bytes), "loading a kernel",
		    err))
		return NULL;
	return (struct gpu_module *)module;
}

static void cuda_module_unload(struct gpu_device *device, struct gpu_module *module)
{
	if (module)
		device->api->module_unload((struct cuda_module *)module);
}

static struct gpu_function *cuda_function_find(struct gpu_device *device, struct gpu_module *module,
	const struct gpu_source *source, int64_t shared, struct err *err)
{
	const struct cuda_api *api = device->api;
	struct cuda_function *function = NULL;

	if (check(api, api->module_function(&function, (struct cuda_module *)module, source->entry),
		    "finding a kernel", err) ||
		check(api,
			api->function_attribute(
				function, CUDA_FUNCTION_DYNAMIC_SHARED, (int)shared),
			"asking for shared memory", err)) {
		err_prefix(err, "%s", source->instance);
		return NULL;
	}
	return (struct gpu_function *)function;
}

static int cuda_launch(struct gpu_device *device, struct gpu_function *function,
	const struct gpu_launch *launch, struct err *err)
{
	void *arguments[] = {(void *)launch->args};

	return check(device->api,
		device->api->launch((struct cuda_function *)function, launch->grid[0],
			launch->grid[1], 1, launch->threads, 1, 1, (unsigned)launch->shared,
			device->stream, arguments, NULL),
		"launching a kernel", err);
}

static int cuda_mark(struct gpu_device *device, enum gpu_mark mark, struct err *err)
{
	unsigned flags = device->capturing ? CUDA_RECORD_EXTERNAL : 0;

	return check(device->api,
		device->api->event_record(device->marks[mark], device->stream, flags),
		"recording an event", err);
}

static int cuda_elapsed(struct gpu_device *device, double *seconds, struct err *err)
{
	float milliseconds = 0;

	if (cuda_wait(device, err) ||
		check(device->api,
			device->api->event_elapsed(
				&milliseconds, device->marks[GPU_START], device->marks[GPU_STOP]),
			"reading the GPU's clock", err))
		return -1;
	*seconds = milliseconds * 1e-3;
	return 0;
}

static int cuda_capture_begin(struct gpu_device *device, struct err *err)
{
	if (check(device->api,
		    device->api->capture_begin(device->stream, CUDA_CAPTURE_THREAD_LOCAL),
		    "capturing a graph", err))
		return -1;
	device->capturing = true;
	return 0;
}

static struct gpu_graph *cuda_capture_end(struct gpu_device *device, struct err *err)
{
	const struct cuda_api *api = device->api;
	struct cuda_graph *graph = NULL;
	struct cuda_graph_exec *exec = NULL;
	int status;

	device->capturing = false;
	if (check(api, api->capture_end(device->stream, &graph), "capturing a graph", err))
		return NULL;
	status = api->graph_instantiate(&exec, graph, 0);
	api->graph_destroy(graph);
	if (check(api, status, "building a graph", err))
		return NULL;
	return (struct gpu_graph *)exec;
}

static int cuda_replay(struct gpu_device *device, struct gpu_graph *graph, struct err *err)
{
	return check(device->api,
		device->api->graph_launch((struct cuda_graph_exec *)graph, device->stream),
		"launching a graph", err);
}

static void cuda_graph_free(struct gpu_device *device, struct gpu_graph *graph)
{
	if (graph)
		device->api->graph_exec_destroy((struct cuda_graph_exec *)graph);
}

/* Writing twice the cache's size leaves nothing of what was in it. */
static int cuda_flush(struct gpu_device *device, struct err *err)
{
	if (!device->flushed &&
		check(device->api,
			device->api->alloc(&device->flushed, (size_t)device->flushed_bytes),
			"memory to flush the cache with", err))
		return -1;
	return check(device->api,
		device->api->fill(
			device->flushed, 0, (size_t)device->flushed_bytes, device->stream),
		"flushing the cache", err);
}

static void cuda_sense(struct gpu_device *device, struct sensed *sensed)
{
	unsigned long long reasons = 0;
	unsigned megahertz = 0;

	if (!device->nvml)
		return;
	if (!device->nvml->throttle(device->monitor, &reasons))
		sensed->throttled = reasons & NVML_HELD_DOWN;
	if (!device->nvml->clock(device->monitor, NVML_CLOCK_SM, &megahertz))
		sensed->clock = megahertz * 1e6;
}

static const char *const header_folders[] = {"kernels/gpu/", NULL};

const struct gpu_driver cuda_driver = {
	.folder = "kernels/cuda/",
	.headers = header_folders,
	.options = nvrtc_options,
	.probe = cuda_probe,
	.open = cuda_open,
	.close = cuda_close,
	.alloc = cuda_alloc,
	.free = cuda_free,
	.copy_in = cuda_copy_in,
	.copy_out = cuda_copy_out,
	.fill = cuda_fill,
	.compiler = nvrtc_compiler,
	.compile = nvrtc_compile,
	.load = cuda_module_load,
	.unload = cuda_module_unload,
	.function = cuda_function_find,
	.launch = cuda_launch,
	.wait = cuda_wait,
	.mark = cuda_mark,
	.elapsed = cuda_elapsed,
	.capture_begin = cuda_capture_begin,
	.capture_end = cuda_capture_end,
	.replay = cuda_replay,
	.graph_free = cuda_graph_free,
	.flush = cuda_flush,
	.sense = cuda_sense,
};

static struct device *open_backend(const struct device_options *options, struct err *err)
{
	return gpu_open(&cuda_backend, &cuda_driver, options, err);
}

const struct backend cuda_backend = {
	.name = "cuda",
	.summary = "NVIDIA GPUs",
	.probe = cuda_probe,
	.open = open_backend,
	.measure = gpu_measure,
	GPU_BACKEND_SLOTS,
};
