/* The element type of the tensors, -DELEM; products accumulate in f32 whatever it is. */
#ifndef KERNELS_GPU_DEVICE_ELEM_H
#define KERNELS_GPU_DEVICE_ELEM_H

#include "kernels/gpu/device.h"

#define ELEM_F32  0
#define ELEM_BF16 1
#define ELEM_F16  2

#if ELEM == ELEM_F32
typedef float elem;
#else
typedef u16 elem; /* its bits */
#endif

#define QUAD     (16 / (int)sizeof(elem)) /* elements in 16 bytes */
#define HALF_DIM (HEAD_DIM / 2)
#define ROW      PITCH(HEAD_DIM, (int)sizeof(elem)) /* from row to row of a tile in shared memory */

#if ELEM == ELEM_BF16
#define pair_widen  bf16_widen
#define pair_narrow bf16_narrow
#define mma         mma_bf16
#elif ELEM == ELEM_F16
#define pair_widen  f16_widen
#define pair_narrow f16_narrow
#define mma         mma_f16
#endif

DEVICE void quad_floats(struct quad quad, float *x)
{
	UNROLL
	for (int i = 0; i < 4; i++)
		x[i] = word_float(quad.words[i]);
}

#if ELEM == ELEM_F32

DEVICE void quad_widen(struct quad quad, float (&x)[QUAD])
{
	quad_floats(quad, x);
}

DEVICE struct quad quad_narrow(const float (&x)[QUAD])
{
	struct quad quad;
	UNROLL
	for (int i = 0; i < 4; i++)
		quad.words[i] = float_word(x[i]);
	return quad;
}

DEVICE void pair_store(elem *at, float lo, float hi)
{
	at[0] = lo;
	at[1] = hi;
}

DEVICE void elem_store(elem *at, float x)
{
	*at = x;
}

#else

DEVICE void quad_widen(struct quad quad, float (&x)[QUAD])
{
	UNROLL
	for (int i = 0; i < 4; i++)
		pair_widen(quad.words[i], &x[2 * i], &x[2 * i + 1]);
}

DEVICE struct quad quad_narrow(const float (&x)[QUAD])
{
	struct quad quad;
	UNROLL
	for (int i = 0; i < 4; i++)
		quad.words[i] = pair_narrow(x[2 * i], x[2 * i + 1]);
	return quad;
}

DEVICE void pair_store(elem *at, float lo, float hi)
{
	*(u32 *)at = pair_narrow(lo, hi);
}

DEVICE void elem_store(elem *at, float x)
{
	*at = (elem)pair_narrow(x, x);
}

#endif

#endif
