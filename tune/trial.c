#include "tune/trial.h"

#include <stdarg.h>
#include <stdio.h>
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
	trial->samples = NULL;
	trial->sample_count = 0;
}
