#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/gpu/gpu.h"
#include "kernels/hip/api.h"
#include "kernels/hip/hip.h"
#include "kernels/hip/hiprtc.h"

/* The most that any has behind the L2, of which HIP does not tell. */
#define MEMORY_SIDE_CACHE (INT64_C(256) << 20)

struct gpu_device {
	const struct hip_api *hip;
	int index;
	struct hip_stream *stream;
	struct hip_event *marks[2]; /* by enum gpu_mark */
	bool capturing;
	void *swept; /* memory larger than the cache; NULL: none yet */
	int64_t swept_bytes;
};

/* 0 for success, else -1 with what HIP says about `doing` in `err`. */
static int check(const struct hip_api *hip, int status, const char *doing, struct err *err)
{
	if (!status)
		return 0;
	return err_set(err, ERR_UNAVAILABLE, "%s: %s (%s)", doing, hip->error_text(status),
		hip->error_name(status));
}

static int hip_probe(struct err *err)
{
	const struct hip_api *hip = hip_load(err);
	int count = 0;

	if (!hip || check(hip, hip->device_count(&count), "counting GPUs", err) ||
		!hiprtc_load(err))
		return -1;
	return count;
}

/* "gfx90a" of the properties' "gfx90a:sramecc+:xnack-". Where in them that is differs between
 * releases: nothing else there begins like it. */
static int read_architecture(
	const struct gpu_device *device, char architecture[32], struct err *err)
{
	char properties[8192] = "";

	if (check(device->hip, device->hip->device_properties(properties, device->index),
		    "reading the GPU's properties", err))
		return -1;
	for (size_t at = 0; at + 32 < sizeof properties; at++) {
		const char *text = properties + at;

		if (memcmp(text, "gfx", 3) || !isdigit((unsigned char)text[3]))
			continue;
		snprintf(architecture, 32, "%.*s", (int)strcspn(text, ":"), text);
		return 0;
	}
	return err_set(err, ERR_UNAVAILABLE, "the HIP runtime names no architecture of the GPU");
}

/* Architectures with a matrix unit the kernels know, by what their names begin with. */
static const struct family {
	const char *prefix;
	int wave;
} families[] = {
	{"gfx90a", 64},
	{"gfx94", 64},
	{"gfx950", 64},
	{"gfx110", 32},
	{"gfx115", 32},
	{"gfx1200", 32},
	{"gfx1201", 32},
};
#define FAMILIES ((int)(sizeof families / sizeof *families))

static int check_family(const struct gpu_limits *limits, struct err *err)
{
	for (int i = 0; i < FAMILIES; i++)
		if (!strncmp(limits->architecture, families[i].prefix, strlen(families[i].prefix)))
			return limits->warp == families[i].wave
				       ? 0
				       : err_set(err, ERR_UNAVAILABLE,
						 "%s runs in waves of %d lanes here, not of %d",
						 limits->architecture, limits->warp,
						 families[i].wave);
	return err_set(err, ERR_UNAVAILABLE,
		"%s has no matrix unit that the HIP kernels use; they are for gfx90a, gfx94x, "
		"gfx950, "
		"gfx110x, gfx115x, gfx1200 and gfx1201",
		limits->architecture);
}

static int read_limits(struct gpu_device *device, struct gpu_limits *limits, struct err *err)
{
	const struct hip_api *hip = device->hip;
	const int index = device->index;
	int version = 0, units = 0, warp = 0, cache = 0, shared = 0;
	size_t bytes = 0;

	*limits = (struct gpu_limits){.matrix = true};
	if (check(hip, hip->device_name(limits->model, sizeof limits->model, index),
		    "reading the GPU's name", err) ||
		check(hip, hip->device_memory(&bytes, index), "reading the memory size", err) ||
		check(hip, hip->runtime_version(&version), "reading HIP's version", err) ||
		check(hip, hip->device_attribute(&units, HIP_COMPUTE_UNITS, index),
			"counting compute units", err) ||
		check(hip, hip->device_attribute(&warp, HIP_WAVE_SIZE, index),
			"reading the wave size", err) ||
		check(hip, hip->device_attribute(&cache, HIP_L2_BYTES, index),
			"reading the cache size", err) ||
		check(hip, hip->device_attribute(&shared, HIP_SHARED_BYTES, index),
			"reading the size of shared memory", err) ||
		read_architecture(device, limits->architecture, err))
		return -1;
	limits->memory = (int64_t)bytes;
	limits->units = units;
	limits->warp = warp;
	limits->cache = cache;
	limits->shared = shared;
	device->swept_bytes =
		2 * (limits->cache > MEMORY_SIDE_CACHE ? limits->cache : MEMORY_SIDE_CACHE);
	snprintf(limits->driver, sizeof limits->driver, "HIP %d.%d", version / 10000000,
		version / 100000 % 100);
	return check_family(limits, err);
}

