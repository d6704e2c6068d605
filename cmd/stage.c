#include "cmd/stage.h"

int stage_make(struct stage *stage, const struct problem *problem, uint64_t seed, enum pass pass,
	struct team *team, struct err *err)
{
	if (tensors_init(&stage->tensors, problem, seed, err) ||
		oracle_run(&stage->oracle, problem, &stage->tensors, pass, team, err))
		return -1;
	stage->ready = true;
	return 0;
}

void stage_release(struct stage *stage)
{
	oracle_release(&stage->oracle);
	tensors_release(&stage->tensors);
}
