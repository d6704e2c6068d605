/* A problem with everything a backend is given for it, for tests. */
#ifndef TESTS_KERNELS_SETTING_H
#define TESTS_KERNELS_SETTING_H

#include "base/mem.h"
#include "data/tensors.h"
#include "kernels/backend.h"

struct setting {
	struct problem problem;
	struct tensors tensors;
	struct inputs inputs;
	void *out;
	float *lse;
};

static inline void setting_init(
	struct setting *setting, const char *spec, int64_t window, enum dtype dtype)
{
	struct lens lens = {0};
	struct problem *problem = &setting->problem;
	struct err err;

	assert_int_equal(lens_parse(&lens, spec, 1, &err), 0);
	assert_int_equal(problem_init(problem, &lens, 2, window, dtype, &err), 0);
	assert_int_equal(tensors_init(&setting->tensors, problem, TENSORS_SEED, &err), 0);
	lens_release(&lens);
	setting->out = mem_new(problem_out_count(problem), dtype_size(dtype), "out", &err);
	setting->lse = mem_new(problem_lse_count(problem), sizeof(float), "lse", &err);
	setting->inputs = (struct inputs){.qkv = setting->tensors.qkv,
		.dout = setting->tensors.dout,
		.out = setting->out,
		.lse = setting->lse,
		.cos = setting->tensors.cos,
		.sin = setting->tensors.sin};
}

static inline void setting_release(struct setting *setting)
{
	mem_free(setting->out);
	mem_free(setting->lse);
	tensors_release(&setting->tensors);
	problem_release(&setting->problem);
}

#endif
