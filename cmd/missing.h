/* What `pattn pick` asked for in vain, as problems to be tuned. */
#ifndef CMD_MISSING_H
#define CMD_MISSING_H

#include "cmd/agenda.h"
#include "cmd/options.h"
#include "kernels/backend.h"

/* Adds the misses of `device` in the store that the options name, those of their cache mode;
 * `*others` counts what the store misses besides. */
int missing_add(struct agenda *agenda, const struct options *options,
	const struct device_info *device, int *others, struct err *err);

#endif
