/* A backend whose kernels do nothing but take scripted times: gaps, noise, drift and failures
 * without a clock, so that the search can be tested without noise of our own. */
#ifndef TESTS_UNIT_FAKE_BACKEND_H
#define TESTS_UNIT_FAKE_BACKEND_H

#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "kernels/backend.h"
#include "tune/decide.h"
#include "tune/search.h"

#define FAKE_MOST 8

/* How one schedule behaves. */
struct fake_script {
	double seconds;
	int fails_at; /* the run that fails, counted from 1; 0: none */
};

struct fake_device {
	struct device device;
	struct rng rng;
	double noise; /* relative standard deviation */
	double drift; /* relative growth over `drift_runs` runs */
	int drift_runs;
	int runs;
};

struct fake_kernel {
	struct kernel kernel;
	struct fake_script script;
	int runs;
	bool finished;
};

/* Standard normal by Box and Muller. */
static double fake_normal(struct rng *rng)
{
	double u = (double)(rng_next(rng) >> 11) * 0x1p-53;
	double v = (double)(rng_next(rng) >> 11) * 0x1p-53;
	return sqrt(-2 * log(1 - u)) * cos(6.283185307179586 * v);
}

static int fake_run(struct kernel *kernel, int passes, double *seconds, struct err *err)
{
	struct fake_kernel *fake = (struct fake_kernel *)kernel;
	struct fake_device *device = (struct fake_device *)kernel->workload->device;
	double drift = device->drift_runs ? device->drift * device->runs / device->drift_runs : 0;
	device->runs++;
	if (++fake->runs == fake->script.fails_at)
		return err_set(err, ERR_UNAVAILABLE, "scripted failure");
	*seconds = passes * fake->script.seconds * (1 + drift) *
		   (1 + device->noise * fake_normal(&device->rng));
	return 0;
}

static void fake_finish(struct kernel *kernel)
{
	((struct fake_kernel *)kernel)->finished = true;
}

static const struct backend fake_backend = {
	.name = "fake",
	.run = fake_run,
	.finish = fake_finish,
};

/* A contest among the first forward schedules, one a script. */
struct fake_contest {
	struct fake_device device;
	struct workload workload;
	struct fake_kernel kernels[FAKE_MOST];
	struct candidate candidates[FAKE_MOST];
	struct trial trials[FAKE_MOST];
	int ranking[FAKE_MOST];
	struct contest contest;
};

static void fake_contest_make(
	struct fake_contest *f, const struct fake_script *scripts, int count, uint64_t seed)
{
	*f = (struct fake_contest){.device = {.device = {.backend = &fake_backend}, .rng = {seed}}};
	f->workload.device = &f->device.device;
	f->contest = (struct contest){.trials = f->trials, .count = count, .ranking = f->ranking};
	for (int i = 0; i < count; i++) {
		f->trials[i].schedule = &schedules[i];
		f->trials[i].outcome = OUTCOME_OK;
		f->kernels[i] = (struct fake_kernel){
			.kernel = {&f->workload, &schedules[i], 0}, .script = scripts[i]};
		f->candidates[i] =
			(struct candidate){.trial = &f->trials[i], .kernel = &f->kernels[i].kernel};
	}
}

static void fake_contest_release(struct fake_contest *f)
{
	for (int i = 0; i < f->contest.count; i++)
		trial_release(&f->trials[i]);
	str_release(&f->contest.story);
}

#endif
