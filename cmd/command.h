/* The commands, one row each in cmd/commands.def. */
#ifndef CMD_COMMAND_H
#define CMD_COMMAND_H

#include "base/err.h"

struct options;

enum command_id {
#define COMMAND(name, ...) COMMAND_##name,
#include "cmd/commands.def"
#undef COMMAND
	COMMAND_COUNT
};

enum exit_status {
	EXIT_FINE = 0,
	EXIT_CHECK_FAILED = 1,
	EXIT_USAGE = 2,
	EXIT_UNAVAILABLE = 3,
	EXIT_NOTHING_STORED = 4,
	EXIT_INTERRUPTED = 130,
};

struct command {
	const char *name;
	const char *operands; /* as usage shows them; empty: it takes none */
	const char *summary;
	const char *about; /* paragraphs for `pattn help NAME` */
	/* An exit status, or -1 and a filled `err`. */
	int (*run)(const struct options *options, struct err *err);
	const char *defaults[4]; /* "--name=value", over the options' own; NULL past the end */
};

extern const struct command commands[COMMAND_COUNT];

/* NULL and a filled `err` when there is none of that name. */
const struct command *command_find(const char *name, struct err *err);

#define COMMAND(name, ...) int name##_run(const struct options *options, struct err *err);
#include "cmd/commands.def"
#undef COMMAND

#endif
