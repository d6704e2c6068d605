/* Help, from the rows of commands and options. */
#ifndef CMD_HELP_H
#define CMD_HELP_H

#include "base/str.h"
#include "cmd/command.h"

/* The line that says how to call pattn. */
void help_usage(struct str *text);
/* What pattn does and its commands; or one command and its options. */
void help_overview(struct str *text);
void help_command(const struct command *command, struct str *text);
/* Either on standard output, the first for NULL; an exit status. */
int help_show(const struct command *command);

#endif
