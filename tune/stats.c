#include "tune/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

/* The value a fraction `p` of the way along `sorted`, between its neighbours where it must be. */
static double quantile(const double *sorted, int count, double p)
{
	double place = p * (count - 1);
	int below = (int)place;
	int above = below + 1 < count ? below + 1 : below;

	return sorted[below] + (place - below) * (sorted[above] - sorted[below]);
}

void stats_of(struct stats *stats, const double *samples, int count)
{
	struct err err;
	double *sorted;

	*stats = (struct stats){.count = count};
	if (!count)
		return;
	sorted = mem_new(count, sizeof *sorted, "samples to sort", &err);
	if (!sorted)
		bug("%s", err.text);
	memcpy(sorted, samples, (size_t)count * sizeof *sorted);
	qsort(sorted, (size_t)count, sizeof *sorted, compare_doubles);
	stats->min = sorted[0];
	stats->first_quartile = quantile(sorted, count, 0.25);
	stats->median = quantile(sorted, count, 0.5);
	stats->third_quartile = quantile(sorted, count, 0.75);
	stats->max = sorted[count - 1];
	mem_free(sorted);
}
