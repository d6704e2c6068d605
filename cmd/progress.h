/* Standard error while a command works: a line that moves, and notes that stay. */
#ifndef CMD_PROGRESS_H
#define CMD_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

struct progress {
	bool quiet;
	bool moving; /* standard error is a terminal */
	bool drawn;
	double started, last; /* seconds */
	int64_t step, steps;  /* contests done, and in all */
};

void progress_init(struct progress *progress, bool quiet, int64_t steps);
/* Draws `what`, `fraction` into the current step, a few times a second at most. */
void progress_show(struct progress *progress, const char *what, double fraction);
/* Takes the line away, before something else is written to the terminal. */
void progress_clear(struct progress *progress);
/* A line that stays, unless quiet. */
void progress_note(struct progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
