#include "kernels/gpu/workload.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/gpu/tiles.h"

/* All ones is a NaN in every element type, and what memory and guard bands are poisoned with. */
#define POISON 0xff

enum use { UNUSED, INPUT, OUTPUT, SCRATCH };

/* A tensor as kernels, callers and passes know it. */
static const struct role {
	const char *name;
	int64_t (*count)(const struct problem *problem);
	bool f32; /* whatever the problem's type */
	enum use use[PASS_COUNT];
	size_t in_args;
	size_t in_inputs;  /* where INPUT */
	size_t in_outputs; /* where OUTPUT */
} roles[GPU_BUFFERS] = {
#define ARG(member) offsetof(struct args, member)
#define IN(member)  offsetof(struct inputs, member)
#define OUT(member) offsetof(struct outputs, member)
	{"qkv", problem_qkv_count, false, {INPUT, INPUT}, ARG(qkv), IN(qkv), 0},
	{"cos", problem_table_count, true, {INPUT, INPUT}, ARG(cos), IN(cos), 0},
	{"sin", problem_table_count, true, {INPUT, INPUT}, ARG(sin), IN(sin), 0},
	{"out", problem_out_count, false, {OUTPUT, INPUT}, ARG(out), IN(out), OUT(out)},
	{"lse", problem_lse_count, true, {OUTPUT, INPUT}, ARG(lse), IN(lse), OUT(lse)},
	{"dout", problem_out_count, false, {UNUSED, INPUT}, ARG(dout), IN(dout), 0},
	{"delta", problem_lse_count, true, {UNUSED, SCRATCH}, ARG(delta), 0, 0},
	{"dq", problem_out_count, true, {UNUSED, SCRATCH}, ARG(dq), 0, 0},
	{"dqkv", problem_qkv_count, false, {UNUSED, OUTPUT}, ARG(dqkv), 0, OUT(dqkv)},
};

static struct gpu_workload *gpu_workload_of(struct workload *workload)
{
	return (struct gpu_workload *)workload;
}

static void *member_get(const void *object, size_t offset)
{
	void *pointer;

	memcpy(&pointer, (const char *)object + offset, sizeof pointer);
	return pointer;
}

static void member_set(void *object, size_t offset, void *pointer)
{
	memcpy((char *)object + offset, &pointer, sizeof pointer);
}

static int buffer_upload(
	struct gpu_workload *work, int index, const struct inputs *inputs, struct err *err)
{
	const struct gpu *gpu = gpu_of(work->workload.device);
	const struct problem *problem = work->workload.problem;
	const struct role *role = &roles[index];
	struct gpu_buffer *buffer = &work->buffers[index];
	enum use use = role->use[work->workload.pass];

	if (use == UNUSED)
		return 0;
	buffer->bytes = role->count(problem) * dtype_size(role->f32 ? DTYPE_F32 : problem->dtype);
	buffer->memory = gpu->driver->alloc(gpu->handle, buffer->bytes, GPU_GUARD, err);
	if (!buffer->memory)
		return err_prefix(err, "buffer %s", role->name);
	member_set(&work->args, role->in_args, buffer->memory);
	if (use != INPUT)
		return 0;
	return gpu->driver->copy_in(gpu->handle, buffer->memory,
		member_get(inputs, role->in_inputs), buffer->bytes, err);
}

struct workload *gpu_upload(struct device *device, const struct problem *problem, enum pass pass,
	const struct inputs *inputs, struct err *err)
{
	struct gpu_workload *work = mem_new(1, sizeof *work, "workload", err);

	if (!work)
		return NULL;
	work->workload = (struct workload){device, problem, pass};
	work->args = (struct args){
		.tokens = problem->tokens,
		.heads = (int)problem->heads,
		.window = tiles_window(problem),
		.scale = (float)(1 / sqrt(HEAD_DIM)),
	};
	for (int i = 0; i < GPU_BUFFERS; i++)
		if (buffer_upload(work, i, inputs, err))
			goto failed;
	if (gpu_poison(&work->workload, err))
		goto failed;
	return &work->workload;
failed:
	gpu_release(&work->workload);
	return NULL;
}

int gpu_poison(struct workload *workload, struct err *err)
{
	const struct gpu *gpu = gpu_of(workload->device);

	for (int i = 0; i < GPU_BUFFERS; i++) {
		const struct gpu_buffer *buffer = &gpu_workload_of(workload)->buffers[i];
		int64_t kept = roles[i].use[workload->pass] == INPUT ? buffer->bytes : 0;

		if (buffer->memory && gpu->driver->fill(gpu->handle, (char *)buffer->memory + kept,
					      POISON, buffer->bytes + GPU_GUARD - kept, err))
			return -1;
	}
	return gpu->driver->wait(gpu->handle, err);
}

static bool is_poisoned(const unsigned char *bytes, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		if (bytes[i] != POISON)
			return false;
	return true;
}

/* `*overrun` becomes the first buffer whose guard band was written. */
static int check_guards(struct gpu_workload *work, const char **overrun, struct err *err)
{
	const struct gpu *gpu = gpu_of(work->workload.device);
	unsigned char band[GPU_GUARD];

	*overrun = NULL;
	for (int i = 0; i < GPU_BUFFERS && !*overrun; i++) {
		const struct gpu_buffer *buffer = &work->buffers[i];

		if (!buffer->memory)
			continue;
		if (gpu->driver->copy_out(gpu->handle, band,
			    (const char *)buffer->memory + buffer->bytes, GPU_GUARD, err))
			return -1;
		if (!is_poisoned(band, GPU_GUARD))
			*overrun = roles[i].name;
	}
	return 0;
}

int gpu_download(struct workload *workload, const struct outputs *outputs, const char **overrun,
	struct err *err)
{
	const struct gpu *gpu = gpu_of(workload->device);
	struct gpu_workload *work = gpu_workload_of(workload);

	for (int i = 0; i < GPU_BUFFERS; i++) {
		const struct gpu_buffer *buffer = &work->buffers[i];
		void *to = member_get(outputs, roles[i].in_outputs);

		if (roles[i].use[workload->pass] == OUTPUT && to &&
			gpu->driver->copy_out(gpu->handle, to, buffer->memory, buffer->bytes, err))
			return -1;
	}
	return check_guards(work, overrun, err);
}

void gpu_release(struct workload *workload)
{
	const struct gpu *gpu = gpu_of(workload->device);
	struct gpu_workload *work = gpu_workload_of(workload);

	for (int i = 0; i < GPU_BUFFERS; i++)
		gpu->driver->free(gpu->handle, work->buffers[i].memory);
	mem_free(work);
}
