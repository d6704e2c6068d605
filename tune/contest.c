#include "tune/contest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/stop.h"
#include "base/str.h"
#include "tune/decide.h"
#include "tune/gate.h"
#include "tune/search.h"

/* A rate this far above the floor's is an error of measurement, not a fast kernel. */
#define FLOOR_SLACK 1.05

const char *decision_name(enum decision decision)
{
	static const char *const names[] = {"none", "winner", "tie"};
	return names[decision];
}

/* What the forward pass hands to the backward one: the oracle's out and lse, rounded. */
struct handover {
	void *out;
	float *lse;
};

static int handover_make(struct handover *handover, const struct arena *arena, struct err *err)
{
	const struct problem *p = arena->problem;
	int64_t outs = problem_out_count(p), rows = problem_lse_count(p);
	handover->out = mem_new(outs, dtype_size(p->dtype), "out", err);
	handover->lse = mem_new(rows, sizeof(float), "lse", err);
	if (!handover->out || !handover->lse)
		return -1;
	for (int64_t i = 0; i < outs; i++)
		dtype_store(p->dtype, handover->out, i, (float)arena->oracle->out[i]);
	for (int64_t i = 0; i < rows; i++)
		handover->lse[i] = (float)arena->oracle->lse[i];
	return 0;
}

static void handover_release(struct handover *handover)
{
	mem_free(handover->out);
	mem_free(handover->lse);
}

static struct workload *upload(
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

/* A trial for every schedule of the pass that `pattern` matches. */
static int list_trials(
	struct contest *contest, enum pass pass, const char *pattern, struct err *err)
{
	contest->trials = mem_new(schedule_count, sizeof *contest->trials, "trials", err);
	contest->ranking = mem_new(schedule_count, sizeof *contest->ranking, "ranking", err);
	if (!contest->trials || !contest->ranking)
		return -1;
	for (int i = 0; i < schedule_count; i++)
		if (schedules[i].pass == pass &&
			(!pattern || str_matches(pattern, schedules[i].name)))
			contest->trials[contest->count++].schedule = &schedules[i];
	return 0;
}

/* usable -> compiles -> right. A kernel comes back only for a trial that passed all three. */
static int enter(struct trial *trial, const struct arena *arena, struct workload *workload,
	struct kernel **kernel, struct err *err)
{
	const struct backend *backend = arena->device->backend;
	struct reason reason;
	struct err why = {0};
	*kernel = NULL;
	if (!backend->usable(arena->device, trial->schedule, arena->problem, &reason)) {
		trial_fail(trial, OUTCOME_UNSUPPORTED, "%s", reason.text);
		return 0;
	}
	*kernel = backend->prepare(workload, trial->schedule, &why);
	if (!*kernel) {
		if (why.kind == ERR_INTERRUPTED)
			return err_set(err, why.kind, "%s", why.text);
		trial_fail_by(trial, OUTCOME_COMPILE_FAILED, &why);
		return 0;
	}
	trial->scratch = (*kernel)->scratch;
	int result = gate_run(trial, arena, *kernel, err);
	if (result || trial->outcome != OUTCOME_OK) {
		backend->finish(*kernel);
		*kernel = NULL;
	}
	return result;
}

static void report(
	const struct contest *contest, const struct trial *trial, const struct watch *watch)
{
	if (watch && watch->trial)
		watch->trial(watch->context, contest, trial);
}

/* Rates of the median, and how near the floor it comes. */
static void rate(struct contest *contest, struct trial *trial)
{
	if (!(trial->stats.median > 0))
		return;
	trial->flops = problem_flops(contest->problem, contest->pass) / trial->stats.median;
	trial->bytes = (double)problem_bytes(contest->problem, contest->pass) / trial->stats.median;
	trial->fraction = contest->floor_seconds / trial->stats.median;
	if (trial->fraction > FLOOR_SLACK)
		snprintf(trial->warning, sizeof trial->warning,
			"%.0f %% of the floor's rate: the clock or the ceiling was mismeasured",
			100 * trial->fraction);
}

static double floor_seconds(const struct arena *arena, enum pass pass)
{
	const struct ceiling *ceiling = &arena->ceiling;
	if (!(ceiling->flops > 0) || !(ceiling->bytes > 0))
		return 0;
	return fmax(problem_flops(arena->problem, pass) / ceiling->flops,
		(double)problem_bytes(arena->problem, pass) / ceiling->bytes);
}

/* The gate for every trial, in turn. Those that may be timed become candidates. */
static int enter_all(struct contest *contest, const struct arena *arena, struct workload *workload,
	const struct protocol *protocol, const struct watch *watch, struct candidate *candidates,
	int *count, struct err *err)
{
	for (int i = 0; i < contest->count; i++) {
		struct trial *trial = &contest->trials[i];
		struct kernel *kernel;
		if (stop_asked())
			return err_set(err, ERR_INTERRUPTED, "interrupted");
		if (watch && watch->progress)
			watch->progress(watch->context, "checking", i, contest->count);
		if (enter(trial, arena, workload, &kernel, err))
			return -1;
		if (kernel && protocol->timed) {
			candidates[(*count)++] =
				(struct candidate){.trial = trial, .kernel = kernel};
			continue;
		}
		if (kernel)
			arena->device->backend->finish(kernel);
		report(contest, trial, watch);
	}
	return 0;
}

/* What was right before the rounds must be right after them: a kernel that depends on what an
 * earlier run left behind is found here. */
static int check_again(
	const struct arena *arena, const struct candidate *candidates, int count, struct err *err)
{
	for (int i = 0; i < count; i++) {
		struct trial *trial = candidates[i].trial;
		if (candidates[i].kernel && gate_run(trial, arena, candidates[i].kernel, err))
			return -1;
	}
	return 0;
}

int contest_run(struct contest *contest, const struct arena *arena, enum pass pass,
	const struct protocol *protocol, const struct watch *watch, struct err *err)
{
	const struct backend *backend = arena->device->backend;
	struct handover handover = {0};
	struct workload *workload = NULL;
	struct candidate *candidates = NULL;
	int count = 0, result = -1;
	contest->problem = arena->problem;
	contest->pass = pass;
	contest->floor_seconds = floor_seconds(arena, pass);
	if (list_trials(contest, pass, protocol->pattern, err) ||
		(pass == PASS_BACKWARD && handover_make(&handover, arena, err)))
		goto out;
	workload = upload(arena, pass, &handover, err);
	candidates = mem_new(contest->count, sizeof *candidates, "candidates", err);
	if (!workload || !candidates)
		goto out;
	result = enter_all(contest, arena, workload, protocol, watch, candidates, &count, err);
	if (!result && protocol->timed)
		result = search_run(contest, candidates, count, protocol, watch, err);
	if (!result)
		result = check_again(arena, candidates, count, err);
	for (int i = 0; i < count; i++)
		rate(contest, candidates[i].trial);
	contest_decide(contest, protocol->incumbent, protocol->seed);
	for (int i = 0; i < count; i++)
		report(contest, candidates[i].trial, watch);
out:
	for (int i = 0; i < count; i++)
		if (candidates[i].kernel)
			backend->finish(candidates[i].kernel);
	mem_free(candidates);
	if (workload)
		backend->release(workload);
	handover_release(&handover);
	return result;
}

void contest_release(struct contest *contest)
{
	for (int i = 0; i < contest->count; i++)
		trial_release(&contest->trials[i]);
	mem_free(contest->trials);
	mem_free(contest->ranking);
	str_release(&contest->story);
	*contest = (struct contest){0};
}
