/* A small seeded generator (splitmix64) for shuffles, drawn lengths and random problems. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stdint.h>

struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *rng);
/* Uniform in [low, high], both included; low <= high. */
int64_t rng_between(struct rng *rng, int64_t low, int64_t high);
/* Fisher-Yates over `count` indices. */
void rng_shuffle(struct rng *rng, int *items, int count);

#endif
