/* What the store holds for a problem, as far as it can be used here and now. */
#ifndef CMD_RECALL_H
#define CMD_RECALL_H

#include "kernels/backend.h"
#include "tune/report.h"
#include "tune/store.h"

struct recall {
	int usable; /* rows added to the report, best first */
	/* The winner so far, usable or not; NULL where this build knows none of that name. */
	const struct schedule *incumbent;
	char why[200]; /* the reason of the last one left out; empty: none was */
	char due[200]; /* why what is usable should be measured anew all the same; or empty */
};

/* Looks `key` up and adds to `report` (NULL: to none) what is not stale and can run `problem` on
 * `device`. -1 and `err` when the store cannot be read. */
int recall(struct recall *recall, struct report *report, struct store *store, const struct key *key,
	const struct device *device, const struct problem *problem, struct err *err);

#endif
