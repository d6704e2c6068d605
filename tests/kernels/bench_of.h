/* A problem made ready to run kernels on, for tests: tensors, oracle, device. */
#ifndef TESTS_KERNELS_BENCH_OF_H
#define TESTS_KERNELS_BENCH_OF_H

#include <stdlib.h>

#include "data/tensors.h"
#include "kernels/backend.h"
#include "oracle/oracle.h"
#include "tune/contest.h"

struct bench_of {
	struct problem problem;
	struct tensors tensors;
	struct oracle oracle;
	struct team *team;
	struct arena arena;
};

/* Aborts the test on failure. */
static inline void must(int failed, const struct err *err)
{
	if (failed)
		bug("%s", err->text);
}

static inline void bench_of_make(struct bench_of *b, const char *lens, int64_t heads,
	int64_t window, enum dtype dtype, struct device *device)
{
	struct err err = {0};
	struct lens list = {0};
	*b = (struct bench_of){.team = team_new(2, &err)};
	must(!b->team, &err);
	must(lens_parse(&list, lens, 1, &err), &err);
	must(problem_init(&b->problem, &list, heads, window, dtype, &err), &err);
	must(tensors_init(&b->tensors, &b->problem, TENSORS_SEED, &err), &err);
	lens_release(&list);
	b->arena = (struct arena){device, &b->problem, &b->tensors, &b->oracle, {0, 0}};
}

/* Once the inputs are as the test wants them. */
static inline void bench_of_solve(struct bench_of *b)
{
	struct err err = {0};
	must(oracle_run(&b->oracle, &b->problem, &b->tensors, PASS_BACKWARD, b->team, &err), &err);
}

static inline void bench_of_release(struct bench_of *b)
{
	oracle_release(&b->oracle);
	tensors_release(&b->tensors);
	problem_release(&b->problem);
	team_free(b->team);
}

#endif
