#include "cmd/stage.h"

#include "tune/sample.h"

static int make_sample(
	struct stage *stage, const struct problem *problem, uint64_t seed, struct err *err)
{
	struct lens lens = {0};
	int result = sample_lens(&lens, problem, err);

	if (!result)
		result = problem_init(&stage->sample, &lens, problem->heads, problem->window,
			problem->dtype, err);
	if (!result)
		result = tensors_init(&stage->sample_tensors, &stage->sample, seed, err);
	lens_release(&lens);
	return result;
}

int stage_make(struct stage *stage, const struct problem *problem, uint64_t seed, enum pass pass,
	bool may_sample, struct team *team, struct err *err)
{
	const struct problem *judged = problem;
	const struct tensors *tensors = &stage->tensors;

	stage->sampled = may_sample && sample_needed(problem);
	if (tensors_init(&stage->tensors, problem, seed, err))
		return -1;
	if (stage->sampled) {
		if (make_sample(stage, problem, seed, err))
			return -1;
		judged = &stage->sample;
		tensors = &stage->sample_tensors;
	}
	if (oracle_run(&stage->oracle, judged, tensors, pass, team, err))
		return -1;
	stage->ready = true;
	return 0;
}

void stage_release(struct stage *stage)
{
	oracle_release(&stage->oracle);
	tensors_release(&stage->sample_tensors);
	problem_release(&stage->sample);
	tensors_release(&stage->tensors);
}
