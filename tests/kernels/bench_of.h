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
	b->arena = (struct arena){.device = device,
		.problem = &b->problem,
		.tensors = &b->tensors,
		.oracle = &b->oracle};
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

static inline struct device *open_cpu(const char *isa, int threads)
{
	struct err err = {0};
	struct device *device =
		device_open("cpu", (struct device_options){.isa = isa, .threads = threads}, &err);
	must(!device, &err);
	return device;
}

/* Every schedule of both passes on one problem; returns how many were right. */
static inline int check_all(
	struct device *device, const char *lens, int64_t heads, int64_t window, enum dtype dtype)
{
	struct bench_of b;
	int right = 0;
	bench_of_make(&b, lens, heads, window, dtype, device);
	bench_of_solve(&b);
	for (enum pass pass = PASS_FORWARD; pass <= PASS_BACKWARD; pass++) {
		struct contest contest = {0};
		struct err err = {0};
		must(contest_run(&contest, &b.arena, pass, &(struct protocol){0}, NULL, &err),
			&err);
		for (int i = 0; i < contest.count; i++) {
			const struct trial *trial = &contest.trials[i];
			if (trial->outcome == OUTCOME_UNSUPPORTED)
				continue;
			if (trial->outcome != OUTCOME_OK)
				fail_msg("%s %s %s %s heads %d window %d lens %s: %s",
					device->info.architecture, dtype_name(dtype),
					pass_name(pass), trial->schedule->name, (int)heads,
					(int)window, lens, trial->why);
			right++;
		}
		contest_release(&contest);
	}
	bench_of_release(&b);
	return right;
}

#endif
