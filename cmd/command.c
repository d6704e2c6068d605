#include "cmd/command.h"

#include <string.h>

#include "cmd/suggest.h"

const struct command commands[COMMAND_COUNT] = {
#define COMMAND(name, operands, summary, about, ...)                                               \
	{#name, operands, summary, about, name##_run, {__VA_ARGS__}},
#include "cmd/commands.def"
#undef COMMAND
};

const struct command *command_find(const char *name, struct err *err)
{
	const char *names[COMMAND_COUNT];

	for (int i = 0; i < COMMAND_COUNT; i++) {
		names[i] = commands[i].name;
		if (!strcmp(names[i], name))
			return &commands[i];
	}
	const char *near = suggest(name, names, COMMAND_COUNT);
	if (near)
		err_set(err, ERR_USAGE, "unknown command '%s'; did you mean '%s'?", name, near);
	else
		err_set(err, ERR_USAGE, "unknown command '%s'; `pattn help` lists them", name);
	return NULL;
}
