#include "tune/measure.h"

#include <math.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"

#define MOST_BATCH 4096

void measure_say(const struct measuring *m, const char *what, double done, double total)
{
	if (m->watch && m->watch->progress)
		m->watch->progress(m->watch->context, what, done, total);
}

static int interrupted(struct err *err)
{
	return err_set(err, ERR_INTERRUPTED, "interrupted");
}

/* One timed call; a failure drops the candidate, an interruption is passed on. */
static int candidate_run(struct candidate *candidate, int passes, double *seconds, struct err *err)
{
	const struct backend *backend = candidate->kernel->workload->device->backend;
	struct err why = {0};
	if (!backend->run(candidate->kernel, passes, seconds, &why)) {
		*seconds /= passes;
		return 0;
	}
	if (why.kind == ERR_INTERRUPTED)
		return interrupted(err);
	trial_fail_by(candidate->trial, OUTCOME_RUN_FAILED, &why);
	backend->finish(candidate->kernel);
	candidate->kernel = NULL;
	return 0;
}

static int warm_device(struct measuring *m, struct err *err)
{
	double begin = clock_seconds(), spent = 0, seconds;
	for (int i = 0; spent < m->protocol->warmup; i = (i + 1) % m->count) {
		if (stop_asked())
			return interrupted(err);
		measure_say(m, "warming up", spent, m->protocol->warmup);
		if (m->candidates[i].kernel && candidate_run(&m->candidates[i], 1, &seconds, err))
			return -1;
		spent = clock_seconds() - begin;
	}
	return 0;
}

static int warm_candidate(struct measuring *m, struct candidate *candidate, struct err *err)
{
	const struct protocol *protocol = m->protocol;
	double begin = clock_seconds(), shortest = INFINITY, seconds;
	for (int i = 0; i < protocol->candidate_launches ||
			clock_seconds() - begin < protocol->candidate_warmup;
		i++) {
		if (stop_asked())
			return interrupted(err);
		if (candidate_run(candidate, 1, &seconds, err))
			return -1;
		if (!candidate->kernel)
			return 0;
		shortest = fmin(shortest, seconds);
	}
	double batch = shortest > 0 ? ceil(protocol->batch_under / shortest) : MOST_BATCH;
	candidate->trial->batch = (int)fmax(1, fmin(batch, MOST_BATCH));
	return 0;
}

int measure_warm(struct measuring *m, struct err *err)
{
	if (warm_device(m, err))
		return -1;
	for (int i = 0; i < m->count; i++)
		if (m->candidates[i].kernel && warm_candidate(m, &m->candidates[i], err))
			return -1;
	return 0;
}

/* What befell the device since the last look, as marks; without `sense`, nothing is known. */
static unsigned char look(struct device *device)
{
	struct sensed sensed = {0};
	if (device->backend->sense)
		device->backend->sense(device, &sensed);
	return (unsigned char)((sensed.contended ? MARK_CONTENDED : 0) |
			       (sensed.throttled ? MARK_THROTTLED : 0));
}

static int take_sample(struct measuring *m, struct candidate *candidate, struct err *err)
{
	struct device *device = candidate->kernel->workload->device;
	double seconds;
	if (m->protocol->cold && device->backend->flush && device->backend->flush(device, err))
		return -1;
	look(device);
	if (candidate_run(candidate, candidate->trial->batch, &seconds, err))
		return -1;
	if (candidate->kernel)
		trial_add_sample(candidate->trial, seconds, look(device));
	return 0;
}

int measure_round(struct measuring *m, struct err *err)
{
	int *order = mem_new(m->count, sizeof *order, "the order of a round", err);
	int result = order ? 0 : -1;
	for (int i = 0; order && i < m->count; i++)
		order[i] = i;
	if (order)
		rng_shuffle(&m->rng, order, m->count);
	for (int i = 0; !result && i < m->count; i++) {
		struct candidate *candidate = &m->candidates[order[i]];
		if (stop_asked())
			result = interrupted(err);
		else if (candidate->kernel && !candidate->resting)
			result = take_sample(m, candidate, err);
	}
	mem_free(order);
	return result;
}
