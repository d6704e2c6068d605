#include "tune/gate.h"

#include <math.h>

#include "base/mem.h"

/* Host memory for what a pass writes. */
static int outputs_make(
	struct outputs *to, const struct problem *problem, enum pass pass, struct err *err)
{
	int size = dtype_size(problem->dtype);
	if (pass == PASS_BACKWARD) {
		to->dqkv = mem_new(problem_qkv_count(problem), size, "dqkv", err);
		return to->dqkv ? 0 : -1;
	}
	to->out = mem_new(problem_out_count(problem), size, "out", err);
	to->lse = mem_new(problem_lse_count(problem), sizeof(float), "lse", err);
	return to->out && to->lse ? 0 : -1;
}

static void outputs_release(struct outputs *outputs)
{
	mem_free(outputs->out);
	mem_free(outputs->lse);
	mem_free(outputs->dqkv);
}

/* The first judgement that fails, and its worst element. */
static void fail_wrong(struct trial *trial)
{
	const struct judgement *j = trial->verdict.judgements;
	while (j->right)
		j++;
	double rel = !(j->sequence_rel <= j->ceiling) ? j->sequence_rel : j->rel;
	trial_fail(trial, OUTCOME_WRONG,
		"%s is off by %.2g (allowed %.2g): token %lld of sequence %lld, head %lld, "
		"dimension %lld is %.9g, not %.9g",
		judged_name(j->judged), rel, j->ceiling, (long long)j->worst.token,
		(long long)j->worst.sequence, (long long)j->worst.head,
		(long long)j->worst.dimension, j->worst.got, j->worst.want);
}

static void judge(struct trial *trial, const struct arena *arena, enum pass pass,
	const struct outputs *outputs)
{
	struct results results = {outputs->out, outputs->lse, outputs->dqkv};
	verdict_judge(&trial->verdict, arena->problem, pass, &results, arena->oracle);
	trial->judged = true;
	if (!trial->verdict.right)
		fail_wrong(trial);
}

static void check_tensor(
	struct trial *trial, const char *name, enum dtype dtype, const void *tensor, int64_t count)
{
	for (int64_t i = 0; tensor && i < count; i++)
		if (!isfinite(dtype_load(dtype, tensor, i))) {
			trial_fail(trial, OUTCOME_WRONG, "element %lld of %s is not a number",
				(long long)i, name);
			return;
		}
}

static void check_finite(
	struct trial *trial, const struct problem *problem, const struct outputs *outputs)
{
	enum dtype dtype = problem->dtype;
	check_tensor(trial, "out", dtype, outputs->out, problem_out_count(problem));
	check_tensor(trial, "lse", DTYPE_F32, outputs->lse, problem_lse_count(problem));
	check_tensor(trial, "dqkv", dtype, outputs->dqkv, problem_qkv_count(problem));
}

int gate_run(struct trial *trial, const struct arena *arena, struct kernel *kernel, struct err *err)
{
	struct workload *workload = kernel->workload;
	const struct backend *backend = workload->device->backend;
	struct outputs outputs = {0};
	struct err why = {0};
	const char *overrun = NULL;
	double seconds;
	int result = outputs_make(&outputs, arena->problem, workload->pass, err);
	if (result)
		goto out;
	if (backend->poison(workload, &why) || backend->run(kernel, 1, &seconds, &why) ||
		backend->download(workload, &outputs, &overrun, &why)) {
		if (why.kind == ERR_INTERRUPTED)
			result = err_set(err, why.kind, "%s", why.text);
		else
			trial_fail_by(trial, OUTCOME_RUN_FAILED, &why);
		goto out;
	}
	trial->outcome = OUTCOME_OK;
	if (overrun)
		trial_fail(trial, OUTCOME_WRONG, "wrote past the end of %s", overrun);
	else if (arena->oracle)
		judge(trial, arena, workload->pass, &outputs);
	else
		check_finite(trial, arena->problem, &outputs);
out:
	outputs_release(&outputs);
	return result;
}
