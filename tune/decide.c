#include "tune/decide.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"

#define RESAMPLES 2000

static int by_value(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return (a > b) - (a < b);
}

static double *doubles(int count)
{
	struct err err;
	double *values = mem_new(count, sizeof *values, "resamples", &err);
	if (!values)
		bug("%s", err.text);
	return values;
}

void ratio_interval(const double *a, const double *b, int count, uint64_t seed, double *low,
	double *high)
{
	struct rng rng = {seed};
	double *drawn = doubles(count), *medians = doubles(RESAMPLES);
	for (int i = 0; i < RESAMPLES; i++) {
		struct stats stats;
		for (int k = 0; k < count; k++) {
			int64_t pick = rng_between(&rng, 0, count - 1);
			drawn[k] = a[pick] / b[pick];
		}
		stats_of(&stats, drawn, count);
		medians[i] = stats.median;
	}
	qsort(medians, RESAMPLES, sizeof *medians, by_value);
	*low = medians[(int)(0.025 * RESAMPLES)];
	*high = medians[(int)(0.975 * RESAMPLES) - 1];
	mem_free(drawn);
	mem_free(medians);
}

/* Whether `better` is faster than `other` beyond doubt. */
static bool is_faster(const struct trial *better, const struct trial *other, uint64_t seed)
{
	int count = better->sample_count < other->sample_count ? better->sample_count
							       : other->sample_count;
	double low, high;
	if (count < 2 || better->stats.median > other->stats.median * (1 - DECIDE_GAIN))
		return false;
	ratio_interval(better->samples, other->samples, count, seed, &low, &high);
	return high < 1;
}

static bool ranks_before(const struct trial *a, const struct trial *b)
{
	bool a_default = a->schedule == schedule_default(a->schedule->pass);
	bool b_default = b->schedule == schedule_default(b->schedule->pass);
	if (a_default != b_default)
		return a_default;
	if (a->scratch != b->scratch)
		return a->scratch < b->scratch;
	return strcmp(a->schedule->name, b->schedule->name) < 0;
}

/* Insertion sort: a contest has a handful of trials. */
static void sort_ranks(struct contest *contest, int count,
	bool (*before)(const struct trial *a, const struct trial *b))
{
	for (int i = 1; i < count; i++)
		for (int k = i; k > 0; k--) {
			int *pair = &contest->ranking[k - 1];
			if (!before(&contest->trials[pair[1]], &contest->trials[pair[0]]))
				break;
			int earlier = pair[0];
			pair[0] = pair[1];
			pair[1] = earlier;
		}
}

static bool is_quicker(const struct trial *a, const struct trial *b)
{
	return a->stats.median < b->stats.median;
}

void contest_decide(struct contest *contest, uint64_t seed)
{
	contest->ranked = 0;
	contest->decision = DECISION_NONE;
	for (int i = 0; i < contest->count; i++)
		if (contest->trials[i].outcome == OUTCOME_OK && contest->trials[i].sample_count)
			contest->ranking[contest->ranked++] = i;
	if (!contest->ranked)
		return;
	sort_ranks(contest, contest->ranked, is_quicker);
	const struct trial *best = &contest->trials[contest->ranking[0]];
	int tied = 1;
	while (tied < contest->ranked &&
		!is_faster(best, &contest->trials[contest->ranking[tied]], seed))
		tied++;
	contest->decision = tied > 1 ? DECISION_TIE : DECISION_WINNER;
	sort_ranks(contest, tied, ranks_before);
}
