/* The matrix unit's rate: args.tokens rounds of products that wait for nothing but themselves. */
#include "kernels/gpu/device.h"
#include "kernels/gpu/peak.h"

KERNEL(peak_multiply)
{
	const u32 seed = 0x3f803f80u + (u32)thread_index() % 16;
	float sums[PEAK_CHAINS][CELLS] = {};
	float total = 0;
	u32 a[FRAGMENT], b[FRAGMENT];

	UNROLL
	for (int word = 0; word < FRAGMENT; word++) {
		a[word] = seed + (u32)word;
		b[word] = seed ^ 0x80000000u;
	}
	for (i64 i = 0; i < args.tokens; i++) {
		UNROLL
		for (int n = 0; n < PEAK_CHAINS; n++)
			mma_bf16(sums[n], a, b);
	}
	UNROLL
	for (int n = 0; n < PEAK_CHAINS; n++) {
		UNROLL
		for (int e = 0; e < CELLS; e++)
			total += sums[n][e];
	}
	/* Never so, but the compiler cannot know. */
	if (total == 0.1f)
		args.delta[0] = total;
}