static void hip_close(struct gpu_device *device)
{
	const struct hip_api *hip = device->hip;

	hip->free(device->swept);
	if (device->marks[GPU_START])
		hip->event_destroy(device->marks[GPU_START]);
	if (device->marks[GPU_STOP])
		hip->event_destroy(device->marks[GPU_STOP]);
	if (device->stream)
		hip->stream_destroy(device->stream);
	mem_free(device);
}

static struct gpu_device *hip_open(
	const struct device_options *options, struct gpu_limits *limits, struct err *err)
{
	const struct hip_api *hip;
	struct gpu_device *device;

	if (options->emu) {
		err_set(err, ERR_USAGE, "--emu %s is for --device hip-emu", options->emu);
		return NULL;
	}
	hip = hip_load(err);
	device = hip ? mem_new(1, sizeof *device, "device", err) : NULL;
	if (!device)
		return NULL;
	*device = (struct gpu_device){.hip = hip, .index = options->index};
	if (!check(hip, hip->device_use(device->index), "opening the GPU", err) &&
		!check(hip, hip->stream_create(&device->stream, HIP_STREAM_NON_BLOCKING),
			"opening a stream", err) &&
		!check(hip, hip->event_create(&device->marks[GPU_START]), "making an event", err) &&
		!check(hip, hip->event_create(&device->marks[GPU_STOP]), "making an event", err) &&
		!read_limits(device, limits, err))
		return device;
	hip_close(device);
	return NULL;
}

static void *hip_alloc(struct gpu_device *device, int64_t bytes, int64_t guard, struct err *err)
{
	void *memory = NULL;
	int64_t whole = 0;
	char size[32];

	if (!mem_add(bytes, guard, &whole))
		err_set(err, ERR_UNAVAILABLE, "the size does not fit 63 bits");
	else if (check(device->hip, device->hip->alloc(&memory, (size_t)whole), "device memory",
			 err))
		err_prefix(err, "%s", str_bytes(whole, size));
	return memory;
}

static void hip_free(struct gpu_device *device, void *memory)
{
	device->hip->free(memory);
}

static int hip_wait(struct gpu_device *device, struct err *err)
{
	return check(device->hip, device->hip->stream_wait(device->stream), "running kernels", err);
}

static int hip_copy_in(
	struct gpu_device *device, void *to, const void *from, int64_t bytes, struct err *err)
{
	const struct hip_api *hip = device->hip;

	return bytes && (check(hip, hip->copy_in(to, from, (size_t)bytes, device->stream),
				 "copying to the GPU", err) ||
				hip_wait(device, err))
		       ? -1
		       : 0;
}

static int hip_copy_out(
	struct gpu_device *device, void *to, const void *from, int64_t bytes, struct err *err)
{
	const struct hip_api *hip = device->hip;

	return bytes && (check(hip, hip->copy_out(to, from, (size_t)bytes, device->stream),
				 "copying from the GPU", err) ||
				hip_wait(device, err))
		       ? -1
		       : 0;
}

static int hip_fill(
	struct gpu_device *device, void *memory, int byte, int64_t bytes, struct err *err)
{
	int status = bytes ? device->hip->fill(
				     memory, (unsigned char)byte, (size_t)bytes, device->stream)
			   : 0;

	return check(device->hip, status, "filling memory", err);
}

static struct gpu_module *hip_load_code(
	struct gpu_device *device, const struct gpu_code *code, struct err *err)
{
	struct hip_module *module = NULL;
	int status = device->hip->module_load(&module, code->bytes);

	return check(device->hip, status, "loading a kernel", err) ? NULL
								   : (struct gpu_module *)module;
}

static void hip_unload(struct gpu_device *device, struct gpu_module *module)
{
	if (module)
		device->hip->module_unload((struct hip_module *)module);
}

/* Shared memory needs no leave on AMD's GPUs: a launch with too much fails. */
static struct gpu_function *hip_find(struct gpu_device *device, struct gpu_module *module,
	const struct gpu_source *source, int64_t shared, struct err *err)
{
	struct hip_function *function = NULL;
	int status =
		device->hip->module_function(&function, (struct hip_module *)module, source->entry);

	(void)shared;
	if (!check(device->hip, status, "finding a kernel", err))
		return (struct gpu_function *)function;
	err_prefix(err, "%s", source->instance);
	return NULL;
}

