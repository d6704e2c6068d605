/* What the contests of one problem are run on: its inputs and the oracle's results. */
#ifndef CMD_STAGE_H
#define CMD_STAGE_H

#include <stdbool.h>

#include "base/team.h"
#include "data/tensors.h"
#include "oracle/oracle.h"

struct stage {
	struct tensors tensors;
	struct oracle oracle; /* of the problem or, when `sampled`, of the sample */
	bool sampled;
	struct problem sample; /* a smaller problem of the same kind (tune/sample.h) */
	struct tensors sample_tensors;
	bool ready;
};

/* Draws the inputs from `seed` and runs the oracle up to `pass`: on the problem, or on a sample
 * where it `may_sample` and the problem is too large. Zero-initialise `stage`; stage_release frees
 * it, also after a failure. */
int stage_make(struct stage *stage, const struct problem *problem, uint64_t seed, enum pass pass,
	bool may_sample, struct team *team, struct err *err);
void stage_release(struct stage *stage);

#endif
