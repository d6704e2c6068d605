/* Writes the manual page, docs/pattn.1 (`make man`), from the rows that the parser reads. */
#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cmd/command.h"

#define FOR(command) (1u << COMMAND_##command)
#define TIMED        (FOR(bench) | FOR(tune))
#define RUNS         (TIMED | FOR(verify))
#define PROBLEMS     (RUNS | FOR(pick))

static const struct command_row {
	const char *name, *operands, *about;
	const char *defaults[4]; /* "--name=value", over the options' own */
} command_rows[] = {
#define COMMAND(name, operands, summary, about, ...) {#name, operands, about, {__VA_ARGS__}},
#include "cmd/commands.def"
#undef COMMAND
};

static const struct option_row {
	char letter;
	const char *name, *placeholder, *fallback;
	unsigned commands;
	const char *help;
} option_rows[] = {
#define OPTION(letter, name, placeholder, fallback, commands, parse, member, most, help)           \
	{letter, name, placeholder, fallback, commands, help},
#include "cmd/options.def"
#undef OPTION
};

static const struct preset_row {
	const char *name, *summary;
} preset_rows[] = {
#define PRESET(name, spec, summary) {name, summary},
#include "data/presets.def"
#undef PRESET
};

#define COUNT(rows) (sizeof(rows) / sizeof *(rows))

static void put_char(char c, bool minus)
{
	if (c == '\\')
		fputs("\\e", stdout);
	else if (c == '-' && minus)
		fputs("\\-", stdout);
	else
		putchar(c);
}

/* What is typed: every dash is a minus. */
static void put_literal(const char *text)
{
	for (; *text; text++)
		put_char(*text, true);
}

/* Prose, where a dash that joins two words is a hyphen, no line begins with what troff would take
 * for a request, and what stands between backquotes is bold and typed. */
static void put_prose(const char *text)
{
	bool bold = false;

	for (const char *at = text; *at; at++) {
		bool first = at == text || at[-1] == '\n';
		bool joins =
			!first && isalnum((unsigned char)at[-1]) && isalnum((unsigned char)at[1]);
		if (first && (*at == '.' || *at == '\''))
			fputs("\\&", stdout);
		if (*at == '`')
			fputs((bold = !bold) ? "\\fB" : "\\fP", stdout);
		else
			put_char(*at, bold || !joins);
	}
}

static void put_command(const struct command_row *row)
{
	printf(".TP\n.B %s\n", row->name);
	if (*row->operands)
		printf(".I %s\n.br\n", row->operands);
	put_prose(row->about);
}

/* The default that `command` has of its own for `option`, or NULL. */
static const char *own_default(const struct command_row *command, const struct option_row *option)
{
	size_t length = strlen(option->name);

	for (int i = 0; i < 4 && command->defaults[i]; i++) {
		const char *word = command->defaults[i] + strlen("--");
		if (!strncmp(word, option->name, length) && word[length] == '=')
			return word + length + 1;
	}
	return NULL;
}

static bool takes(size_t command, const struct option_row *option)
{
	return option->commands >> command & 1;
}

/* "Default: bench; verify: test." */
static void put_default(const struct option_row *option)
{
	const char *between = " Default: ";

	if (option->fallback) {
		printf("%s", between);
		put_literal(option->fallback);
		between = "; ";
	}
	for (size_t i = 0; i < COUNT(command_rows); i++) {
		const char *own = own_default(&command_rows[i], option);
		if (!takes(i, option) || !own)
			continue;
		printf("%s%s: ", between, command_rows[i].name);
		put_literal(own);
		between = "; ";
	}
	if (*between == ';')
		putchar('.');
}

/* "For bench, tune." unless every command takes it. */
static void put_takers(const struct option_row *option)
{
	const char *between = "\nFor ";

	if (!(~option->commands & ~FOR(help) & ((1u << COMMAND_COUNT) - 1)))
		return;
	for (size_t i = 0; i < COUNT(command_rows); i++) {
		if (!takes(i, option))
			continue;
		printf("%s%s", between, command_rows[i].name);
		between = ", ";
	}
	putchar('.');
}

