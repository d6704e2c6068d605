#include "tune/rates.h"

#include <math.h>
#include <stdio.h>

/* A rate this far above the floor's is an error of measurement, not a fast kernel. */
#define FLOOR_SLACK 1.05

/* One sample in so many may be disturbed before it is worth a warning. */
#define MANY 5

/* Matrix work and exponentials come one after the other where they share a unit, and memory
 * traffic beside them. */
double floor_seconds(const struct arena *arena, enum pass pass)
{
	const struct ceiling *ceiling = &arena->ceiling;
	if (!(ceiling->flops > 0) || !(ceiling->exponentials > 0) || !(ceiling->bytes > 0))
		return 0;
	double matrix = problem_flops(arena->problem, pass) / ceiling->flops;
	double exponentials = problem_exponentials(arena->problem) / ceiling->exponentials;
	double memory = (double)problem_bytes(arena->problem, pass) / ceiling->bytes;
	return fmax(ceiling->apart ? fmax(matrix, exponentials) : matrix + exponentials, memory);
}

static void warn(struct trial *trial)
{
	int count = trial->sample_count;
	int contended = trial_marked(trial, MARK_CONTENDED);
	int throttled = trial_marked(trial, MARK_THROTTLED);
	if (trial->fraction > FLOOR_SLACK)
		snprintf(trial->warning, sizeof trial->warning,
			"%.0f %% of the floor's rate: the clock or the ceiling was mismeasured",
			100 * trial->fraction);
	else if (throttled > count / MANY)
		snprintf(trial->warning, sizeof trial->warning,
			"%d of %d samples were throttled: cool the device or lower its load",
			throttled, count);
	else if (contended > count / MANY)
		snprintf(trial->warning, sizeof trial->warning,
			"%d of %d samples shared the processor with other work: quieten the "
			"machine or use fewer threads",
			contended, count);
}

void trial_rate(struct trial *trial, const struct contest *contest)
{
	double median = trial->stats.median;
	if (!(median > 0))
		return;
	trial->flops = problem_flops(contest->problem, contest->pass) / median;
	trial->bytes = (double)problem_bytes(contest->problem, contest->pass) / median;
	trial->fraction = contest->floor_seconds / median;
	warn(trial);
}
