#include "tune/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/rng.h"
#include "base/stop.h"

#define MOST_SAMPLES 100000
#define MOST_BATCH   4096

struct measuring {
	struct contest *contest;
	struct candidate *candidates;
	int count;
	const struct protocol *protocol;
	const struct watch *watch;
};

static void say(const struct measuring *m, const char *what, double done, double total)
{
	if (m->watch && m->watch->progress)
		m->watch->progress(m->watch->context, what, done, total);
}

static int interrupted(struct contest *contest, struct err *err)
{
	snprintf(contest->stop, sizeof contest->stop, "interrupted");
	return err_set(err, ERR_INTERRUPTED, "interrupted");
}

/* One timed call; a failure drops the candidate. */
static double candidate_run(struct candidate *candidate, int passes)
{
	const struct backend *backend = candidate->kernel->workload->device->backend;
	struct err why = {0};
	double seconds = 0;
	if (!backend->run(candidate->kernel, passes, &seconds, &why))
		return seconds / passes;
	trial_fail(candidate->trial, OUTCOME_RUN_FAILED, "%s", why.text);
	backend->finish(candidate->kernel);
	candidate->kernel = NULL;
	return 0;
}

/* Busies the device until its clocks have settled. */
static int warm_device(struct measuring *m, struct err *err)
{
	double begin = clock_seconds(), spent = 0;
	for (int i = 0; spent < m->protocol->warmup; i = (i + 1) % m->count) {
		if (stop_asked())
			return interrupted(m->contest, err);
		say(m, "warming up", spent, m->protocol->warmup);
		if (m->candidates[i].kernel)
			candidate_run(&m->candidates[i], 1);
		spent = clock_seconds() - begin;
	}
	return 0;
}

/* Launches a candidate often enough to have met its code and its data, and sets how many passes
 * make one sample. */
static int warm_candidate(struct measuring *m, struct candidate *candidate, struct err *err)
{
	const struct protocol *protocol = m->protocol;
	double begin = clock_seconds(), shortest = INFINITY;
	for (int i = 0; i < protocol->candidate_launches ||
			clock_seconds() - begin < protocol->candidate_warmup;
		i++) {
		if (stop_asked())
			return interrupted(m->contest, err);
		double seconds = candidate_run(candidate, 1);
		if (!candidate->kernel)
			return 0;
		shortest = fmin(shortest, seconds);
	}
	double batch = shortest > 0 ? ceil(protocol->batch_under / shortest) : MOST_BATCH;
	candidate->trial->batch = batch < MOST_BATCH ? (int)batch : MOST_BATCH;
	return 0;
}

static void keep_sample(struct trial *trial, double seconds)
{
	int count = trial->sample_count;
	/* Room doubles whenever the count reaches a power of two. */
	if ((count & (count - 1)) == 0) {
		size_t room = count ? 2 * (size_t)count : 1;
		trial->samples = realloc(trial->samples, room * sizeof *trial->samples);
		if (!trial->samples)
			bug("no memory for %zu samples", room);
	}
	trial->samples[trial->sample_count++] = seconds;
}

static int take_sample(struct measuring *m, struct candidate *candidate, struct err *err)
{
	struct device *device = candidate->kernel->workload->device;
	if (m->protocol->cold && device->backend->flush && device->backend->flush(device, err))
		return -1;
	double seconds = candidate_run(candidate, candidate->trial->batch);
	if (candidate->kernel)
		keep_sample(candidate->trial, seconds);
	return 0;
}

static int run_round(struct measuring *m, int *order, struct rng *rng, struct err *err)
{
	rng_shuffle(rng, order, m->count);
	for (int i = 0; i < m->count; i++) {
		struct candidate *candidate = &m->candidates[order[i]];
		if (stop_asked())
			return interrupted(m->contest, err);
		if (candidate->kernel && take_sample(m, candidate, err))
			return -1;
	}
	return 0;
}

static int run_rounds(struct measuring *m, struct err *err)
{
	const struct protocol *protocol = m->protocol;
	int rounds = protocol->rounds ? protocol->rounds : MOST_SAMPLES;
	struct rng rng = {protocol->seed};
	double begin = clock_seconds(), spent = 0;
	int result = 0, round = 0;
	int *order = malloc((size_t)m->count * sizeof *order);
	if (!order)
		bug("no memory for the order of %d candidates", m->count);
	for (int i = 0; i < m->count; i++)
		order[i] = i;
	while (!result && round < rounds && (!round || spent < protocol->limit)) {
		result = run_round(m, order, &rng, err);
		round += !result;
		spent = clock_seconds() - begin;
		double by_time = protocol->limit > 0 ? spent / protocol->limit : 1;
		say(m, "timing", fmax((double)round / rounds, by_time), 1);
	}
	if (!result)
		snprintf(m->contest->stop, sizeof m->contest->stop, "%s after %d rounds",
			round < rounds ? "time limit" : "done", round);
	free(order);
	return result;
}

int measure_rounds(struct contest *contest, struct candidate *candidates, int count,
	const struct protocol *protocol, const struct watch *watch, struct err *err)
{
	struct measuring m = {contest, candidates, count, protocol, watch};
	if (!count)
		return 0;
	if (warm_device(&m, err))
		return -1;
	for (int i = 0; i < count; i++)
		if (candidates[i].kernel && warm_candidate(&m, &candidates[i], err))
			return -1;
	return run_rounds(&m, err);
}
