/* Schedules that crashed or hung here before. */
#ifndef TUNE_STORE_QUARANTINE_H
#define TUNE_STORE_QUARANTINE_H

#include "tune/store.h"

/* The failure that keeps a schedule out. */
struct quarantine {
	enum outcome outcome; /* run-failed or timed-out */
	char why[320];
	char created[32]; /* UTC */
};

/* Whether `schedule`, of the same code and compiler as `device` has, failed to run or timed out on
 * such a device in the pass and type of `key`, and has not gone well on that shape since. 1 and the
 * last such failure, 0: it has not, or -1. */
int store_quarantine(struct store *store, const struct key *key, const struct device_info *device,
	const struct schedule *schedule, struct quarantine *quarantine, struct err *err);

#endif
