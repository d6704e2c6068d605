/* The rate of exponentials: args.tokens rounds of them that wait for nothing but themselves. */
#ifndef KERNELS_GPU_DEVICE_PEAK_EXPONENT_H
#define KERNELS_GPU_DEVICE_PEAK_EXPONENT_H

#include "kernels/gpu/device.h"
#include "kernels/gpu/peak.h"

KERNEL(peak_exponent)
{
	float values[PEAK_CHAINS];
	float total = 0;

	UNROLL
	for (int n = 0; n < PEAK_CHAINS; n++)
		values[n] = -(float)(thread_index() + n) / PEAK_THREADS;
	for (i64 i = 0; i < args.tokens; i++) {
		UNROLL
		for (int n = 0; n < PEAK_CHAINS; n++)
			values[n] = exp2_fast(values[n]);
	}
	UNROLL
	for (int n = 0; n < PEAK_CHAINS; n++)
		total += values[n];
	/* Never so, but the compiler cannot know. */
	if (total == 0.1f)
		args.delta[0] = total;
}

#endif
