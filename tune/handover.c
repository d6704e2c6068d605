#include "tune/handover.h"

#include "base/mem.h"

struct workload *arena_upload(
	const struct arena *arena, enum pass pass, const struct handover *handover, struct err *err)
{
	struct inputs inputs = {.qkv = arena->tensors->qkv,
		.dout = arena->tensors->dout,
		.out = handover->out,
		.lse = handover->lse,
		.cos = arena->tensors->cos,
		.sin = arena->tensors->sin};
	return arena->device->backend->upload(arena->device, arena->problem, pass, &inputs, err);
}

static void round_oracle(struct handover *handover, const struct arena *arena)
{
	const struct problem *p = arena->problem;
	for (int64_t i = 0; i < problem_out_count(p); i++)
		dtype_store(p->dtype, handover->out, i, (float)arena->oracle->out[i]);
	for (int64_t i = 0; i < problem_lse_count(p); i++)
		handover->lse[i] = (float)arena->oracle->lse[i];
}

static int run_forward(struct handover *handover, const struct arena *arena, struct err *err)
{
	const struct backend *backend = arena->device->backend;
	const struct outputs outputs = {.out = handover->out, .lse = handover->lse};
	struct kernel *kernel = NULL;
	const char *overrun;
	double seconds;
	int result = -1;
	struct workload *workload = arena_upload(arena, PASS_FORWARD, &(struct handover){0}, err);
	if (!workload)
		return -1;
	kernel = backend->prepare(workload, schedule_default(PASS_FORWARD), err);
	if (kernel)
		result = backend->run(kernel, 1, &seconds, err) ||
					 backend->download(workload, &outputs, &overrun, err)
				 ? -1
				 : 0;
	if (kernel)
		backend->finish(kernel);
	backend->release(workload);
	return result;
}

int handover_make(struct handover *handover, const struct arena *arena, struct err *err)
{
	const struct problem *p = arena->problem;
	handover->out = mem_new(problem_out_count(p), dtype_size(p->dtype), "out", err);
	handover->lse = mem_new(problem_lse_count(p), sizeof(float), "lse", err);
	if (!handover->out || !handover->lse)
		return -1;
	if (!arena->oracle)
		return run_forward(handover, arena, err);
	round_oracle(handover, arena);
	return 0;
}

void handover_release(struct handover *handover)
{
	mem_free(handover->out);
	mem_free(handover->lse);
	*handover = (struct handover){0};
}
