/* What a contest leaves in the store. */
#ifndef CMD_KEEP_H
#define CMD_KEEP_H

#include <stdbool.h>

#include "tune/store.h"

/* Keeps every trial that had its turn and, with `ranked`, the ranking if there was a decision. */
int keep_contest(struct store *store, const struct key *key, const struct contest *contest,
	const struct circumstances *circumstances, bool ranked, struct err *err);

#endif
