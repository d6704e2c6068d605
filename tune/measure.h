/* The rounds: every right kernel timed in turn, in shuffled order, so that drift hits all alike. */
#ifndef TUNE_MEASURE_H
#define TUNE_MEASURE_H

#include "tune/contest.h"

/* A trial that passed the gate and the kernel to time for it. */
struct candidate {
	struct trial *trial;
	struct kernel *kernel; /* NULL once it failed */
};

/* Warms up, then appends a sample a round to each candidate's trial. A candidate that fails turns
 * run-failed and drops out. Says in `contest->stop` why it stopped. -1 with ERR_INTERRUPTED keeps
 * the samples so far. */
int measure_rounds(struct contest *contest, struct candidate *candidates, int count,
	const struct protocol *protocol, const struct watch *watch, struct err *err);

#endif
