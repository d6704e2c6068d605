#include "cmd/help.h"

#include "cmd/options.h"
#include "cmd/output.h"
#include "data/lens.h"

void help_usage(struct str *text)
{
	str_add(text, "usage: pattn COMMAND [OPTION...]\n");
}

void help_overview(struct str *text)
{
	help_usage(text);
	str_add(text, "\nBenchmarks, verifies and autotunes packed attention: fused attention over "
		      "sequences\n"
		      "of varying length laid end to end, forward and backward.\n\nCommands:\n");
	for (int i = 0; i < COMMAND_COUNT; i++)
		str_addf(text, "  %-10s %s\n", commands[i].name, commands[i].summary);
	str_add(text,
		"\n`pattn help COMMAND` shows the options of one; `pattn --version` which build "
		"this is.\n"
		"\nExit status: 0 fine, 1 a check failed, 2 usage, 3 device or file not "
		"available,\n"
		"4 nothing stored, 130 interrupted (what was measured is stored and shown).\n");
}

static void describe_presets(struct str *text)
{
	str_add(text, "\nSequence lengths are comma-separated: LEN, COUNTxLEN, LOW..HIGHxCOUNT "
		      "(drawn by seed),\n"
		      "@FILE (numbers by white space or comma, # comments, or a JSON array), @- "
		      "for standard\n"
		      "input, or a preset:\n");
	for (int i = 0; i < lens_preset_count; i++)
		str_addf(text, "  %-16s %s\n", lens_presets[i].name, lens_presets[i].summary);
}

void help_command(const struct command *command, struct str *text)
{
	str_addf(text, "usage: pattn %s [OPTION...]%s%s\n\n%s\nOptions:\n", command->name,
		*command->operands ? " " : "", command->operands, command->about);
	options_describe(command, text);
	if (options_takes(command, "lens"))
		describe_presets(text);
}

int help_show(const struct command *command)
{
	struct str text = {0};

	if (command)
		help_command(command, &text);
	else
		help_overview(&text);
	out(text.text);
	str_release(&text);
	return EXIT_FINE;
}

int help_run(const struct options *options, struct err *err)
{
	const struct command *command = NULL;

	if (options->operand_count && !(command = command_find(options->operands[0], err)))
		return -1;
	return help_show(command);
}
