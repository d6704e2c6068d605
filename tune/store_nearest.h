/* What is stored nearest to a key that has nothing. */
#ifndef TUNE_STORE_NEAREST_H
#define TUNE_STORE_NEAREST_H

#include "tune/store.h"

/* Finds the ranked key nearest to `key`: of the same device, pass, type, head dimension and cache
 * mode, and with a window if and only if `key` has one. Of those the one with as many heads, else
 * with other heads, for which the doublings between `tokens` and between `longest` sum to the
 * least; then the one whose heads and window are nearest. 1 and `*nearest`, 0: there is none, or
 * -1. */
int store_nearest(struct store *store, const struct key *key, struct key *nearest, struct err *err);

#endif
