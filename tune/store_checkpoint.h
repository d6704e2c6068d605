/* A contest in flight, kept so that a kill costs no more than the round since. */
#ifndef TUNE_STORE_CHECKPOINT_H
#define TUNE_STORE_CHECKPOINT_H

#include "tune/store.h"

/* Keeps the rounds of `contest` and its trials but the untried, replacing what this process kept of
 * `key` before. One short change that waits for the disk: where rounds are quicker than a second,
 * once a second is enough. */
int store_save_checkpoint(struct store *store, const struct key *key, const struct contest *contest,
	const struct circumstances *circumstances, struct err *err);

/* Takes over the checkpoint with the most rounds that a process now gone left for `key`, the same
 * problem, kernels, compiler and driver, and the same rounds, schedules and seed of the protocol:
 * fills in the rounds of `contest` and, of its trials that are ok, samples, marks, batch and
 * `fell`, or the outcome and reason of one that has failed by then. 1 when there was one, 0, or -1
 * with the contest as it was. What processes now gone left for `key` with other kernels is dropped.
 */
int store_load_checkpoint(struct store *store, const struct key *key, struct contest *contest,
	const struct circumstances *circumstances, struct err *err);

#endif
