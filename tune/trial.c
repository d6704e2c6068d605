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

bool trial_is_new(const struct trial *trial)
{
	return trial->outcome != OUTCOME_UNTRIED && !trial->quarantined;
}

static void *resized(void *array, int room, size_t size)
{
	array = realloc(array, (size_t)room * size);
	if (!array)
		bug("no memory for %d samples", room);
	return array;
}

void trial_add_sample(struct trial *trial, double seconds, unsigned char marks)
{
	int count = trial->sample_count++;

	if (count >= trial->room) {
		trial->room = 2 * count + 8;
		trial->samples = resized(trial->samples, trial->room, sizeof *trial->samples);
		trial->marks = resized(trial->marks, trial->room, sizeof *trial->marks);
	}
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
