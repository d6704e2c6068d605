/* Threads and bytes of shared memory of a block, for the host that launches and the kernel that
 * lays them out. Macros of constants: both compilers fold them. SHARED_ is of the CUDA kernels,
 * LDS_ (kernels/gpu/shared_hip.h) of the HIP kernels. */
#ifndef KERNELS_GPU_SHARED_H
#define KERNELS_GPU_SHARED_H

/* A row of a tile is padded by 16 bytes, so that eight rows touch all banks. */
#define PITCH(columns, size) ((columns) + 16 / (size))
/* Bytes of a tile: rows of a head, or rows by keys of weights. */
#define TILE_HEAD(rows, size)          ((size) * (rows)*PITCH(HEAD_DIM, size))
#define TILE_WEIGHTS(rows, keys, size) ((size) * (rows)*PITCH(keys, size))

/* A warp per 16 rows. WARP, its lanes, is the includer's: the host's is the open device's. */
#define THREADS_attend(rows, keys)          ((rows) / 16 * WARP)
#define THREADS_attend_mma(rows, keys)      ((rows) / 16 * WARP)
#define THREADS_delta(rows, keys)           256
#define THREADS_attend_back(rows, keys)     ((keys) / 16 * WARP)
#define THREADS_attend_back_mma(rows, keys) ((keys) / 16 * WARP)
#define THREADS_attend_back_q(rows, keys)   ((rows) / 16 * WARP)
#define THREADS_rotate_back(rows, keys)     256

/* Registers a thread may have: as few as do without spills, so that more blocks are in flight. */
#define REGISTERS_attend(rows, keys)          ((keys) > (rows) ? 255 : (keys) < (rows) ? 128 : 168)
#define REGISTERS_attend_mma(rows, keys)      ((keys) == 32 ? 128 : 168)
#define REGISTERS_delta(rows, keys)           64
#define REGISTERS_attend_back(rows, keys)     255
#define REGISTERS_attend_back_mma(rows, keys) 255
#define REGISTERS_attend_back_q(rows, keys)   168
#define REGISTERS_rotate_back(rows, keys)     64
#define BLOCKS(registers, threads)            (65536 / ((registers) * (threads)))

/* Queries, keys, two turns of values; weights. */
#define SHARED_attend(rows, keys, size)                                                            \
	(TILE_HEAD((rows) + 3 * (keys), size) + TILE_WEIGHTS(rows, keys, size))
/* Two turns of keys and values. */
#define SHARED_attend_mma(rows, keys, size) TILE_HEAD(4 * (keys), size)
/* Keys, values, queries and dout; dS; P of 16 queries; lse and delta. */
#define SHARED_attend_back(rows, keys, size)                                                       \
	(TILE_HEAD(2 * (keys) + 2 * (rows), size) + TILE_WEIGHTS(keys, rows, size) +               \
		TILE_WEIGHTS(keys, 16, size) + 8 * (rows))
/* Keys, two turns of queries, dout, lse and delta; dS. */
#define SHARED_attend_back_mma(rows, keys, size)                                                   \
	(TILE_HEAD((keys) + 4 * (rows), size) + TILE_WEIGHTS(keys, rows, size) + 16 * (rows))
/* Two turns of keys and values. */
#define SHARED_attend_back_q(rows, keys, size) TILE_HEAD(4 * (keys), size)
#define SHARED_delta(rows, keys, size)         0
#define SHARED_rotate_back(rows, keys, size)   0

#endif