static void put_option(const struct option_row *row)
{
	fputs(".TP\n\\fB", stdout);
	if (row->letter)
		printf("\\-%c\\fP, \\fB", row->letter);
	put_literal("--");
	put_literal(row->name);
	fputs("\\fP", stdout);
	if (row->placeholder)
		printf(" \\fI%s\\fP", row->placeholder);
	putchar('\n');
	put_prose(row->help);
	putchar('.');
	put_default(row);
	put_takers(row);
	putchar('\n');
}

static void put_preset(const struct preset_row *row)
{
	printf(".TP\n.B %s\n", row->name);
	put_prose(row->summary);
	putchar('\n');
}

static const char head[] =
	".\\\" Written by `make man`; edit docs/man.c and the rows it reads.\n"
	".TH PATTN 1 \"\" \"pattn " PATTN_VERSION "\" \"User Commands\"\n"
	".SH NAME\n"
	"pattn \\- benchmark, verify and autotune packed attention\n"
	".SH SYNOPSIS\n"
	".B pattn\n"
	".I COMMAND\n"
	".RI [ OPTION \" ...]\"\n"
	".SH DESCRIPTION\n"
	"Packed attention is fused attention over sequences of varying length laid end to end,\n"
	"straight from a packed projection of queries, keys and values, with rotary embedding and\n"
	"an optional symmetric window, forward and backward.\n"
	".B pattn\n"
	"runs every schedule it has for it, compares each with an oracle in f64, times those that\n"
	"are right, and keeps the winner for a device and shape.\n"
	".PP\n"
	"Standard output is data; progress, notes and errors go to standard error.\n";

static const char lengths[] =
	".SH SEQUENCE LENGTHS\n"
	"A list of items with commas between them: a length, COUNTxLEN, LOW..HIGHxCOUNT (drawn\n"
	"from the seed), @FILE, @\\- for standard input, or a name below. A file holds numbers "
	"with\n"
	"white space or commas between them, and comments from # to the end of a line; or one\n"
	"JSON array. A length of 0 is legal.\n";

static const char tail[] =
	".SH EXIT STATUS\n"
	".TP\n.B 0\nFine.\n"
	".TP\n.B 1\nA check failed: a schedule was wrong or did not run.\n"
	".TP\n.B 2\nThe command line makes no sense.\n"
	".TP\n.B 3\nA device, a file or memory is not to be had.\n"
	".TP\n.B 4\nNothing is stored for what was asked.\n"
	".TP\n.B 130\nInterrupted; what was measured is stored and shown.\n"
	".SH ENVIRONMENT\n"
	".TP\n.B PATTN_DB\nThe store, where \\-\\-db names none.\n"
	".TP\n.B NO_COLOR\nWhen it is set and not empty, tables have no colour. They have none off "
	"a\n"
	"terminal either.\n"
	".SH FILES\n"
	".TP\n.I tuning.db\nThe store: an SQLite file in the working directory.\n"
	".SH EXAMPLES\n"
	"Time every schedule at the benchmark shape, and keep a report:\n"
	".PP\n.nf\n.RS\npattn bench \\-\\-json run.json\n.RE\n.fi\n"
	".PP\n"
	"Check bf16 with and without a window of 8:\n"
	".PP\n.nf\n.RS\npattn verify \\-\\-dtype bf16 \\-\\-window none,8\n.RE\n.fi\n"
	".PP\n"
	"Tune for the lengths of a corpus, one number a line, and ask for the winner:\n"
	".PP\n.nf\n.RS\n"
	"pattn tune \\-\\-lens @lengths.txt \\-\\-window 64\n"
	"pattn pick \\-\\-lens @lengths.txt \\-\\-window 64\n"
	".RE\n.fi\n";

int main(void)
{
	fputs(head, stdout);
	puts(".SH COMMANDS");
	for (size_t i = 0; i < COUNT(command_rows); i++)
		put_command(&command_rows[i]);
	puts(".SH OPTIONS");
	for (size_t i = 0; i < COUNT(option_rows); i++)
		put_option(&option_rows[i]);
	fputs(lengths, stdout);
	for (size_t i = 0; i < COUNT(preset_rows); i++)
		put_preset(&preset_rows[i]);
	fputs(tail, stdout);
	return fflush(stdout) != 0;
}
