#include "tune/decide.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

#define RESAMPLES 1000

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

/* Room that only a broken machine refuses. */
static void *need(int64_t count, int64_t size)
{
	struct err err;
	void *room = mem_new(count, size, "resamples", &err);
	if (!room)
		bug("%s", err.text);
	return room;
}

/* The median of a resample of `sorted`: `drawn` counts how often each element was drawn. */
static double drawn_median(const double *sorted, const int *drawn, int count)
{
	int seen = 0, at = -1, lower = -1;
	while (seen <= count / 2) {
		seen += drawn[++at];
		if (lower < 0 && seen > (count - 1) / 2)
			lower = at;
	}
	return (sorted[lower] + sorted[at]) / 2;
}

struct interval ratio_interval(
	const double *a, const double *b, int count, double level, uint64_t seed)
{
	struct rng rng = {seed};
	double *ratios = need(count, sizeof *ratios), *medians = need(RESAMPLES, sizeof *medians);
	int *drawn = need(count, sizeof *drawn);
	for (int i = 0; i < count; i++)
		ratios[i] = a[i] / b[i];
	qsort(ratios, (size_t)count, sizeof *ratios, by_value);
	for (int i = 0; i < RESAMPLES; i++) {
		memset(drawn, 0, (size_t)count * sizeof *drawn);
		for (int k = 0; k < count; k++)
			drawn[rng_between(&rng, 0, count - 1)]++;
		medians[i] = drawn_median(ratios, drawn, count);
	}
	qsort(medians, RESAMPLES, sizeof *medians, by_value);
	int tail = (int)((1 - level) / 2 * RESAMPLES);
	struct interval interval = {medians[tail], medians[RESAMPLES - 1 - tail]};
	mem_free(ratios);
	mem_free(medians);
	mem_free(drawn);
	return interval;
}

static int paired(const struct trial *a, const struct trial *b)
{
	return a->sample_count < b->sample_count ? a->sample_count : b->sample_count;
}

/* Whether `better` is faster than `other` beyond doubt; says so in the story. */
static bool is_faster(struct contest *contest, const struct trial *better,
	const struct trial *other, uint64_t seed)
{
	int count = paired(better, other);
	if (count < 2)
		return false;
	struct interval ratio =
		ratio_interval(better->samples, other->samples, count, DECIDE_LEVEL, seed);
	double gain = 1 - better->stats.median / other->stats.median;
	bool faster = ratio.high < 1 && gain >= DECIDE_GAIN;
	str_addf(&contest->story,
		"%s against %s: %.4f of its time, 95 %% interval %.4f to %.4f over %d rounds: %s\n",
		better->schedule->name, other->schedule->name, 1 - gain, ratio.low, ratio.high,
		count,
		faster            ? "faster"
		: ratio.high >= 1 ? "not told apart"
				  : "less than 1 % gained");
	return faster;
}

static int tie_order(const struct trial *trial, const struct schedule *incumbent)
{
	return trial->schedule == incumbent                                 ? 0
	       : trial->schedule == schedule_default(trial->schedule->pass) ? 1
									    : 2;
}

static bool ranks_before(
	const struct trial *a, const struct trial *b, const struct schedule *incumbent)
{
	int first = tie_order(a, incumbent), second = tie_order(b, incumbent);
	if (first != second)
		return first < second;
	if (a->scratch != b->scratch)
		return a->scratch < b->scratch;
	return strcmp(a->schedule->name, b->schedule->name) < 0;
}

static bool is_quicker(
	const struct trial *a, const struct trial *b, const struct schedule *incumbent)
{
	(void)incumbent;
	return a->stats.median < b->stats.median;
}

/* Insertion sort: a contest has a handful of trials. */
static void sort_ranks(struct contest *contest, int count, const struct schedule *incumbent,
	bool (*before)(const struct trial *, const struct trial *, const struct schedule *))
{
	for (int i = 1; i < count; i++)
		for (int k = i; k > 0; k--) {
			int *pair = &contest->ranking[k - 1];
			if (!before(&contest->trials[pair[1]], &contest->trials[pair[0]],
				    incumbent))
				break;
			int earlier = pair[0];
			pair[0] = pair[1];
			pair[1] = earlier;
		}
}

void contest_decide(struct contest *contest, const struct schedule *incumbent, uint64_t seed)
{
	contest->ranked = 0;
	contest->decision = DECISION_NONE;
	for (int i = 0; i < contest->count; i++)
		if (contest->trials[i].outcome == OUTCOME_OK && contest->trials[i].sample_count)
			contest->ranking[contest->ranked++] = i;
	if (!contest->ranked)
		return;
	sort_ranks(contest, contest->ranked, incumbent, is_quicker);
	const struct trial *best = &contest->trials[contest->ranking[0]];
	int tied = 1;
	while (tied < contest->ranked &&
		!is_faster(contest, best, &contest->trials[contest->ranking[tied]], seed))
		tied++;
	contest->decision = tied > 1 ? DECISION_TIE : DECISION_WINNER;
	sort_ranks(contest, tied, incumbent, ranks_before);
	str_addf(&contest->story, "%s: %s\n", decision_name(contest->decision),
		contest->trials[contest->ranking[0]].schedule->name);
}

void contest_leaders(
	const struct contest *contest, const struct trial **best, const struct trial **runner_up)
{
	*best = *runner_up = NULL;
	for (int i = 0; i < contest->count; i++) {
		const struct trial *trial = &contest->trials[i];
		if (trial->outcome != OUTCOME_OK || !trial->sample_count)
			continue;
		if (!*best || trial->stats.median < (*best)->stats.median) {
			*runner_up = *best;
			*best = trial;
		} else if (!*runner_up || trial->stats.median < (*runner_up)->stats.median) {
			*runner_up = trial;
		}
	}
}
