/* Threads and bytes of shared memory of a block, for the host that launches and the kernel that
 * lays them out. Macros of constants: both compilers fold them. */
#ifndef KERNELS_GPU_SHARED_H
#define KERNELS_GPU_SHARED_H

/* A row of an operand tile is padded by 16 bytes, so that eight rows touch all banks. */
#define PITCH(columns, size) ((columns) + 16 / (size))

/* A warp of 32 lanes per 16 rows. */
#define THREADS_attend(rows, keys)          (2 * (rows))
#define THREADS_attend_mma(rows, keys)      (2 * (rows))
#define THREADS_delta(rows, keys)           256
#define THREADS_attend_back(rows, keys)     (2 * (keys))
#define THREADS_attend_back_mma(rows, keys) (2 * (keys))
#define THREADS_attend_back_q(rows, keys)   (2 * (rows))
#define THREADS_rotate_back(rows, keys)     256

#define SHARED_attend(rows, keys, size)                                                            \
	((size) * (((rows) + 2 * (keys)) * 64 + (rows) * (keys)) +                                 \
		4 * ((rows) * (keys) + (rows)*64 + 7 * (rows)))
#define SHARED_attend_mma(rows, keys, size) ((size) * ((rows) + 2 * (keys)) * PITCH(64, size))
#define SHARED_delta(rows, keys, size)      0
#define SHARED_attend_back(rows, keys, size)                                                       \
	((size) * (4 * (keys)*64 + 2 * (keys) * (keys)) +                                          \
		4 * ((2 * (keys) > 64 ? 2 * (keys) : 64) * (keys) + 2 * (keys)*64 + 2 * (keys)))
#define SHARED_attend_back_mma(rows, keys, size)                                                   \
	((size) * (4 * (keys)*PITCH(64, size) + (keys)*PITCH(keys, size)) + 8 * (keys))
#define SHARED_attend_back_q(rows, keys, size)                                                     \
	((size) * (2 * (rows) + 2 * (keys)) * PITCH(64, size) + 8 * (rows))
#define SHARED_rotate_back(rows, keys, size) 0

#endif
