/* Whether what a store holds still tells about the device as it is now. */
#ifndef TUNE_FRESHNESS_H
#define TUNE_FRESHNESS_H

#include "kernels/backend.h"
#include "tune/store.h"

enum freshness {
	FRESH,
	DUE,   /* usable, but should be measured anew: another driver */
	STALE, /* not to be used: other kernels, another compiler or architecture */
};
const char *freshness_name(enum freshness freshness); /* "fresh", "due", "stale" */

/* Judges a row by the device it would be used on. `why` is in a few words ("the kernels changed
 * since", "made by another compiler: gcc 11.4"), empty for a fresh one. */
enum freshness freshness_judge(
	const struct stored *stored, const struct device_info *device, struct reason *why);

#endif
