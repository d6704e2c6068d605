/* What the units of this rung reach at best: the denominators of a floor. */

#define CHAINS (ROWS * VECS) /* independent sums, enough to hide the latency of one */

static double multiply_add(int64_t steps)
{
	vec sum[CHAINS];
	for (int i = 0; i < CHAINS; i++)
		sum[i] = vec_set((float)i);
	vec a = vec_set(0.5f), b = vec_set(1.0f);
	for (int64_t step = 0; step < steps; step++) {
#pragma GCC unroll 32
		for (int i = 0; i < CHAINS; i++)
			sum[i] = sum[i] * a + b;
	}
	vec total = vec_set(0);
	for (int i = 0; i < CHAINS; i++)
		total += sum[i];
	volatile float kept = vec_sum_lanes(total);
	(void)kept;
	return 2.0 * LANES * CHAINS * (double)steps;
}

static void exponentials(const float *from, float *to, int64_t count)
{
	for (int64_t i = 0; i < count; i += LANES)
		vec_store(to + i, vec_exp2(vec_load(from + i)));
}

static float read_memory(const float *memory, int64_t count)
{
	vec sum[8] = {vec_set(0)};
	for (int64_t i = 0; i + 8 * LANES <= count; i += 8 * LANES)
		for (int v = 0; v < 8; v++)
			sum[v] += vec_load(memory + i + v * LANES);
	for (int v = 1; v < 8; v++)
		sum[0] += sum[v];
	return vec_sum_lanes(sum[0]);
}
