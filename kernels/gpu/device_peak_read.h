/* The memory's rate: args.tokens quads from args.qkv on, each read once. */
#ifndef KERNELS_GPU_DEVICE_PEAK_READ_H
#define KERNELS_GPU_DEVICE_PEAK_READ_H

#include "kernels/gpu/device.h"
#include "kernels/gpu/peak.h"

#define AHEAD 4 /* loads in flight a thread */

KERNEL(peak_read)
{
	const i64 stride = args.heads * (i64)PEAK_THREADS;
	const char *from = (const char *)args.qkv;
	u32 sum = 0;

	for (i64 i = block_x() * PEAK_THREADS + thread_index(); i < args.tokens;
		i += AHEAD * stride) {
		struct quad quads[AHEAD] = {};
		UNROLL
		for (int n = 0; n < AHEAD; n++)
			if (i + n * stride < args.tokens)
				quads[n] = global_load(
					from + (i + n * stride) * (i64)sizeof(struct quad));
		UNROLL
		for (int n = 0; n < AHEAD; n++)
			sum += quads[n].words[0] ^ quads[n].words[1] ^ quads[n].words[2] ^
			       quads[n].words[3];
	}
	/* Never so, but the compiler cannot know. */
	if (sum == 1)
		args.delta[0] = 1;
}

#endif
