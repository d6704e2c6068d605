/* The command line: finds the command, and is the one place that tells of errors. */
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/stop.h"
#include "cmd/command.h"
#include "cmd/help.h"
#include "cmd/options.h"
#include "cmd/output.h"
#include "cmd/version.h"

static int status_of(const struct err *err)
{
	switch (err->kind) {
	case ERR_USAGE: return EXIT_USAGE;
	case ERR_UNAVAILABLE:
	case ERR_TIMED_OUT: return EXIT_UNAVAILABLE;
	case ERR_INTERRUPTED: return EXIT_INTERRUPTED;
	case ERR_NONE: break;
	}
	bug("a failure without its kind: %s", err->text);
}

static int tell(const struct err *err)
{
	fprintf(stderr, "pattn: %s\n", err->text);
	return status_of(err);
}

static int show_version(void)
{
	struct str text = {0};

	str_addf(&text, "pattn %s (%s)\n", version_text, version_commit);
	out(text.text);
	str_release(&text);
	return EXIT_FINE;
}

static int show_usage(void)
{
	struct str text = {0};

	help_usage(&text);
	fprintf(stderr, "%sTry `pattn help`.\n", text.text);
	str_release(&text);
	return EXIT_USAGE;
}

static int run_command(const char *name, int argc, char **argv, struct err *err)
{
	const struct command *command = command_find(name, err);
	struct options options;

	if (!command || options_parse(&options, command, argc, argv, err))
		return -1;
	if (options.help)
		return help_show(command);
	stop_listen();
	return command->run(&options, err);
}

static int run(int argc, char **argv, struct err *err)
{
	const char *word = argc > 1 ? argv[1] : NULL;

	if (!word)
		return show_usage();
	if (!strcmp(word, "--version"))
		return show_version();
	if (!strcmp(word, "--help") || !strcmp(word, "-h"))
		word = commands[COMMAND_help].name;
	return run_command(word, argc - 2, argv + 2, err);
}

int main(int argc, char **argv)
{
	struct err err = {0}, late = {0};

	/* A closed pipe and a full quota are errors to tell of, like a full disk. */
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	int status = run(argc, argv, &err);
	/* What was found comes before what went wrong, where both go to one place. */
	bool lost = out_flush(&late);
	if (status < 0)
		status = tell(&err);
	if (lost && strcmp(late.text, err.text))
		status = tell(&late);
	return status;
}
