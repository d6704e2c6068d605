/* Order statistics of samples. */
#ifndef TUNE_STATS_H
#define TUNE_STATS_H

/* Quartiles by linear interpolation between order statistics (type 7 of Hyndman and Fan, 1996). */
struct stats {
	int count;
	double median, first_quartile, third_quartile, min, max;
};

/* All zero when `count` is 0. `samples` is left as it was. */
void stats_of(struct stats *stats, const double *samples, int count);

#endif
