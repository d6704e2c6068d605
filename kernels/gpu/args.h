/* What every kernel of a pass is called with, by value: read by the host's C and by the device's
 * compiler, which knows no system header. Tensors are as data/problem.h lays them out, in the
 * element type of -DELEM; pointers a pass has no use for are null. */
#ifndef KERNELS_GPU_ARGS_H
#define KERNELS_GPU_ARGS_H

/* Some rows of one sequence. */
struct tile {
	long long start; /* first token of the sequence */
	int length;      /* of the sequence */
	int first;       /* row of the sequence the tile begins at */
};

struct args {
	const void *qkv;          /* [T, 3*H*D] */
	const float *cos;         /* [longest, D/2] */
	const float *sin;         /* [longest, D/2] */
	const struct tile *tiles; /* one a block of grid x, the most work first */
	void *out;                /* [T, H*D]: the forward writes it, the backward reads it */
	float *lse;               /* [H, T]: likewise */
	const void *dout;         /* [T, H*D] */
	float *delta;             /* [H, T] */
	float *dq;                /* [T, H*D] accumulator; null when dQ has a kernel of its own */
	void *dqkv;               /* [T, 3*H*D] */
	long long tokens;
	int heads;
	int window;    /* a query sees |i - j| <= window; -1: its whole sequence */
	int tile_rows; /* rows of a tile in `tiles` */
	float scale;   /* D^-1/2 */
};

#endif
