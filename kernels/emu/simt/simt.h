/* A SIMT machine on the CPU: what emulated kernels call, and how they are launched.
 *
 * A block's threads are fibers that run one at a time on one OS thread; blocks share out over OS
 * threads. Whatever a lane gives to a warp-wide operation waits in a slot until its whole warp has
 * come; the last to arrive computes for all. `site` names the place in the source: lanes that meet
 * from different places have diverged, which is an error of the launch, as is every other misuse
 * the machine can see. */
#ifndef KERNELS_EMU_SIMT_SIMT_H
#define KERNELS_EMU_SIMT_SIMT_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/gpu/args.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SIMT_WARP     32 /* lanes, unless the launch says otherwise */
#define SIMT_WARP_MAX 64

struct simt_place {
	unsigned thread, block_x, block_y;
	unsigned threads, grid_x, grid_y;
};
struct simt_place simt_place(void);

void simt_barrier(const char *site);
void simt_warp_barrier(const char *site);

/* The next array of the block's shared memory: every thread takes the same ones in the same order.
 * A red zone lies behind each; all of it is NaN at first. */
void *simt_shared(const char *name, size_t bytes);

float simt_shuffle_xor(float value, unsigned mask, const char *site);

enum simt_elem { SIMT_BF16, SIMT_F16 };
/* c += a b on m16n8k16 fragments, as PTX lays them out. */
void simt_mma(float c[4], const uint32_t a[4], const uint32_t b[2], enum simt_elem elem,
	const char *site);
/* c += a b on 16x16x16 fragments of AMD's matrix units, of the generation `gfx`: 9 (MFMA, 64
 * lanes), 11 or 12 (WMMA, 32 lanes). A lane has gfx 9: 4, 11: 16, 12: 8 elements of a and b, two a
 * word; and 4, 8, 8 of c. */
void simt_wave_mma(float *c, const uint32_t *a, const uint32_t *b, int gfx, enum simt_elem elem,
	const char *site);
/* Four 8x8 matrices of 16-bit elements; lane i gives the address of row i%8 of matrix i/8. */
void simt_ldmatrix(uint32_t r[4], const void *row, int transposed, const char *site);

/* 16 bytes from global to shared memory: NaN from now on, the bytes (or zeros where not `valid`)
 * once waited for. */
void simt_copy(void *to, const void *from, int valid, const char *site);
void simt_copy_wait(void); /* for all of this thread's */

/* What a launch did, summed over its blocks. `conflicts` counts the extra passes over the banks of
 * shared memory that ldmatrix rows cost. */
struct simt_counts {
	uint64_t blocks, barriers, mma, ldmatrix, conflicts;
};

struct simt_launch {
	void (*kernel)(struct args args);
	const char *name;
	const struct args *args;
	unsigned grid_x, grid_y, threads;
	unsigned warp;             /* lanes; 0: SIMT_WARP */
	size_t shared;             /* bytes of shared memory the launch asks for */
	int workers;               /* OS threads */
	uint64_t seed;             /* the order in which threads run; 0: the plain one */
	struct simt_counts counts; /* filled */
};

/* -1, and one line in `error`, when the kernel misused the machine. */
int simt_run(struct simt_launch *launch, char *error, size_t room);

#ifdef __cplusplus
}
#endif

#endif
