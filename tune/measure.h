/* Samples: warm-up, one timed call, and a round of them over all candidates. */
#ifndef TUNE_MEASURE_H
#define TUNE_MEASURE_H

#include "base/rng.h"
#include "tune/contest.h"

/* A trial that passed the gate and the kernel to time for it. */
struct candidate {
	struct trial *trial;
	struct kernel *kernel; /* NULL once it failed */
	bool resting;          /* dropped from the rounds */
};

struct measuring {
	struct contest *contest;
	struct candidate *candidates;
	int count;
	const struct protocol *protocol;
	const struct watch *watch;
	struct rng rng;
};

/* Busies the device until its clocks have settled, then launches every candidate often enough to
 * have met its code and its data, and sets how many passes make one sample of it. A candidate that
 * fails turns run-failed and loses its kernel. -1 with ERR_INTERRUPTED, or when the device is
 * lost. */
int measure_warm(struct measuring *measuring, struct err *err);

/* One sample of every candidate that is not resting, in shuffled order (so that drift hits all
 * alike); their statistics are brought up to date. */
int measure_round(struct measuring *measuring, struct err *err);

/* Tells the watch, if there is one. */
void measure_say(const struct measuring *measuring, const char *what, double done, double total);

#endif
