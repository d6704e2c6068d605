/* What a command was asked to do, one row an option in cmd/options.def. */
#ifndef CMD_OPTIONS_H
#define CMD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "cmd/command.h"
#include "cmd/format.h"
#include "data/npy.h"
#include "data/problem.h"
#include "kernels/schedule.h"

#define MAX_WINDOWS 64

/* Text is borrowed from the command line and the environment. */
struct options {
	const struct command *command;
	char **operands; /* [operand_count] */
	int operand_count;
	uint64_t given; /* a bit for each row that the user gave, not its default */
	bool help;
	bool quiet;

	const char *device;
	const char *isa;        /* NULL: the best this machine runs */
	int64_t threads;        /* 0: one for each processor */
	const char *emu;        /* NULL: the emulator's choice */
	const char *kernel_dir; /* NULL: the sources in the binary */
	bool in_process;        /* kernels run in this one */
	double patience; /* seconds until a kernel counts as hung, beside those for its work */

	const char *lens;
	int64_t heads;
	int64_t windows[MAX_WINDOWS];
	int window_count;
	enum dtype dtypes[DTYPE_COUNT];
	int dtype_count;
	bool passes[PASS_COUNT];
	const char *schedule; /* shell pattern; NULL: all */
	int64_t seed;

	int64_t rounds; /* samples of each schedule; 0: as many as a decision needs */
	double limit;   /* seconds for the rounds of one contest */
	double budget;  /* seconds for the whole command; 0: as long as it takes */
	bool cold;
	bool retune;
	bool retry; /* what crashed or hung before */
	bool explain;
	bool missing;          /* the misses in the store are the problems */
	const char *problems;  /* the plan's file; NULL: none */
	int64_t shard, shards; /* which of how many, from 1; 0: the whole plan */
	bool fail_stale;
	bool dry_run;
	int64_t fuzz; /* random problems; 0: the one asked for */

	const char *db;
	const char *json; /* NULL: none */
	const struct format *format;
	const char *output;
	bool trials;
	const char *dump; /* NULL: none */
	enum npy_type cu;
};

/* Fills `options` from the defaults, the environment and `argv[0..argc)`, which follows the name
 * of the command; operands are moved to its beginning. Refuses with ERR_USAGE what it cannot take,
 * and allocates nothing. */
int options_parse(struct options *options, const struct command *command, int argc, char **argv,
	struct err *err);

/* Whether the user gave the option of that name, on the command line or in the environment. */
bool options_given(const struct options *options, const char *name);

/* Whether `schedule` was asked for, by its pass and name. */
bool options_want(const struct options *options, const struct schedule *schedule);

/* Whether `command` takes the option of that name. */
bool options_takes(const struct command *command, const char *name);
/* The lines of `pattn help COMMAND` that tell its options, onto `text`. */
void options_describe(const struct command *command, struct str *text);

#endif
