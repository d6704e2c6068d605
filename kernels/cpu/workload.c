#include "kernels/cpu/workload.h"

#include <stdatomic.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "kernels/cpu/device.h"
#include "kernels/cpu/items.h"

/* Every byte of a guard band, and of a poisoned buffer: a NaN in each of the types. */
#define POISON      0xff
#define GUARD_BYTES 4096

enum { QKV, COS, SIN, DOUT, OUT, LSE, DQKV, TENSORS };

static const char *const tensor_names[TENSORS] = {
	[QKV] = "qkv",
	[COS] = "cos",
	[SIN] = "sin",
	[DOUT] = "dout",
	[OUT] = "out",
	[LSE] = "lse",
	[DQKV] = "dqkv",
};

struct buffer {
	unsigned char *memory; /* NULL where the pass has no such tensor */
	int64_t bytes;         /* the guard band lies behind them */
};

struct cpu_workload {
	struct workload workload;
	struct buffer buffers[TENSORS];
};

struct cpu_kernel {
	struct kernel kernel;
	struct cpu_items items;
	struct cpu_pass pass;
	float **scratch; /* [threads] */
	int *parts;      /* [groups] how many items share a split head */
};

static bool is_output(enum pass pass, int tensor)
{
	return pass == PASS_FORWARD ? tensor == OUT || tensor == LSE : tensor == DQKV;
}

static int buffer_make(struct buffer *buffer, const void *contents, int64_t count, int64_t size,
	const char *name, struct err *err)
{
	int64_t room;
	if (!mem_mul(count, size, &buffer->bytes) || !mem_add(buffer->bytes, GUARD_BYTES, &room))
		return err_set(err, ERR_UNAVAILABLE, "%s does not fit memory", name);
	buffer->memory = mem_new(room, 1, name, err);
	if (!buffer->memory)
		return -1;
	if (contents)
		memcpy(buffer->memory, contents, (size_t)buffer->bytes);
	return 0;
}

struct workload *cpu_upload(struct device *device, const struct problem *problem, enum pass pass,
	const struct inputs *inputs, struct err *err)
{
	int size = dtype_size(problem->dtype);
	bool back = pass == PASS_BACKWARD;
	const struct {
		bool wanted;
		const void *contents;
		int64_t count;
		int64_t size;
	} plan[TENSORS] = {
		[QKV] = {true, inputs->qkv, problem_qkv_count(problem), size},
		[COS] = {true, inputs->cos, problem_table_count(problem), sizeof(float)},
		[SIN] = {true, inputs->sin, problem_table_count(problem), sizeof(float)},
		[DOUT] = {back, inputs->dout, problem_out_count(problem), size},
		[OUT] = {true, back ? inputs->out : NULL, problem_out_count(problem), size},
		[LSE] = {true, back ? inputs->lse : NULL, problem_lse_count(problem),
			sizeof(float)},
		[DQKV] = {back, NULL, problem_qkv_count(problem), size},
	};
	struct cpu_workload *cpu = mem_new(1, sizeof *cpu, "the workload", err);
	if (!cpu)
		return NULL;
	cpu->workload = (struct workload){device, problem, pass};
	for (int t = 0; t < TENSORS; t++)
		if (plan[t].wanted && buffer_make(&cpu->buffers[t], plan[t].contents, plan[t].count,
					      plan[t].size, tensor_names[t], err))
			goto fail;
	cpu_poison(&cpu->workload, err);
	return &cpu->workload;
fail:
	cpu_release(&cpu->workload);
	return NULL;
}

int cpu_poison(struct workload *workload, struct err *err)
{
	struct cpu_workload *cpu = (struct cpu_workload *)workload;
	(void)err;
	for (int t = 0; t < TENSORS; t++) {
		struct buffer *buffer = &cpu->buffers[t];
		if (!buffer->memory)
			continue;
		if (is_output(workload->pass, t))
			memset(buffer->memory, POISON, (size_t)buffer->bytes);
		memset(buffer->memory + buffer->bytes, POISON, GUARD_BYTES);
	}
	return 0;
}

static bool guard_intact(const struct buffer *buffer)
{
	for (int i = 0; i < GUARD_BYTES; i++)
		if (buffer->memory[buffer->bytes + i] != POISON)
			return false;
	return true;
}

int cpu_download(struct workload *workload, const struct outputs *outputs, const char **overrun,
	struct err *err)
{
	struct cpu_workload *cpu = (struct cpu_workload *)workload;
	void *const to[TENSORS] = {
		[OUT] = outputs->out, [LSE] = outputs->lse, [DQKV] = outputs->dqkv};
	(void)err;
	*overrun = NULL;
	for (int t = 0; t < TENSORS; t++) {
		const struct buffer *buffer = &cpu->buffers[t];
		if (!buffer->memory)
			continue;
		if (!*overrun && !guard_intact(buffer))
			*overrun = tensor_names[t];
		if (to[t])
			memcpy(to[t], buffer->memory, (size_t)buffer->bytes);
	}
	return 0;
}

void cpu_release(struct workload *workload)
{
	struct cpu_workload *cpu = (struct cpu_workload *)workload;
	for (int t = 0; t < TENSORS; t++)
		mem_free(cpu->buffers[t].memory);
	mem_free(cpu);
}

