/* Keys that were asked for in vain, for `tune --missing`. */
#ifndef TUNE_STORE_MISS_H
#define TUNE_STORE_MISS_H

#include <stdint.h>

#include "tune/store.h"

struct miss {
	struct key key;
	const char *lens; /* folded: with the key's heads, window and type, the whole problem */
	int64_t tokens, longest; /* exact */
	uint64_t seed;           /* of the protocol */
	const char *asked;       /* when last: UTC */
	int64_t times;
};

/* Notes that `problem` was looked up under `key` and nothing usable was there. Asked again, the
 * last problem of a key counts. The miss goes when a ranking for `key` comes. */
int store_add_miss(struct store *store, const struct key *key, const struct problem *problem,
	const struct circumstances *circumstances, struct err *err);

/* Calls `visit` for each miss, those asked for most often first, until it returns non-zero; strings
 * are valid in the callback, which must not change the store. How many there were, or -1. */
int store_each_miss(struct store *store, int (*visit)(void *context, const struct miss *miss),
	void *context, struct err *err);

#endif
