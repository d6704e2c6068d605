#include "base/rng.h"

uint64_t rng_next(struct rng *rng)
{
	uint64_t z = rng->state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

int64_t rng_between(struct rng *rng, int64_t low, int64_t high)
{
	uint64_t span = (uint64_t)high - (uint64_t)low + 1;
	uint64_t draw = rng_next(rng);

	if (span) {
		/* 2^64 mod span draws would favour the small remainders: draw again. */
		while (draw < -span % span)
			draw = rng_next(rng);
		draw %= span;
	}
	return (int64_t)((uint64_t)low + draw);
}

void rng_shuffle(struct rng *rng, int *items, int count)
{
	for (int i = count - 1; i > 0; i--) {
		int64_t j = rng_between(rng, 0, i);
		int item = items[i];

		items[i] = items[j];
		items[j] = item;
	}
}
