/* Contests over every type, window and pass asked for: what bench, tune and verify share. */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include <stdbool.h>

#include "base/team.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "cmd/recall.h"
#include "kernels/backend.h"
#include "tune/contest.h"
#include "tune/report.h"
#include "tune/store.h"

struct session;

enum source { SOURCE_CONTEST, SOURCE_STORE_FIRST, SOURCE_STORE }; /* where results come from */
enum keep { KEEP_NOTHING, KEEP_TRIALS, KEEP_RANKING };            /* what the store gets */

/* How one command's session differs from another's; NULL: nothing is shown. */
struct plan {
	bool timed;
	enum source source;
	enum keep keep;
	void (*show_head)(struct session *session);
	void (*show_trial)(
		struct session *session, const struct contest *contest, const struct trial *trial);
	void (*show_entry)(struct session *session, const struct entry *entry);
	void (*show_missing)(struct session *session, const struct problem *problem,
		const struct key *key, const struct recall *found);
	void (*show_tail)(struct session *session);
};

struct session {
	const struct options *options;
	const struct plan *plan;
	struct lens lens;
	int64_t seed; /* of the tensors */
	struct device *device;
	struct team *team; /* for the oracle */
	struct store *store;
	struct err lost; /* the first failure to store, after which nothing more is stored */
	struct protocol protocol;
	struct progress progress;
	char place[64]; /* the contest going on, for the progress line */
	struct report report;
	bool shows; /* tables go to standard output */
	bool colour;
	int64_t problems;               /* checked to their end */
	bool warm;                      /* a contest has been held on the device */
	int right, unsupported, failed; /* trials */
	int missing;                    /* keys that the store has nothing usable for */
};

/* Opens what the options name but the store; no lengths are read for random problems. session_close
 * is due also after a failure. */
int session_open(struct session *session, const struct options *options, const struct plan *plan,
	struct err *err);
void session_close(struct session *session);

/* Before the first of that many problems: shows the head, starts the clock. */
void session_begin(struct session *session, int64_t problems);
/* Whether the problem fits this machine. */
int session_fits(struct session *session, const struct problem *problem, struct err *err);
/* The passes of one problem. Fails with ERR_INTERRUPTED, or for what ends the session; what was
 * found by then is shown, stored and reported. */
int session_problem(struct session *session, const struct problem *problem, struct err *err);
/* After the last: shows the tail, writes the report. `result` and `err` tell how far it came.
 * Returns an exit status, or -1 and `err`. */
int session_finish(struct session *session, int result, struct err *err);

/* Shows `text` on standard output, when tables go there, and releases it. */
void session_show(struct session *session, struct str *text);

/* All of it, for every problem asked for. Returns an exit status, or -1 and `err`. */
int session_run(const struct options *options, const struct plan *plan, struct err *err);

#endif
