/* Seeded inputs, exactly as the reference makes them. */
#ifndef DATA_TENSORS_H
#define DATA_TENSORS_H

#include <stdint.h>

#include "data/problem.h"

#define TENSORS_SEED UINT64_C(7) /* qkv; dout takes the seed + 2 */

/* Inputs of both passes, rounded to the problem's type. */
struct tensors {
	void *qkv;  /* [T, 3*H*D] */
	void *dout; /* [T, H*D] */
	float *cos; /* [longest, D/2] */
	float *sin; /* [longest, D/2] */
};

/* xorshift64 from `seed` (0 is refused: it would stay 0), each value ((s mod 20001) / 10000 - 1) in
 * f32. */
int tensors_init(
	struct tensors *tensors, const struct problem *problem, uint64_t seed, struct err *err);
void tensors_release(struct tensors *tensors);

/* Fills `count` elements of `dtype` from the generator, as above. */
void tensors_fill(void *tensor, int64_t count, enum dtype dtype, uint64_t seed);
/* Half-split rotary angles f = position / 10000^(2 j / D), in f64, stored as f32. */
void tensors_rotary(float *cos, float *sin, int64_t positions);

#endif
