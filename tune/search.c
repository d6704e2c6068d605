#include "tune/search.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "tune/decide.h"

#define CALM_IQR       0.005 /* of the median */
#define CALM_SECONDS   0.5   /* of samples */
#define STEADY_ROUNDS  40
#define STEADY_CHANGE  0.05
#define CAUTIOUS_LEVEL 0.99 /* looking at every round finds chance gaps: ask for more */
#define MOST_ROUNDS    10000

struct search {
	struct measuring measuring;
	double begin;
	double round;          /* seconds of the last one */
	double earlier_spread; /* relative IQR of the best at a multiple of STEADY_ROUNDS */
};

static double spread(const struct trial *trial)
{
	return (trial->stats.third_quartile - trial->stats.first_quartile) / trial->stats.median;
}

static struct interval lead(const struct search *search, const struct trial *best,
	const struct trial *runner_up, double level)
{
	int count = best->sample_count < runner_up->sample_count ? best->sample_count
								 : runner_up->sample_count;
	return ratio_interval(best->samples, runner_up->samples, count, level,
		search->measuring.protocol->seed + (uint64_t)search->measuring.contest->rounds);
}

/* The best is ahead of the runner-up beyond doubt. */
static bool is_resolved(
	struct search *search, const struct trial *best, const struct trial *runner_up)
{
	return !runner_up ||
	       (best->stats.median <= runner_up->stats.median * (1 - DECIDE_GAIN) &&
		       lead(search, best, runner_up, CAUTIOUS_LEVEL).high < 1 - DECIDE_GAIN / 2);
}

/* The best is not ahead by a gain that counts, beyond doubt. */
static bool is_tied(struct search *search, const struct trial *best, const struct trial *runner_up)
{
	return runner_up && lead(search, best, runner_up, DECIDE_LEVEL).low > 1 - DECIDE_GAIN;
}

/* Nothing varies any more. */
static bool is_calm(struct search *search, const struct trial *best, const struct trial *runner_up)
{
	(void)search;
	(void)runner_up;
	return spread(best) <= CALM_IQR &&
	       best->stats.median * best->sample_count * best->batch >= CALM_SECONDS;
}

/* More rounds do not narrow the noise. */
static bool is_steady(
	struct search *search, const struct trial *best, const struct trial *runner_up)
{
	(void)runner_up;
	if (search->measuring.contest->rounds % STEADY_ROUNDS)
		return false;
	double before = search->earlier_spread, now = spread(best);
	search->earlier_spread = now;
	return before > 0 && fabs(now - before) <= STEADY_CHANGE * before;
}

/* Asked in this order after every round of the finals. */
static const struct rule {
	const char *name;
	bool (*holds)(
		struct search *search, const struct trial *best, const struct trial *runner_up);
} rules[] = {
	{"resolved", is_resolved},
	{"tied", is_tied},
	{"calm", is_calm},
	{"steady noise", is_steady},
};
#define RULE_COUNT ((int)(sizeof rules / sizeof *rules))

/* Seconds spent of those allowed, as a fraction; at 1 time is up. A deadline is kept as nearly as
 * rounds allow: one that would end later beyond it than it begins before it is not begun. */
static double time_used(const struct search *search)
{
	const struct protocol *protocol = search->measuring.protocol;
	double now = clock_seconds(), used = 0;
	if (protocol->limit > 0)
		used = (now - search->begin) / protocol->limit;
	if (protocol->deadline > 0) {
		double allowed = protocol->deadline - search->begin - search->round / 2;
		used = fmax(used, allowed > 0 ? (now - search->begin) / allowed : 1);
	}
	return used;
}

