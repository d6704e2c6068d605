/* What a run found, in memory: filled by the commands, read by every output format. */
#ifndef TUNE_REPORT_H
#define TUNE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "data/lens.h"
#include "kernels/backend.h"
#include "tune/contest.h"
#include "tune/key.h"
#include "tune/store.h"
#include "tune/trial.h"

/* What a row read back from a store rests on. */
struct origin {
	int64_t trial; /* its id in the store */
	char code[24], compiler[128], driver[128];
	char version[32], created[32];
	char *lens; /* owned */
};

/* One schedule's row: measured in this run, or read back from a store. */
struct finding {
	char schedule[32];       /* also where this build knows none of that name */
	int rank;                /* in its entry's ranking, 0 is the winner; -1: not ranked */
	int64_t tokens, longest; /* of the problem measured; those of the key are rounded up */
	char stop[80];           /* why its contest was stopped */
	double floor_seconds;    /* of its contest; 0 when unknown */
	struct trial trial;
	struct origin *origin; /* NULL: measured in this run */
};

/* One pass of one problem: the findings of a contest, or what a store holds of it. */
struct entry {
	struct key key;
	enum decision decision;
	bool cached; /* looked up instead of measured */
	struct finding *findings;
	int count, room;
};

/* Zero-initialise; report_release frees what it owns. The pointers are borrowed, and NULL where a
 * report has no such thing: what a store holds was found by many devices on many problems. */
struct report {
	const struct device_info *device;
	const struct protocol *protocol;
	const struct lens *lens;
	const char *spec; /* of the lengths, as asked for */
	int64_t heads;
	uint64_t seed;
	struct ceiling ceiling; /* zero where not measured */
	struct entry *entries;
	int count, room;
};

void report_release(struct report *report);
/* Forgets the entries and nothing else. */
void report_clear(struct report *report);

/* A new last entry for `key`, without findings; valid until the next one is added. */
struct entry *report_add(struct report *report, const struct key *key);

/* Moves the trials of `contest` into `entry`; only contest_release remains to be done with it. */
void entry_take(struct entry *entry, struct contest *contest);

/* Appends a row as read back, to the last entry when it has the row's key, else to a new one. */
void report_add_stored(struct report *report, const struct stored *stored);

/* The finding of that rank, or NULL. */
const struct finding *entry_ranked(const struct entry *entry, int rank);

#endif
