#include "tune/contest.h"

#include "base/mem.h"
#include "base/stop.h"
#include "tune/decide.h"
#include "tune/gate.h"
#include "tune/handover.h"
#include "tune/rates.h"
#include "tune/search.h"

const char *decision_name(enum decision decision)
{
	static const char *const names[] = {"none", "winner", "tie"};
	return names[decision];
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
		if (stop_asked())
			return err_set(err, ERR_INTERRUPTED, "interrupted");
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

/* One contest on its way. */
struct holding {
	struct contest *contest;
	const struct protocol *protocol;
	const struct watch *watch;
	bool last; /* no gate follows this one */
	struct handover handover;
	struct workload *workload;
	struct candidate *candidates; /* [count] what passed the gate and is to be timed */
	int count;
};

static void say_trial(const struct holding *h, const struct trial *trial)
{
	if (h->watch && h->watch->trial)
		h->watch->trial(h->watch->context, h->contest, trial);
}

static void leave(struct holding *h, const struct arena *arena)
{
	const struct backend *backend = arena->device->backend;
	for (int i = 0; i < h->count; i++)
		if (h->candidates[i].kernel)
			backend->finish(h->candidates[i].kernel);
	h->count = 0;
	if (h->workload)
		backend->release(h->workload);
	h->workload = NULL;
	handover_release(&h->handover);
}

static void admit_all(struct holding *h)
{
	for (int i = 0; h->watch && h->watch->admit && i < h->contest->count; i++) {
		struct trial *trial = &h->contest->trials[i];
		h->watch->admit(h->watch->context, h->contest, trial);
		if (trial->outcome != OUTCOME_UNTRIED)
			say_trial(h, trial);
	}
}

/* The gate for every trial that nothing refused before. Those that pass stay as candidates. */
static int enter_all(struct holding *h, const struct arena *arena, struct err *err)
{
	enum pass pass = h->contest->pass;
	if (pass == PASS_BACKWARD && handover_make(&h->handover, arena, err))
		return -1;
	h->workload = arena_upload(arena, pass, &h->handover, err);
	if (!h->workload)
		return -1;
	for (int i = 0; i < h->contest->count; i++) {
		struct trial *trial = &h->contest->trials[i];
		struct kernel *kernel;
		if (trial->outcome != OUTCOME_UNTRIED && trial->outcome != OUTCOME_OK)
			continue;
		if (stop_asked())
			return err_set(err, ERR_INTERRUPTED, "interrupted");
		if (h->watch && h->watch->progress)
			h->watch->progress(h->watch->context, "checking", i, h->contest->count);
		if (enter(trial, arena, h->workload, &kernel, err))
			return -1;
		if (kernel)
			h->candidates[h->count++] =
				(struct candidate){.trial = trial, .kernel = kernel};
		if (!kernel || (h->last && !h->protocol->timed))
			say_trial(h, trial);
	}
	return 0;
}

/* What was right before the rounds must be right after them: a kernel that depends on what an
 * earlier run left behind is found here. */
static int check_again(struct holding *h, const struct arena *arena, struct err *err)
{
	for (int i = 0; i < h->count; i++) {
		struct candidate *candidate = &h->candidates[i];
		if (candidate->kernel && candidate->trial->outcome == OUTCOME_OK &&
			gate_run(candidate->trial, arena, candidate->kernel, err))
			return -1;
	}
	return 0;
}

static int hold(struct holding *h, const struct arena *arena, struct err *err)
{
	if (arena->sample) {
		int result = enter_all(h, arena->sample, err);
		leave(h, arena->sample);
		if (result)
			return -1;
	}
	h->last = true;
	if (enter_all(h, arena, err))
		return -1;
	if (!h->protocol->timed)
		return 0;
	if (search_run(h->contest, h->candidates, h->count, h->protocol, h->watch, err))
		return -1;
	return check_again(h, arena, err);
}

int contest_run(struct contest *contest, const struct arena *arena, enum pass pass,
	const struct protocol *protocol, const struct watch *watch, struct err *err)
{
	struct holding h = {.contest = contest, .protocol = protocol, .watch = watch};
	int result = -1;
	contest->problem = arena->problem;
	contest->pass = pass;
	contest->floor_seconds = floor_seconds(arena, pass);
	if (list_trials(contest, pass, protocol->pattern, err))
		return -1;
	h.candidates = mem_new(contest->count, sizeof *h.candidates, "candidates", err);
	if (!h.candidates)
		return -1;
	admit_all(&h);
	result = hold(&h, arena, err);
	for (int i = 0; i < h.count; i++)
		trial_rate(h.candidates[i].trial, contest);
	contest_decide(contest, protocol->incumbent, protocol->seed);
	for (int i = 0; protocol->timed && i < h.count; i++)
		say_trial(&h, h.candidates[i].trial);
	leave(&h, arena);
	mem_free(h.candidates);
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
