/* The vocabulary of schedules, shared by backends, tuner, command line and store. */
#ifndef KERNELS_SCHEDULE_H
#define KERNELS_SCHEDULE_H

#include <stdbool.h>

#include "data/problem.h"

/* A way to walk a problem: tiles of `rows` queries by `keys` keys. */
struct schedule {
	enum pass pass;
	const char *name; /* "r64_c32"; unique within a pass */
	int rows;
	int keys;
	bool matrix; /* scores and accumulators in a matrix unit's registers */
	bool split;  /* backward: dQ in a kernel of its own, so that gradients repeat bit for bit */
};

/* Every schedule in the order of kernels/schedule.def: forward first, then backward. */
extern const struct schedule schedules[];
extern const int schedule_count;

/* NULL when there is none of that name. */
const struct schedule *schedule_find(enum pass pass, const char *name);

/* What to run where nothing was measured, and what wins a tie without an incumbent. */
const struct schedule *schedule_default(enum pass pass);

#endif
