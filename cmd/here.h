/* The devices of this machine, to judge by them what a store holds. */
#ifndef CMD_HERE_H
#define CMD_HERE_H

#include "kernels/backend.h"
#include "tune/store.h"

#define MOST_DEVICES 64

struct here {
	struct device_info infos[MOST_DEVICES];
	int count;
};

/* Opens each device there is, and closes it again. */
void here_look(struct here *here);

/* "fresh", "due" or "stale" for the device of that backend and model; NULL when there is none. The
 * number of its threads and its instruction set are the row's own. */
const char *here_freshness(const struct here *here, const struct stored *stored);

#endif
