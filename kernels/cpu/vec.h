/* Vectors of LANES floats in the compiler's own notation, and what every instruction set shares. */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "data/dtype.h"
#include "kernels/cpu/isa.h"

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef int32_t ivec __attribute__((vector_size(4 * LANES)));
typedef uint32_t uvec __attribute__((vector_size(4 * LANES)));
typedef uint16_t hvec __attribute__((vector_size(2 * LANES)));

static inline vec vec_set(float x)
{
	return x - (vec){0};
}

static inline vec vec_load(const float *from)
{
	vec x;
	memcpy(&x, from, sizeof x);
	return x;
}

static inline void vec_store(float *to, vec x)
{
	memcpy(to, &x, sizeof x);
}

static inline vec vec_load_bf16(const uint16_t *from)
{
	hvec half;
	memcpy(&half, from, sizeof half);
	return (vec)(__builtin_convertvector(half, uvec) << 16);
}

/* Round to nearest, ties to even; a NaN keeps its upper bits and becomes quiet. */
static inline void vec_store_bf16(uint16_t *to, vec x)
{
	uvec bits = (uvec)x;
	uvec rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
	uvec is_nan = (uvec)(x != x);
	uvec result = (is_nan & ((bits >> 16) | 0x40)) | (~is_nan & rounded);
	hvec half = __builtin_convertvector(result, hvec);
	memcpy(to, &half, sizeof half);
}

static inline float vec_sum_lanes(vec x)
{
	float lanes[LANES];
	memcpy(lanes, &x, sizeof x);
	for (int stride = LANES / 2; stride; stride /= 2)
		for (int i = 0; i < stride; i++)
			lanes[i] += lanes[i + stride];
	return lanes[0];
}

/* 2^x = 2^n * 2^f with n = round(x), f in [-1/2, 1/2], for x <= 127: minimax of degree 6 with
 * relative error 2e-9 before rounding, exactly 1 at 0. Below -126 the result is 0; NaN stays. */
static inline __attribute__((unused)) vec vec_exp2_portable(vec x)
{
	const float round = 0x1.8p23f; /* adding it leaves round(x) in the low mantissa bits */
	vec shifted = x + round;
	vec f = x - (shifted - round);
	vec p = vec_set(1.535336188e-4f);
	p = p * f + 1.339887442e-3f;
	p = p * f + 9.618437358e-3f;
	p = p * f + 5.550332471e-2f;
	p = p * f + 2.402264791e-1f;
	p = p * f + 6.931472029e-1f;
	p = p * f + 1.0f;
	vec power = (vec)(((uvec)shifted << 23) + 0x3f800000u);
	ivec vanishes = x < vec_set(-126.0f);
	return (vec)((ivec)(p * power) & ~vanishes);
}
