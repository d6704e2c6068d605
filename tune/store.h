/* The store of winners and the trials they rest on: one SQLite file (docs/store.md).
 *
 * Only tune/store*.c include sqlite3.h. Every change is one short transaction;
 * a kill at any moment leaves a whole database with all finished changes. */
#ifndef TUNE_STORE_H
#define TUNE_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "tune/contest.h"
#include "tune/key.h"

#define STORE_SCHEMA 1 /* PRAGMA user_version */

struct store;

enum store_mode {
	STORE_READ,  /* fails with ERR_UNAVAILABLE when there is no such file; never writes */
	STORE_WRITE, /* creates the file and its schema where missing or empty */
};

/* A file that is not SQLite, not ours, damaged or of a newer schema is refused with
 * ERR_UNAVAILABLE and left byte for byte as it was. NULL on failure. */
struct store *store_open(const char *path, enum store_mode mode, struct err *err);
void store_close(struct store *store); /* NULL is fine */

/* The protocol and place a contest was run with, kept with each trial. */
struct circumstances {
	const struct device_info *device;
	const struct protocol *protocol;
	const char *lens;    /* the length specification, folded */
	const char *version; /* of pattn */
};

/* Keeps every trial of `contest` but the untried, in place of the checkpoint that this process kept
 * of `key`. With `ranked`, which is for a contest among all schedules that was run to its end, its
 * ranking becomes the one of `key` for this build of the kernels (unless nothing could be ranked:
 * what was there then stays), the miss of `key` is answered, and checkpoints that processes now
 * gone left go too. All in one change: a kill leaves the checkpoint or the whole result. */
int store_add_contest(struct store *store, const struct key *key, const struct contest *contest,
	const struct circumstances *circumstances, bool ranked, struct err *err);

/* One ranked or kept row, as read back; strings are owned by the row and valid in the callback. */
struct stored {
	struct key key;
	int64_t trial;                   /* id */
	int rank;                        /* 0 is the winner; -1: a trial outside the ranking */
	enum decision decision;          /* of the key; DECISION_NONE for rank -1 */
	const struct schedule *schedule; /* NULL when this build knows none of that name */
	const char *schedule_name;
	enum outcome outcome;
	const char *why;
	const char *warning, *stop; /* empty when there is nothing to say */
	bool judged;                /* whether `verdict` holds */
	struct verdict verdict;
	double median, first_quartile, third_quartile, min, max; /* seconds a pass; 0: not timed */
	const double *samples;      /* in the order measured; not NULL */
	const unsigned char *marks; /* of each sample, enum mark; not NULL */
	int sample_count;
	int batch;
	int64_t scratch;
	double flops, bytes, fraction, floor_seconds;
	const char *code, *compiler, *driver; /* what made the trial: see tune/freshness.h */
	const char *architecture;
	const char *lens, *version, *created; /* created: UTC */
	const char *origin;                   /* "local", "imported" or "shipped" */
	const char *source; /* the file it was imported from, as then named; empty when local */
	int64_t exact_tokens, exact_longest;
};

/* Calls `row` for one ranking of `key` in order, until it returns non-zero: the one that was made
 * with the code and compiler of `device`; where there is none, the first of the others, which is
 * stale. Returns the number of rows visited (0: nothing stored) or -1. */
int store_look_up(struct store *store, const struct key *key, const struct device_info *device,
	int (*row)(void *context, const struct stored *stored), void *context, struct err *err);

/* Calls `row` for every row of the first ranking of each key (or with `all`, every trial), ordered
 * by key and rank. Of several builds' rankings the first is a local one before an imported before a
 * shipped, then the one decided last. */
int store_each(struct store *store, bool all,
	int (*row)(void *context, const struct stored *stored), void *context, struct err *err);

#endif