static const struct cpu_device *kernel_device(const struct cpu_kernel *cpu)
{
	return (const struct cpu_device *)cpu->kernel.workload->device;
}

/* A thread's scratch begins as NaN, so that a kernel that reads what it never wrote shows. */
static int scratch_make(struct cpu_kernel *cpu, struct err *err)
{
	const struct cpu_device *device = kernel_device(cpu);
	int threads = team_size(device->team);
	int64_t floats = cpu->kernel.workload->pass == PASS_FORWARD
				 ? device->isa->forward_scratch(&cpu->pass, cpu->items.longest)
				 : device->isa->backward_scratch(&cpu->pass, cpu->items.longest);
	cpu->kernel.scratch = floats * (int64_t)sizeof(float);
	cpu->scratch = mem_new(threads, sizeof *cpu->scratch, "the workspaces", err);
	if (!cpu->scratch)
		return -1;
	for (int i = 0; i < threads; i++) {
		cpu->scratch[i] = mem_new(floats, sizeof(float), "a thread's workspace", err);
		if (!cpu->scratch[i])
			return -1;
		memset(cpu->scratch[i], POISON, (size_t)cpu->kernel.scratch);
	}
	return 0;
}

/* Where heads are split, room for their partial dQ and counters of the items still at work. */
static int split_make(struct cpu_kernel *cpu, struct err *err)
{
	const struct cpu_items *items = &cpu->items;
	cpu->pass.partials = mem_new(items->partials, sizeof(float), "partial gradients", err);
	cpu->pass.pending =
		mem_new(items->groups, sizeof *cpu->pass.pending, "progress counters", err);
	cpu->parts = mem_new(items->groups, sizeof *cpu->parts, "progress counters", err);
	if (!cpu->pass.partials || !cpu->pass.pending || !cpu->parts)
		return -1;
	memset(cpu->pass.partials, POISON, (size_t)items->partials * sizeof(float));
	for (int64_t i = 0; i < items->count; i++)
		if (items->items[i].parts > 1)
			cpu->parts[items->items[i].group] = (int)items->items[i].parts;
	return 0;
}

struct kernel *cpu_prepare(
	struct workload *workload, const struct schedule *schedule, struct err *err)
{
	struct cpu_workload *from = (struct cpu_workload *)workload;
	struct cpu_device *device = (struct cpu_device *)workload->device;
	struct cpu_kernel *cpu = mem_new(1, sizeof *cpu, "the kernel", err);
	if (!cpu)
		return NULL;
	cpu->kernel = (struct kernel){.workload = workload, .schedule = schedule};
	cpu->pass = (struct cpu_pass){
		.problem = workload->problem,
		.qkv = from->buffers[QKV].memory,
		.dout = from->buffers[DOUT].memory,
		.out = from->buffers[OUT].memory,
		.cos = (const float *)from->buffers[COS].memory,
		.sin = (const float *)from->buffers[SIN].memory,
		.out_written = from->buffers[OUT].memory,
		.lse = (float *)from->buffers[LSE].memory,
		.dqkv = from->buffers[DQKV].memory,
		.tile_rows = schedule->rows,
		.tile_keys = schedule->keys,
	};
	if (items_make(
		    &cpu->items, workload->problem, workload->pass, team_size(device->team), err) ||
		scratch_make(cpu, err) || split_make(cpu, err)) {
		cpu_finish(&cpu->kernel);
		return NULL;
	}
	return &cpu->kernel;
}

static void run_item(void *context, int64_t item, int thread)
{
	struct cpu_kernel *cpu = context;
	const struct cpu_device *device = kernel_device(cpu);
	const struct cpu_item *this = &cpu->items.items[item];
	int64_t later = item + team_size(device->team);
	const struct cpu_item *next = later < cpu->items.count ? &cpu->items.items[later] : NULL;
	if (cpu->kernel.workload->pass == PASS_FORWARD)
		device->isa->forward(&cpu->pass, this, next, cpu->scratch[thread]);
	else
		device->isa->backward(&cpu->pass, this, next, cpu->scratch[thread]);
}

int cpu_run(struct kernel *kernel, int passes, double *seconds, struct err *err)
{
	struct cpu_kernel *cpu = (struct cpu_kernel *)kernel;
	(void)err;
	int64_t begin = clock_ns();
	for (int pass = 0; pass < passes; pass++) {
		for (int64_t g = 0; g < cpu->items.groups; g++)
			atomic_store_explicit(
				&cpu->pass.pending[g], cpu->parts[g], memory_order_relaxed);
		team_run(kernel_device(cpu)->team, cpu->items.count, run_item, cpu);
	}
	*seconds = (double)(clock_ns() - begin) * 1e-9;
	return 0;
}

void cpu_finish(struct kernel *kernel)
{
	struct cpu_kernel *cpu = (struct cpu_kernel *)kernel;
	int threads = team_size(kernel_device(cpu)->team);
	for (int i = 0; cpu->scratch && i < threads; i++)
		mem_free(cpu->scratch[i]);
	mem_free(cpu->scratch);
	mem_free(cpu->pass.partials);
	mem_free(cpu->pass.pending);
	mem_free(cpu->parts);
	items_release(&cpu->items);
	mem_free(cpu);
}
