/* Checks the CPU backend against the oracle without SQLite, cJSON or cmocka, for processors that
 * only an emulator has here. Prints what fails; exit status 1 then. */
#include <stdio.h>

#include "data/tensors.h"
#include "kernels/backend.h"
#include "oracle/oracle.h"
#include "tune/contest.h"

static int check(const int64_t *lens, int count, int64_t window, enum dtype dtype)
{
	struct err err = {0};
	struct lens list = {0};
	struct problem problem = {0};
	struct tensors tensors = {0};
	struct oracle oracle = {0};
	struct device *device = NULL;
	struct team *team = team_new(1, &err);
	int wrong = -1;
	for (int i = 0; i < count; i++)
		lens_add(&list, 1, lens[i], &err);
	if (!team || problem_init(&problem, &list, 2, window, dtype, &err) ||
		tensors_init(&tensors, &problem, TENSORS_SEED, &err) ||
		oracle_run(&oracle, &problem, &tensors, PASS_BACKWARD, team, &err))
		goto out;
	device = device_open("cpu", (struct device_options){.threads = 2}, &err);
	if (!device)
		goto out;
	wrong = 0;
	struct arena arena = {
		.device = device, .problem = &problem, .tensors = &tensors, .oracle = &oracle};
	for (enum pass pass = PASS_FORWARD; pass <= PASS_BACKWARD; pass++) {
		struct contest contest = {0};
		if (contest_run(&contest, &arena, pass, &(struct protocol){0}, NULL, &err)) {
			contest_release(&contest);
			wrong = -1;
			goto out;
		}
		for (int i = 0; i < contest.count; i++) {
			const struct trial *trial = &contest.trials[i];
			if (trial->outcome == OUTCOME_OK || trial->outcome == OUTCOME_UNSUPPORTED)
				continue;
			printf("%s %s %s window %lld: %s\n", dtype_name(dtype), pass_name(pass),
				trial->schedule->name, (long long)window, trial->why);
			wrong++;
		}
		contest_release(&contest);
	}
out:
	if (wrong < 0)
		printf("failed: %s\n", err.text);
	device_close(device);
	oracle_release(&oracle);
	tensors_release(&tensors);
	problem_release(&problem);
	lens_release(&list);
	team_free(team);
	return wrong;
}

int main(void)
{
	static const int64_t lens[] = {5, 0, 40, 1, 33, 70};
	static const int64_t windows[] = {NO_WINDOW, 0, 8, 64};
	int wrong = 0;
	for (int d = 0; d < DTYPE_COUNT; d++)
		for (int w = 0; w < 4; w++)
			wrong += check(lens, 6, windows[w], (enum dtype)d) != 0;
	printf("%d of %d problems wrong\n", wrong, 4 * DTYPE_COUNT);
	return wrong != 0;
}
