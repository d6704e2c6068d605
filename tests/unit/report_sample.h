/* A report with one of everything: a winner, a wrong and an unsupported schedule measured in this
 * run, and a stored row with text that each format must quote in its own way. */
#ifndef TESTS_UNIT_REPORT_SAMPLE_H
#define TESTS_UNIT_REPORT_SAMPLE_H

#include <math.h>
#include <string.h>

#include "tune/report.h"

static struct problem sample_problem = {.dtype = DTYPE_F32,
	.heads = 2,
	.window = NO_WINDOW,
	.count = 1,
	.tokens = 100,
	.longest = 100};

static struct device_info sample_device = {.name = "cpu",
	.model = "Model \"X\"",
	.architecture = "avx2",
	.units = 2,
	.memory = INT64_C(1) << 34,
	.code = "c0de",
	.compiler = "cc 1"};

static struct protocol sample_protocol = {
	.timed = true, .rounds = 3, .limit = 30, .warmup = 1, .candidate_launches = 3, .seed = 7};

static int64_t sample_lens[] = {100};

static const struct lens sample_list = {sample_lens, 1, 1};

static void sample_time(struct trial *trial)
{
	static const double samples[] = {0.002, 0.001, 0.003};

	trial->outcome = OUTCOME_OK;
	trial->batch = 1;
	for (int i = 0; i < 3; i++)
		trial_add_sample(trial, samples[i], 0);
	trial->flops = 250e9;
	trial->bytes = 1.5e9;
	trial->fraction = 0.5;
}

static void sample_judge(struct trial *trial, double rel)
{
	trial->judged = true;
	trial->verdict = (struct verdict){.count = 2,
		.judgements = {{.judged = JUDGED_OUT,
				       .ceiling = 1e-5,
				       .rel = rel,
				       .sequence_rel = rel,
				       .nmse = rel,
				       .worst = {12, 1, 63, 0, rel, 0.25},
				       .right = rel <= 1e-5},
			{.judged = JUDGED_LSE, .ceiling = 1e-5, .rel = 2e-7, .right = true}},
		.right = rel <= 1e-5};
}

static void sample_contest(struct report *report)
{
	struct trial trials[3] = {{.schedule = schedule_find(PASS_FORWARD, "r16_c16")},
		{.schedule = schedule_find(PASS_FORWARD, "r64_c32")},
		{.schedule = schedule_find(PASS_FORWARD, "m64_c32")}};
	int ranking[] = {1};
	struct contest contest = {.problem = &sample_problem,
		.pass = PASS_FORWARD,
		.trials = trials,
		.count = 3,
		.ranking = ranking,
		.ranked = 1,
		.decision = DECISION_WINNER,
		.stop = "3 rounds",
		.floor_seconds = 0.001};
	struct key key;

	trials[0].outcome = OUTCOME_WRONG;
	strcpy(trials[0].why, "out is not a number");
	sample_judge(&trials[0], NAN);
	sample_time(&trials[1]);
	sample_judge(&trials[1], 1e-7);
	trials[2].outcome = OUTCOME_UNSUPPORTED;
	strcpy(trials[2].why, "needs a matrix unit");
	key_make(&key, &sample_device, &sample_problem, PASS_FORWARD, false);
	entry_take(report_add(report, &key), &contest);
}

static void sample_stored(struct report *report)
{
	static const double samples[] = {0.5};
	struct stored stored = {.trial = 9,
		.rank = 0,
		.decision = DECISION_TIE,
		.schedule_name = "x|y,z",
		.outcome = OUTCOME_OK,
		.why = "",
		.warning = "",
		.stop = "",
		.median = 0.5,
		.first_quartile = 0.5,
		.third_quartile = 0.5,
		.min = 0.5,
		.max = 0.5,
		.samples = samples,
		.sample_count = 1,
		.code = "beef",
		.compiler = "cc \"2\"",
		.driver = "550.1",
		.lens = "64,33",
		.version = "0.0.1",
		.created = "2026-12-01T00:00:00Z",
		.exact_tokens = 97,
		.exact_longest = 64};

	sample_problem.window = 64;
	key_make(&stored.key, &sample_device, &sample_problem, PASS_BACKWARD, true);
	sample_problem.window = NO_WINDOW;
	report_add_stored(report, &stored);
}

static void sample_report(struct report *report)
{
	*report = (struct report){.device = &sample_device,
		.protocol = &sample_protocol,
		.lens = &sample_list,
		.spec = "100",
		.heads = 2,
		.seed = 7};
	sample_contest(report);
	sample_stored(report);
}

#endif