/* Why to stop after this round; NULL: go on. */
static const char *stop_reason(struct search *search)
{
	const struct protocol *protocol = search->measuring.protocol;
	const struct trial *best, *runner_up;
	if (time_used(search) >= 1)
		return protocol->deadline > 0 ? "budget spent" : "time limit";
	if (protocol->rounds || search->measuring.contest->rounds >= MOST_ROUNDS)
		return search->measuring.contest->rounds >=
				       (protocol->rounds ? protocol->rounds : MOST_ROUNDS)
			       ? "done"
			       : NULL;
	contest_leaders(search->measuring.contest, &best, &runner_up);
	if (!best)
		return "no schedule left";
	if (search->measuring.contest->rounds < SEARCH_SCREENING + SEARCH_FINALS ||
		protocol->deadline > 0)
		return NULL;
	for (int i = 0; i < RULE_COUNT; i++)
		if (rules[i].holds(search, best, runner_up))
			return rules[i].name;
	return NULL;
}

/* After the screening, what is far behind the best rests; the default schedule and the incumbent
 * are what others are compared with and stay. */
static void drop_slow(struct search *search)
{
	struct measuring *m = &search->measuring;
	const struct trial *best, *runner_up;
	contest_leaders(m->contest, &best, &runner_up);
	for (int i = 0; best && i < m->count; i++) {
		struct trial *trial = m->candidates[i].trial;
		double behind = trial->stats.median / best->stats.median;
		if (!m->candidates[i].kernel || behind < SEARCH_BEHIND ||
			trial->schedule == m->protocol->incumbent ||
			trial->schedule == schedule_default(trial->schedule->pass))
			continue;
		m->candidates[i].resting = true;
		trial->fell = search->measuring.contest->rounds;
		str_addf(&m->contest->story, "round %d: %s falls, %.2f times the best\n",
			search->measuring.contest->rounds, trial->schedule->name, behind);
	}
}

/* Samples are paired by round: a round cut short leaves none, but for the first, which is all there
 * is. */
static void drop_part_of_round(struct contest *contest)
{
	for (int i = 0; contest->rounds && i < contest->count; i++) {
		struct trial *trial = &contest->trials[i];
		if (trial->sample_count <= contest->rounds)
			continue;
		trial->sample_count = contest->rounds;
		stats_of(&trial->stats, trial->samples, trial->sample_count);
	}
}

/* Takes up an earlier run of this contest that was cut short, if there is one. */
static void go_on(struct search *search)
{
	struct measuring *m = &search->measuring;
	if (!m->watch || !m->watch->resume)
		return;
	m->watch->resume(m->watch->context, m->contest);
	for (int i = 0; i < m->count; i++)
		m->candidates[i].resting = m->candidates[i].trial->fell > 0 ||
					   m->candidates[i].trial->outcome != OUTCOME_OK;
	m->rng.state += (uint64_t)m->contest->rounds;
	if (m->contest->rounds)
		str_addf(
			&m->contest->story, "taken up again after %d rounds\n", m->contest->rounds);
}

int search_run(struct contest *contest, struct candidate *candidates, int count,
	const struct protocol *protocol, const struct watch *watch, struct err *err)
{
	struct search search = {
		.measuring = {contest, candidates, count, protocol, watch, {protocol->seed}}};
	const char *reason = NULL;
	int result = count ? measure_warm(&search.measuring, err) : 0;
	if (!result)
		go_on(&search);
	search.begin = clock_seconds();
	while (!result && !reason && count) {
		double share = protocol->rounds ? (double)contest->rounds / protocol->rounds
						: (double)contest->rounds /
							  (SEARCH_SCREENING + STEADY_ROUNDS);
		double began = clock_seconds();
		measure_say(&search.measuring, "timing", fmax(share, time_used(&search)), 1);
		result = measure_round(&search.measuring, err);
		search.round = clock_seconds() - began;
		if (result)
			break;
		contest->rounds++;
		if (!protocol->rounds && contest->rounds == SEARCH_SCREENING)
			drop_slow(&search);
		if (watch && watch->round)
			watch->round(watch->context, contest);
		reason = stop_reason(&search);
	}
	if (result && err->kind == ERR_INTERRUPTED) {
		drop_part_of_round(contest);
		reason = "interrupted";
	}
	if (reason) {
		snprintf(contest->stop, sizeof contest->stop, "%s after %d round%s", reason,
			contest->rounds, contest->rounds == 1 ? "" : "s");
		str_addf(&contest->story, "stopped: %s\n", contest->stop);
	}
	return result;
}
