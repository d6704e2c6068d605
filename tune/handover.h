/* What the forward pass hands to the backward one: out in the problem's type, and lse. */
#ifndef TUNE_HANDOVER_H
#define TUNE_HANDOVER_H

#include "tune/contest.h"

struct handover {
	void *out;
	float *lse;
};

/* From the arena's oracle, rounded, or where there is none from a forward run of the default
 * schedule on the device. Zero-initialise `handover`; handover_release frees it, also after a
 * failure. */
int handover_make(struct handover *handover, const struct arena *arena, struct err *err);
void handover_release(struct handover *handover);

/* The arena's tensors on its device; `handover` is empty for the forward pass. */
struct workload *arena_upload(const struct arena *arena, enum pass pass,
	const struct handover *handover, struct err *err);

#endif
