/* Bytes of shared memory of a block of the HIP kernels: at most 65536 on most AMD GPUs, and the
 * less the more blocks a compute unit holds. */
#ifndef KERNELS_GPU_SHARED_HIP_H
#define KERNELS_GPU_SHARED_HIP_H

#include "kernels/gpu/shared.h"

/* A tile of which 8 rows of a column lie side by side; groups of 8 rows are 16 bytes further apart
 * than they need be. Of 16-bit elements. */
#define TURNED_GROUP      (8 * (HEAD_DIM + 1))
#define TILE_TURNED(rows) (2 * (rows) / 8 * TURNED_GROUP)

/* Queries, keys, values; weights. */
#define LDS_attend(rows, keys, size)                                                               \
	(TILE_HEAD((rows) + 2 * (keys), size) + TILE_WEIGHTS(rows, keys, size))
/* Keys; values, turned. */
#define LDS_attend_mma(rows, keys, size) (TILE_HEAD(keys, size) + TILE_TURNED(keys))
/* Keys, values, queries and dout; P, then dS; lse and delta. */
#define LDS_attend_back(rows, keys, size)                                                          \
	(TILE_HEAD(2 * (keys) + 2 * (rows), size) + TILE_WEIGHTS(keys, rows, size) + 8 * (rows))
/* Keys, queries, dout; dS; lse and delta. */
#define LDS_attend_back_mma(rows, keys, size)                                                      \
	(TILE_HEAD((keys) + 2 * (rows), size) + TILE_WEIGHTS(keys, rows, size) + 8 * (rows))
/* Keys and values. */
#define LDS_attend_back_q(rows, keys, size) TILE_HEAD(2 * (keys), size)
#define LDS_delta(rows, keys, size)         0
#define LDS_rotate_back(rows, keys, size)   0

#endif
