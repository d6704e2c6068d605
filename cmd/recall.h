/* What the store holds for a problem, as far as it can be used here and now. */
#ifndef CMD_RECALL_H
#define CMD_RECALL_H

#include <stdbool.h>

#include "kernels/backend.h"
#include "tune/report.h"
#include "tune/store.h"

struct recall {
	int usable; /* rows added to the report, best first */
	bool due;   /* some were measured with another driver: usable, but to be measured anew */
	/* The winner so far, usable or not; NULL where this build knows none of that name. */
	const struct schedule *incumbent;
	char why[200]; /* why others were left out: the last one's reason; empty: none was */
};

/* Looks `key` up and adds to `report` (NULL: to none) what is fresh and can run `problem` on
 * `device`.
 * -1 and `err` when the store cannot be read. */
int recall(struct recall *recall, struct report *report, struct store *store, const struct key *key,
	const struct device *device, const struct problem *problem, struct err *err);

#endif