static int hip_launch(struct gpu_device *device, struct gpu_function *function,
	const struct gpu_launch *launch, struct err *err)
{
	void *arguments[] = {(void *)launch->args};
	int status = device->hip->launch((struct hip_function *)function, launch->grid[0],
		launch->grid[1], 1, launch->threads, 1, 1, (unsigned)launch->shared, device->stream,
		arguments, NULL);

	return check(device->hip, status, "launching a kernel", err);
}

static int record(struct gpu_device *device, enum gpu_mark mark, struct err *err)
{
	return check(device->hip, device->hip->event_record(device->marks[mark], device->stream),
		"recording an event", err);
}

/* HIP's graphs hold no events to read: `replay` records them around a graph. */
static int hip_mark(struct gpu_device *device, enum gpu_mark mark, struct err *err)
{
	return device->capturing ? 0 : record(device, mark, err);
}

static int hip_elapsed(struct gpu_device *device, double *seconds, struct err *err)
{
	float milliseconds = 0;

	if (hip_wait(device, err))
		return -1;
	if (check(device->hip,
		    device->hip->event_elapsed(
			    &milliseconds, device->marks[GPU_START], device->marks[GPU_STOP]),
		    "reading the GPU's clock", err))
		return -1;
	*seconds = milliseconds * 1e-3;
	return 0;
}

static int hip_capture_begin(struct gpu_device *device, struct err *err)
{
	int status = device->hip->capture_begin(device->stream, HIP_CAPTURE_THREAD_LOCAL);

	device->capturing = !status;
	return check(device->hip, status, "capturing a graph", err);
}

static struct gpu_graph *hip_capture_end(struct gpu_device *device, struct err *err)
{
	const struct hip_api *hip = device->hip;
	struct hip_graph *graph = NULL;
	struct hip_graph_exec *exec = NULL;
	int status = hip->capture_end(device->stream, &graph);

	device->capturing = false;
	if (!status)
		status = hip->graph_instantiate(&exec, graph, NULL, NULL, 0);
	if (graph)
		hip->graph_destroy(graph);
	return check(hip, status, "building a graph", err) ? NULL : (struct gpu_graph *)exec;
}

static int hip_replay(struct gpu_device *device, struct gpu_graph *graph, struct err *err)
{
	int status;

	if (record(device, GPU_START, err))
		return -1;
	status = device->hip->graph_launch((struct hip_graph_exec *)graph, device->stream);
	return check(device->hip, status, "launching a graph", err) ? -1
								    : record(device, GPU_STOP, err);
}

static void hip_graph_free(struct gpu_device *device, struct gpu_graph *graph)
{
	if (graph)
		device->hip->graph_exec_destroy((struct hip_graph_exec *)graph);
}

/* Writing twice the cache's size leaves nothing of what was in it. */
static int hip_flush(struct gpu_device *device, struct err *err)
{
	if (!device->swept)
		device->swept = hip_alloc(device, device->swept_bytes, 0, err);
	return device->swept ? hip_fill(device, device->swept, 0, device->swept_bytes, err) : -1;
}

static const char *const header_folders[] = {"kernels/gpu/", NULL};

const struct gpu_driver hip_driver = {
	.maker = GPU_AMD,
	.folder = "kernels/hip/",
	.headers = header_folders,
	.options = hiprtc_options,
	.compiler = hiprtc_compiler,
	.compile = hiprtc_compile,
	.probe = hip_probe,
	.open = hip_open,
	.close = hip_close,
	.alloc = hip_alloc,
	.free = hip_free,
	.fill = hip_fill,
	.copy_in = hip_copy_in,
	.copy_out = hip_copy_out,
	.load = hip_load_code,
	.unload = hip_unload,
	.function = hip_find,
	.mark = hip_mark,
	.launch = hip_launch,
	.wait = hip_wait,
	.elapsed = hip_elapsed,
	.capture_begin = hip_capture_begin,
	.capture_end = hip_capture_end,
	.graph_free = hip_graph_free,
	.replay = hip_replay,
	.flush = hip_flush,
};

static struct device *open_hip(const struct device_options *options, struct err *err)
{
	return gpu_open(&hip_backend, &hip_driver, options, err);
}

const struct backend hip_backend = {
	.name = "hip",
	.summary = "AMD GPUs",
	.open = open_hip,
	.probe = hip_probe,
	.measure = gpu_measure,
	GPU_BACKEND_SLOTS,
};
