/* One pass of one problem on one device: every schedule's trial, and who won. */
#ifndef TUNE_CONTEST_H
#define TUNE_CONTEST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "data/tensors.h"
#include "kernels/backend.h"
#include "tune/trial.h"

/* How trials are measured; recorded in every report. */
struct protocol {
	bool timed;      /* false: stop after the gate (verify) */
	bool cold;       /* flush the last-level cache before each sample */
	int rounds;      /* samples of every schedule; 0: search (tune/search.h) */
	double limit;    /* seconds for the timed rounds of one contest */
	double deadline; /* clock_seconds() by which the contest ends, whose time is all used; 0:
			    none */
	double warmup;   /* seconds of work before the first contest on a device */
	int candidate_launches;  /* warm-up passes of each schedule, at least */
	double candidate_warmup; /* and seconds */
	double batch_under;      /* passes shorter than this are batched up to it, seconds */
	uint64_t seed;           /* of the order within rounds, and of resampling */
	const char *pattern;     /* shell pattern over schedule names; NULL: all */
	const struct schedule *incumbent; /* wins ties and stays in the finals; NULL: none */
};

/* How a contest ended. */
enum decision { DECISION_NONE, DECISION_WINNER, DECISION_TIE };
const char *decision_name(enum decision decision); /* "none", "winner", "tie" */

struct contest {
	const struct problem *problem;
	enum pass pass;
	struct trial *trials; /* [count], in the order of kernels/schedule.def */
	int count;
	int *ranking; /* [ranked] indices of ok trials, best first; ranking[0] is the winner */
	int ranked;
	enum decision decision;
	int rounds;           /* taken, in this run and in an earlier one it went on from */
	char stop[80];        /* why timing stopped: "resolved after 12 rounds", "interrupted" */
	double floor_seconds; /* least time by the device's measured rates; 0 when unknown */
	struct str story;     /* who fell when, what decided: a line each (--explain) */
};

/* Told of a contest as it goes; members may be NULL. */
struct watch {
	void *context;
	/* A schedule was judged (and timed, when the protocol says so): its trial is final. */
	void (*trial)(void *context, const struct contest *contest, const struct trial *trial);
	/* The gate is done: fills in samples, marks, batch and `fell` of trials that are ok, and
	 * the contest's rounds, from an earlier run that was cut short. */
	void (*resume)(void *context, struct contest *contest);
	/* A round is done: what is known by now may be saved. */
	void (*round)(void *context, const struct contest *contest);
	/* `done` of `total` steps, `what` in a few words; at most a few times a second matters. */
	void (*progress)(void *context, const char *what, double done, double total);
};

/* What contests on one problem share: made once, used by both passes. */
struct arena {
	struct device *device;
	const struct problem *problem;
	const struct tensors *tensors;
	/* With dqkv when a backward contest is run; NULL where `sample` is judged instead. */
	const struct oracle *oracle;
	const struct arena *sample; /* a smaller problem of the same kind (tune/sample.h) */
	struct ceiling ceiling;     /* zero where not measured */
};

/* Runs the gate and, if `protocol->timed`, the rounds over every schedule of `pass` that matches.
 * What was right before the rounds is checked once more after them. A schedule that fails is an
 * outcome; -1 and `err` are for what ends the contest: no memory, a lost device, ERR_INTERRUPTED
 * (finished trials are then kept, timed with the samples so far). Zero-initialise `contest`;
 * contest_release frees it, also after a failure. */
int contest_run(struct contest *contest, const struct arena *arena, enum pass pass,
	const struct protocol *protocol, const struct watch *watch, struct err *err);
void contest_release(struct contest *contest);

#endif
