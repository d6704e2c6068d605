#include "cmd/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/clock.h"

#define BETWEEN_DRAWS 0.1 /* seconds */
#define BEFORE_GUESS  2.0 /* seconds of work that a guess of the time left rests on */

void progress_init(struct progress *progress, bool quiet, int64_t steps)
{
	*progress = (struct progress){
		.quiet = quiet,
		.moving = !quiet && isatty(STDERR_FILENO),
		.started = clock_seconds(),
		.steps = steps,
	};
}

void progress_show(struct progress *progress, const char *what, double fraction)
{
	double now = clock_seconds(), spent = now - progress->started;
	double done = ((double)progress->step + fraction) / (double)progress->steps;

	if (!progress->moving || now - progress->last < BETWEEN_DRAWS)
		return;
	fprintf(stderr, "\r\033[K[%lld/%lld] %s", (long long)progress->step + 1,
		(long long)progress->steps, what);
	if (spent > BEFORE_GUESS && done > 0) {
		int left = (int)(spent * (1 - done) / done + 0.5);
		fprintf(stderr, ", %d:%02d left", left / 60, left % 60);
	}
	fflush(stderr);
	progress->last = now;
	progress->drawn = true;
}

void progress_clear(struct progress *progress)
{
	if (progress->drawn)
		fputs("\r\033[K", stderr);
	progress->drawn = false;
}

void progress_note(struct progress *progress, const char *format, ...)
{
	va_list args;

	if (progress->quiet)
		return;
	progress_clear(progress);
	va_start(args, format);
	fputs("pattn: ", stderr);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
}
