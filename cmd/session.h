/* Contests over every problem asked for: what bench, tune, verify and pick share. */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include <stdbool.h>

#include "base/team.h"
#include "cmd/agenda.h"
#include "cmd/budget.h"
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
struct conduct {
	bool timed;
	enum source source;
	enum keep keep;
	void (*show_head)(struct session *session);
	void (*show_ceiling)(struct session *session);
	void (*show_entry)(struct session *session, const struct entry *entry);
	void (*show_missing)(struct session *session, const struct task *task,
		const struct problem *problem, const struct key *key, const struct recall *found);
	void (*show_tail)(struct session *session);
};

struct session {
	const struct options *options;
	const struct conduct *conduct;
	struct agenda agenda;
	struct device *device;
	struct team *team; /* for the oracle */
	struct store *store;
	struct err lost; /* the first failure to store, after which nothing more is stored */
	struct protocol protocol;
	struct budget budget;
	struct progress progress;
	const struct task *task; /* going on, and its problem; NULL between them */
	const struct problem *problem;
	char place[64]; /* the contest going on, for the progress line */
	struct host host;
	struct report report;
	bool shows; /* tables go to standard output */
	bool colour;
	int64_t problems;               /* checked to their end */
	bool warm;                      /* a contest has been held on the device */
	int right, unsupported, failed; /* trials */
	int missing, stale;             /* keys that the store has nothing for, nothing fresh for */
};

/* Opens what the options name but the store, and lists the problems, unless they are random.
 * session_close is due also after a failure. */
int session_open(struct session *session, const struct options *options,
	const struct conduct *conduct, struct err *err);
void session_close(struct session *session);

/* Before the first of that many contests: shows the head, starts the clock. */
void session_begin(struct session *session, int64_t contests);
/* Whether the problem fits this machine. */
int session_fits(struct session *session, const struct task *task, const struct problem *problem,
	struct err *err);
/* The passes of one problem. Fails with ERR_INTERRUPTED, or for what ends the session; what was
 * found by then is shown, stored and reported. */
int session_problem(struct session *session, const struct task *task, const struct problem *problem,
	struct err *err);
/* After the last: shows the tail, writes the report. `result` and `err` tell how far it came.
 * Returns an exit status, or -1 and `err`. */
int session_finish(struct session *session, int result, struct err *err);

/* All of it, for every problem asked for. Returns an exit status, or -1 and `err`. */
int session_run(const struct options *options, const struct conduct *conduct, struct err *err);

/* Shows `text` on standard output, when tables go there, and releases it. */
void session_show(struct session *session, struct str *text);
/* Moves the progress line: `what` goes on, `fraction` of it done. */
void session_progress(struct session *session, const char *what, double fraction);
/* Shows an entry of the report and counts what came of its schedules. */
void session_entry(struct session *session, const struct entry *entry);
/* The store failed for good: says so, once. */
void session_lose(struct session *session, const struct err *err);

#endif
