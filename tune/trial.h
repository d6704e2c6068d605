/* One schedule's turn on one problem: what came of it, and the evidence. */
#ifndef TUNE_TRIAL_H
#define TUNE_TRIAL_H

#include <stdbool.h>

#include "base/err.h"
#include "kernels/schedule.h"
#include "oracle/verdict.h"
#include "tune/stats.h"

enum outcome {
	OUTCOME_UNTRIED, /* stopped before its turn, or not timed */
	OUTCOME_OK,
	OUTCOME_UNSUPPORTED,
	OUTCOME_COMPILE_FAILED,
	OUTCOME_RUN_FAILED,
	OUTCOME_WRONG,
	OUTCOME_TIMED_OUT,
};
const char *outcome_name(enum outcome outcome); /* "ok", "unsupported", "compile-failed", ... */
bool outcome_find(const char *name, enum outcome *outcome);

/* What a sample was taken under. */
enum mark {
	MARK_CONTENDED = 1, /* other work had the processor */
	MARK_THROTTLED = 2, /* the clock was held down */
};

struct trial {
	const struct schedule *schedule;
	enum outcome outcome;
	char why[320]; /* for outcomes other than ok; empty otherwise */
	bool judged;   /* whether `verdict` holds */
	struct verdict verdict;
	int64_t scratch; /* bytes of shared memory or workspace; 0 when not prepared */

	/* Seconds a pass, in the order measured; empty unless timed. From mem_new, and
	 * owned (trial_release). */
	double *samples;
	unsigned char *marks; /* [sample_count] of enum mark; likewise */
	int sample_count;
	int batch; /* passes run back to back for one sample */
	int fell;  /* the round after which it was dropped as too slow; 0: it was not */
	struct stats stats;

	/* Of the median; 0 where unknown. */
	double flops;      /* in-window work per second */
	double bytes;      /* least bytes per second */
	double fraction;   /* of the device's floor: floor time / median */
	char warning[160]; /* empty when there is nothing to warn of */
};

/* Appends a sample and brings the statistics up to date. */
void trial_add_sample(struct trial *trial, double seconds, unsigned char marks);
/* How many samples carry `mark`. */
int trial_marked(const struct trial *trial, enum mark mark);

/* Sets an outcome other than ok and why; a text too long is cut. */
void trial_fail(struct trial *trial, enum outcome outcome, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same from an error: timed-out where that is what it was, else `outcome`. */
void trial_fail_by(struct trial *trial, enum outcome outcome, const struct err *why);

void trial_release(struct trial *trial);

#endif
