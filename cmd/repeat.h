/* The command line that repeats something. */
#ifndef CMD_REPEAT_H
#define CMD_REPEAT_H

#include "cmd/options.h"
#include "data/problem.h"

/* Adds " --NAME VALUE", with the value quoted for a shell where it has to be. */
void repeat_option(struct str *text, const char *name, const char *value);
void repeat_number(struct str *text, const char *name, int64_t value);

/* "pattn COMMAND" with what names the device, `lens` and the rest of the problem, and the pass. */
void repeat_problem(struct str *text, const char *command, const struct options *options,
	const char *lens, const struct problem *problem, enum pass pass);

#endif
