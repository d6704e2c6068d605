/* Who won: the ranking of a contest and whether its first place is earned. */
#ifndef TUNE_DECIDE_H
#define TUNE_DECIDE_H

#include "tune/contest.h"

#define DECIDE_GAIN 0.01 /* the least gain over the runner-up that counts */

/* Ranks the timed trials of `contest` by median and decides. A winner's paired-bootstrap 95 %
 * interval of its per-round ratio to the runner-up lies below 1 and its gain is DECIDE_GAIN or
 * more; otherwise it is a tie, and among those not told apart from the best the order is: the
 * default schedule, less scratch, name. `seed` drives the resampling. */
void contest_decide(struct contest *contest, uint64_t seed);

/* The 95 % interval [low, high] of the median of a[i] / b[i], i < count, by 2,000 paired
 * resamples (Efron and Tibshirani, "An Introduction to the Bootstrap", 1993, chapter 13). */
void ratio_interval(const double *a, const double *b, int count, uint64_t seed, double *low,
	double *high);

#endif
