/* A smaller problem of the same kind, for the gate where the oracle would take too long on the real
 * one. */
#ifndef TUNE_SAMPLE_H
#define TUNE_SAMPLE_H

#include "data/lens.h"
#include "data/problem.h"

#define SAMPLE_ABOVE 1e12 /* oracle flops, both passes, from which a problem is sampled */
#define SAMPLE_FLOPS 1e11 /* and what is spent on the sample */
#define SAMPLE_CUT   2048 /* tokens of a sequence, beside those that do not fill a tile */

/* Whether `problem` is too large to be judged whole. */
bool sample_needed(const struct problem *problem);

/* Lengths of the same kind as the problem's: the longest, the shortest and as many evenly between
 * them as SAMPLE_FLOPS allows, each cut to SAMPLE_CUT tokens and what its last tile of 128 holds,
 * so that every kernel meets the same edges. Zero-initialise `lens`; the caller releases it. */
int sample_lens(struct lens *lens, const struct problem *problem, struct err *err);

#endif
