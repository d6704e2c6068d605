/* Who won: the ranking of a contest and whether its first place is earned. */
#ifndef TUNE_DECIDE_H
#define TUNE_DECIDE_H

#include "tune/contest.h"

#define DECIDE_GAIN  0.01 /* the least gain over the runner-up that counts */
#define DECIDE_LEVEL 0.95 /* of the interval that a winner's ratio must keep below 1 */

/* Ranks the timed trials of `contest` by median and decides. A winner's paired-bootstrap interval
 * of its per-round ratio to the runner-up lies below 1 and its gain is DECIDE_GAIN or more;
 * otherwise it is a tie, and among those not told apart from the best the order is: `incumbent`
 * (or NULL), the default schedule, less scratch, name. `seed` drives the resampling. */
void contest_decide(struct contest *contest, const struct schedule *incumbent, uint64_t seed);

/* The interval [low, high] at `level` of the median of a[i] / b[i], i < count, by paired resamples
 * (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13). */
struct interval {
	double low, high;
};
struct interval ratio_interval(
	const double *a, const double *b, int count, double level, uint64_t seed);

/* The two quickest of the trials still ok, by median of all their samples; NULL where there are
 * fewer. */
void contest_leaders(
	const struct contest *contest, const struct trial **best, const struct trial **runner_up);

#endif
