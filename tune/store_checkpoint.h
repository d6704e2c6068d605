/* A contest in flight, kept so that a kill costs no more than the round since. */
#ifndef TUNE_STORE_CHECKPOINT_H
#define TUNE_STORE_CHECKPOINT_H

#include "tune/store.h"

/* What is known of a contest after `rounds` whole rounds. */
struct checkpoint {
	int rounds;
	/* Each with its schedule (of this build), outcome and reason, samples and their statistics,
	 * batch and the round it fell; nothing else is filled. */
	struct trial *trials;
	int count;
};
void checkpoint_release(struct checkpoint *checkpoint);

/* Keeps the trials of `contest` but the untried, replacing what this process kept of `key` before.
 * One short change that waits for the disk: where rounds are quicker than a second, once a second
 * is enough. */
int store_save_checkpoint(struct store *store, const struct key *key, const struct contest *contest,
	int rounds, const struct circumstances *circumstances, struct err *err);

/* Takes over the checkpoint with the most rounds that a process now gone left for `key`, the same
 * problem, kernels, compiler and driver, and the same rounds, schedules and seed of the protocol. 1
 * and `checkpoint`, which checkpoint_release frees; 0: there is none; or -1. What processes now
 * gone left for `key` with other kernels is dropped. */
int store_load_checkpoint(struct store *store, const struct key *key, const struct problem *problem,
	const struct circumstances *circumstances, struct checkpoint *checkpoint, struct err *err);

#endif
