#include "tune/trial.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static const char *const names[] = {
	[OUTCOME_UNTRIED] = "untried",
	[OUTCOME_OK] = "ok",
	[OUTCOME_UNSUPPORTED] = "unsupported",
	[OUTCOME_COMPILE_FAILED] = "compile-failed",
	[OUTCOME_RUN_FAILED] = "run-failed",
	[OUTCOME_WRONG] = "wrong",
	[OUTCOME_TIMED_OUT] = "timed-out",
};
#define NAME_COUNT ((int)(sizeof names / sizeof *names))

const char *outcome_name(enum outcome outcome)
{
	return names[outcome];
}

bool outcome_find(const char *name, enum outcome *outcome)
{
	for (int i = 0; i < NAME_COUNT; i++) {
		if (!strcmp(names[i], name)) {
			*outcome = (enum outcome)i;
			return true;
		}
	}
	return false;
}

/* `array` with room for one more of `size` bytes: doubled when the count is a power of two. */
static void *grown(void *array, int count, size_t size)
{
	if (count & (count - 1))
		return array;
	size_t room = count ? 2 * (size_t)count : 1;

	array = realloc(array, room * size);
	if (!array)
		bug("no memory for %zu samples", room);
	return array;
}

void trial_add_sample(struct trial *trial, double seconds, unsigned char marks)
{
	int count = trial->sample_count++;

	trial->samples = grown(trial->samples, count, sizeof *trial->samples);
	trial->marks = grown(trial->marks, count, sizeof *trial->marks);
	trial->samples[count] = seconds;
	trial->marks[count] = marks;
	stats_of(&trial->stats, trial->samples, trial->sample_count);
}

int trial_marked(const struct trial *trial, enum mark mark)
{
	int marked = 0;

	for (int i = 0; trial->marks && i < trial->sample_count; i++)
		marked += (trial->marks[i] & mark) != 0;
	return marked;
}

void trial_fail(struct trial *trial, enum outcome outcome, const char *format, ...)
{
	va_list arguments;

	trial->outcome = outcome;
	va_start(arguments, format);
	vsnprintf(trial->why, sizeof trial->why, format, arguments);
	va_end(arguments);
}

void trial_fail_by(struct trial *trial, enum outcome outcome, const struct err *why)
{
	trial_fail(
		trial, why->kind == ERR_TIMED_OUT ? OUTCOME_TIMED_OUT : outcome, "%s", why->text);
}

void trial_release(struct trial *trial)
{
	mem_free(trial->samples);
	mem_free(trial->marks);
	trial->samples = NULL;
	trial->sample_count = 0;
}
