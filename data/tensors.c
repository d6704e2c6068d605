#include "data/tensors.h"

#include <math.h>

#include "base/mem.h"

void tensors_fill(void *tensor, int64_t count, enum dtype dtype, uint64_t seed)
{
	uint64_t s = seed;

	for (int64_t i = 0; i < count; i++) {
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
		dtype_store(dtype, tensor, i, (float)(s % 20001) / 10000.0f - 1.0f);
	}
}

void tensors_rotary(float *cosines, float *sines, int64_t positions)
{
	double base[HALF_DIM];

	for (int j = 0; j < HALF_DIM; j++)
		base[j] = pow(10000.0, 2.0 * j / HEAD_DIM);
	for (int64_t position = 0; position < positions; position++)
		for (int j = 0; j < HALF_DIM; j++) {
			double angle = (double)position / base[j];

			*cosines++ = (float)cos(angle);
			*sines++ = (float)sin(angle);
		}
}

int tensors_init(
	struct tensors *tensors, const struct problem *problem, uint64_t seed, struct err *err)
{
	int64_t qkv_count = problem_qkv_count(problem), out_count = problem_out_count(problem);
	int64_t table_count = problem_table_count(problem);
	int size = dtype_size(problem->dtype);

	*tensors = (struct tensors){0};
	if (!seed || !(seed + 2))
		return err_set(err, ERR_USAGE, "seed 0 makes constant tensors; use another");
	if (!(tensors->qkv = mem_new(qkv_count, size, "qkv", err)) ||
		!(tensors->dout = mem_new(out_count, size, "dout", err)) ||
		!(tensors->cos = mem_new(table_count, sizeof(float), "cos", err)) ||
		!(tensors->sin = mem_new(table_count, sizeof(float), "sin", err))) {
		tensors_release(tensors);
		return -1;
	}
	tensors_fill(tensors->qkv, qkv_count, problem->dtype, seed);
	tensors_fill(tensors->dout, out_count, problem->dtype, seed + 2);
	tensors_rotary(tensors->cos, tensors->sin, problem->longest);
	return 0;
}

void tensors_release(struct tensors *tensors)
{
	mem_free(tensors->qkv);
	mem_free(tensors->dout);
	mem_free(tensors->cos);
	mem_free(tensors->sin);
	*tensors = (struct tensors){0};
}
