/* The matrix unit's rate: args.tokens rounds of products that wait for nothing but themselves. */
#include "kernels/gpu/device.h"
#include "kernels/gpu/peak.h"

KERNEL(peak_multiply)
{
	const u32 seed = 0x3f803f80u + (u32)thread_index();
	const u32 a[4] = {seed, seed + 1, seed + 2, seed + 3}, b[2] = {seed ^ 0x80000000u, seed};
	float sums[PEAK_CHAINS][4] = {};
	float total = 0;

	for (i64 i = 0; i < args.tokens; i++) {
		UNROLL
		for (int n = 0; n < PEAK_CHAINS; n++)
			mma_bf16(sums[n], a, b);
	}
	UNROLL
	for (int n = 0; n < PEAK_CHAINS; n++)
		total += sums[n][0] + sums[n][1] + sums[n][2] + sums[n][3];
	/* Never so, but the compiler cannot know. */
	if (total == 0.1f)
		args.delta[0] = total;
}
