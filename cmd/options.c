#include "cmd/options.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/suggest.h"
#include "kernels/schedule.h"

struct option {
	char letter;
	const char *name;
	const char *placeholder; /* NULL: a flag */
	const char *fallback;    /* NULL: none */
	unsigned commands;       /* a bit for each that takes it */
	int (*parse)(struct options *options, const struct option *row, const char *text,
		struct err *err);
	size_t member; /* its offset in struct options */
	int64_t most;
	const char *help;
};

static void *member_of(struct options *options, const struct option *row)
{
	return (char *)options + row->member;
}

static int parse_yes(
	struct options *options, const struct option *row, const char *text, struct err *err)
{
	(void)text, (void)err;
	*(bool *)member_of(options, row) = true;
	return 0;
}

static int parse_no(
	struct options *options, const struct option *row, const char *text, struct err *err)
{
	(void)text, (void)err;
	*(bool *)member_of(options, row) = false;
	return 0;
}

static int parse_text(
	struct options *options, const struct option *row, const char *text, struct err *err)
{
	if (!*text)
		return err_set(
			err, ERR_USAGE, "the value is empty; give one or leave the option out");
	*(const char **)member_of(options, row) = text;
	return 0;
}

static int parse_whole(
	struct options *options, const struct option *row, const char *text, struct err *err)
{
	int64_t value;

	if (!str_to_int(text, &value) || value < 1 || value > row->most)
		return err_set(err, ERR_USAGE, "'%s' is not a whole number from 1 to %lld", text,
			(long long)row->most);
	*(int64_t *)member_of(options, row) = value;
	return 0;
}

static int parse_seconds(
	struct options *options, const struct option *row, const char *text, struct err *err)
{
	double value;

	if (!str_to_double(text, &value) || !(value > 0) || value > (double)row->most)
		return err_set(err, ERR_USAGE,
			"'%s' is not a number of seconds above 0, %lld at most", text,
			(long long)row->most);
	*(double *)member_of(options, row) = value;
	return 0;
}

/* "I/N" with 1 <= I <= N. */
static int parse_shard(
	struct options *options, const struct option *row, const char *text, struct err *err)
{
	const char *slash = strchr(text, '/');
	char first[24];

	if (slash && slash - text < (ptrdiff_t)sizeof first) {
		snprintf(first, sizeof first, "%.*s", (int)(slash - text), text);
		if (str_to_int(first, &options->shard) && str_to_int(slash + 1, &options->shards) &&
			options->shard >= 1 && options->shard <= options->shards &&
			options->shards <= row->most)
			return 0;
	}
	return err_set(err, ERR_USAGE,
		"'%s' is not a shard; write I/N, the Ith of N, from 1/N to N/N", text);
}

static int add_window(struct options *options, const char *item, struct err *err)
{
	int64_t window;

	if (!window_parse(item, &window))
		return err_set(err, ERR_USAGE,
			"'%s' is not a window; write none or a whole number of keys, 0 or more",
			item);
	for (int i = 0; i < options->window_count; i++)
		if (options->windows[i] == window)
			return 0;
	if (options->window_count == MAX_WINDOWS)
		return err_set(err, ERR_USAGE, "'%s' is one too many; give at most %d windows",
			item, MAX_WINDOWS);
	options->windows[options->window_count++] = window;
	return 0;
}

static int add_dtype(struct options *options, const char *item, struct err *err)
{
	enum dtype dtype;

	if (!dtype_find(item, &dtype))
		return err_set(
			err, ERR_USAGE, "'%s' is not a type; there are f32, bf16 and f16", item);
	for (int i = 0; i < options->dtype_count; i++)
		if (options->dtypes[i] == dtype)
			return 0;
	options->dtypes[options->dtype_count++] = dtype;
	return 0;
}

/* A list that options gather; what is named twice counts once. */
struct list {
	struct options *options;
	int (*add)(struct options *options, const char *item, struct err *err);
	struct err *err;
};

static int add_item(void *context, const char *item)
{
	struct list *list = context;

	if (!*item)
		return err_set(list->err, ERR_USAGE,
			"the list has an empty element; name what is missing or remove the comma");
	return list->add(list->options, item, list->err);
}

static int parse_windows(
	struct options *options, const struct option *row, const char *text, struct err *err)
{
	(void)row;
	options->window_count = 0;
	return str_each(text, add_item, &(struct list){options, add_window, err});
}

static int parse_dtypes(
	struct options *options, const struct option *row, const char *text, struct err *err)
{
	(void)row;
	options->dtype_count = 0;
	return str_each(text, add_item, &(struct list){options, add_dtype, err});
}

static int parse_pass(
	struct options *options, const struct option *row, const char *text, struct err *err)
{
	bool both = !strcmp(text, "both"), any = false;

	(void)row;
	for (enum pass pass = 0; pass < PASS_COUNT; pass++) {
		options->passes[pass] = both || !strcmp(text, pass_name(pass));
		any |= options->passes[pass];
	}
	if (!any)
		return err_set(err, ERR_USAGE,
			"'%s' is not a pass; write forward, backward or both", text);
	return 0;
}

static int parse_format(
	struct options *options, const struct option *row, const char *text, struct err *err)
{
	(void)row;
	for (int i = 0; i < format_count; i++) {
		options->format = &formats[i];
		if (!strcmp(formats[i].name, text))
			return 0;
	}
	return err_set(err, ERR_USAGE, "'%s' is not a format; write json, csv or md", text);
}

static int parse_cu(
	struct options *options, const struct option *row, const char *text, struct err *err)
{
	bool wide = !strcmp(text, "int64");

	(void)row;
	if (!wide && strcmp(text, "int32"))
		return err_set(err, ERR_USAGE,
			"'%s' is not a type of cu_seqlens; write int32 or int64", text);
	options->cu = wide ? NPY_I64 : NPY_I32;
	return 0;
}

/* The rows. */

#define FOR(command) (1u << COMMAND_##command)
#define TIMED        (FOR(bench) | FOR(tune))
#define RUNS         (TIMED | FOR(verify))
#define PROBLEMS     (RUNS | FOR(pick))

static const struct option rows[] = {
#define OPTION(letter, name, placeholder, fallback, commands, parse, member, most, help)           \
	{letter, name, placeholder, fallback, commands, parse, offsetof(struct options, member),   \
		most, help},
#include "cmd/options.def"
#undef OPTION
};

#define ROW_COUNT ((int)(sizeof rows / sizeof *rows))
_Static_assert(sizeof rows / sizeof *rows <= 64, "struct options.given has a bit for each row");

static bool takes(const struct command *command, const struct option *row)
{
	return row->commands & 1u << (command - commands);
}

static const struct option *find_name(const char *name, size_t length)
{
	for (int i = 0; i < ROW_COUNT; i++)
		if (!strncmp(rows[i].name, name, length) && !rows[i].name[length])
			return &rows[i];
	return NULL;
}

static const struct option *find_letter(char letter)
{
	for (int i = 0; i < ROW_COUNT; i++)
		if (letter && rows[i].letter == letter)
			return &rows[i];
	return NULL;
}

static int unknown_option(
	const struct command *command, const char *name, size_t length, struct err *err)
{
	const char *names[ROW_COUNT];
	char *word = strndup(name, length);
	int count = 0;

	for (int i = 0; i < ROW_COUNT; i++)
		if (takes(command, &rows[i]))
			names[count++] = rows[i].name;
	const char *near = word ? suggest(word, names, count) : NULL;
	free(word);
	if (near)
		return err_set(err, ERR_USAGE, "unknown option '--%.*s'; did you mean '--%s'?",
			(int)length, name, near);
	return err_set(err, ERR_USAGE, "unknown option '--%.*s'; `pattn help %s` lists them",
		(int)length, name, command->name);
}

/* The command has an option of that name, but another does. */
static int foreign_option(const struct command *command, const struct option *row, struct err *err)
{
	struct str others = {0};

	for (int i = 0; i < COMMAND_COUNT; i++)
		if (takes(&commands[i], row))
			str_addf(&others, "%s%s", others.length ? ", " : "", commands[i].name);
	err_set(err, ERR_USAGE, "'%s' takes no option '--%s'; these do: %s", command->name,
		row->name, others.text);
	str_release(&others);
	return -1;
}

static int parse_value(
	struct options *options, const struct option *row, const char *value, struct err *err)
{
	if (row->parse(options, row, value, err))
		return err_prefix(err, "--%s", row->name);
	return 0;
}

/* Reads the option at `argv[0]`, which begins with a dash; returns how many words it took or -1. */
static int parse_option(struct options *options, int argc, char **argv, struct err *err)
{
	bool lengthy = argv[0][1] == '-';
	const char *name = argv[0] + 1 + lengthy;
	size_t length = lengthy ? strcspn(name, "=") : 1;
	const struct option *row = lengthy ? find_name(name, length) : find_letter(*name);
	const char *value = name[length] ? name + length + lengthy : NULL;
	int words = 1;

	if (!lengthy && (!row || (value && !row->placeholder)))
		return err_set(err, ERR_USAGE, "unknown option '%s'; `pattn help %s` lists them",
			argv[0], options->command->name);
	if (!row)
		return unknown_option(options->command, name, length, err);
	if (!takes(options->command, row))
		return foreign_option(options->command, row, err);
	if (!row->placeholder && value)
		return err_set(err, ERR_USAGE, "'%s': --%s takes no value", argv[0], row->name);
	if (row->placeholder && !value) {
		if (argc < 2 || !strncmp(argv[1], "--", 2))
			return err_set(err, ERR_USAGE, "--%s needs a value: --%s %s", row->name,
				row->name, row->placeholder);
		value = argv[1];
		words = 2;
	}
	options->given |= UINT64_C(1) << (row - rows);
	return parse_value(options, row, value, err) ? -1 : words;
}

/* Whether `command` needs an operand and takes many, by how usage shows them. */
static bool needs_operand(const struct command *command)
{
	return *command->operands && *command->operands != '[';
}

static bool takes_many(const struct command *command)
{
	return strstr(command->operands, "...");
}

static int parse_operand(struct options *options, char *word, struct err *err)
{
	const struct command *command = options->command;

	if (!*command->operands)
		return err_set(err, ERR_USAGE, "'%s' is not an option; `pattn help %s` lists them",
			word, command->name);
	if (options->operand_count && !takes_many(command))
		return err_set(err, ERR_USAGE, "'%s' is one word too many after '%s'", word,
			options->operands[0]);
	options->operands[options->operand_count++] = word;
	return 1;
}

static int parse_words(struct options *options, int argc, char **argv, struct err *err)
{
	options->operands = argv;
	for (int i = 0; i < argc;) {
		int words = argv[i][0] == '-' && argv[i][1]
				    ? parse_option(options, argc - i, argv + i, err)
				    : parse_operand(options, argv[i], err);
		if (words < 0)
			return -1;
		i += words;
	}
	return 0;
}

/* Defaults are read by the same parsers, so that help tells no other than what happens. */
static void parse_defaults(struct options *options)
{
	struct err err = {0};

	for (int i = 0; i < ROW_COUNT; i++)
		if (rows[i].fallback && rows[i].parse(options, &rows[i], rows[i].fallback, &err))
			bug("default of --%s: %s", rows[i].name, err.text);
	for (int i = 0; options->command->defaults[i]; i++) {
		char *word = (char *)options->command->defaults[i];
		if (parse_words(options, 1, &word, &err))
			bug("default of '%s': %s", options->command->name, err.text);
	}
	options->given = 0;
}

static int parse_environment(struct options *options, struct err *err)
{
	const struct option *db = find_name("db", 2);
	const char *value = getenv("PATTN_DB");

	if (!value || !takes(options->command, db) || options_given(options, "db"))
		return 0;
	if (!*value)
		return err_set(err, ERR_USAGE,
			"environment variable PATTN_DB is empty; unset it or name a file");
	options->given |= UINT64_C(1) << (db - rows);
	return parse_text(options, db, value, err);
}

/* A pattern that leaves nothing to do is a slip, and the names are what helps. */
static int check_schedule(const struct options *options, struct err *err)
{
	struct str names = {0};

	if (!options->schedule)
		return 0;
	for (int i = 0; i < schedule_count; i++) {
		if (options_want(options, &schedules[i])) {
			str_release(&names);
			return 0;
		}
		if (options->passes[schedules[i].pass])
			str_addf(&names, " %s", schedules[i].name);
	}
	err_set(err, ERR_USAGE, "--schedule: '%s' matches none of%s", options->schedule,
		names.text);
	str_release(&names);
	return -1;
}

/* Options that leave no room for others. */
static const struct clash {
	const char *name, *others[6];
} clashes[] = {
	{"fuzz", {"lens", "heads", "window", "json"}},
	{"plan", {"missing", "lens", "heads", "window", "dtype", "pass"}},
	{"missing", {"lens", "heads", "window", "dtype", "pass"}},
	{"budget", {"rounds", "limit"}},
};

static int check_clash(const struct options *options, const struct clash *clash, struct err *err)
{
	for (size_t i = 0; i < sizeof clash->others / sizeof *clash->others; i++)
		if (clash->others[i] && options_given(options, clash->name) &&
			options_given(options, clash->others[i]))
			return err_set(err, ERR_USAGE,
				"--%s and --%s do not go together; leave one of them out",
				clash->name, clash->others[i]);
	return 0;
}

static int check_clashes(const struct options *options, struct err *err)
{
	for (size_t i = 0; i < sizeof clashes / sizeof *clashes; i++)
		if (check_clash(options, &clashes[i], err))
			return -1;
	if (options->shards && !options->problems)
		return err_set(
			err, ERR_USAGE, "--shard takes its share of a plan; name one with --plan");
	return 0;
}

static int check_operands(const struct options *options, struct err *err)
{
	const struct command *command = options->command;

	if (needs_operand(command) && !options->operand_count)
		return err_set(err, ERR_USAGE, "'%s' needs an operand: pattn %s %s", command->name,
			command->name, command->operands);
	return 0;
}

static int check_single(const struct options *options, struct err *err)
{
	if (options->command != &commands[COMMAND_workload])
		return 0;
	if (options->window_count > 1)
		return err_set(err, ERR_USAGE, "--window: a workload has one window, not %d",
			options->window_count);
	if (options->dtype_count > 1)
		return err_set(err, ERR_USAGE, "--dtype: a workload has one type, not %d",
			options->dtype_count);
	return 0;
}

int options_parse(struct options *options, const struct command *command, int argc, char **argv,
	struct err *err)
{
	*options = (struct options){.command = command};
	parse_defaults(options);
	if (parse_words(options, argc, argv, err))
		return -1;
	if (options->help)
		return 0;
	if (parse_environment(options, err) || check_operands(options, err) ||
		check_schedule(options, err) || check_clashes(options, err))
		return -1;
	return check_single(options, err);
}

bool options_given(const struct options *options, const char *name)
{
	const struct option *row = find_name(name, strlen(name));

	if (!row)
		bug("no option --%s", name);
	return options->given & UINT64_C(1) << (row - rows);
}

bool options_takes(const struct command *command, const char *name)
{
	return takes(command, find_name(name, strlen(name)));
}

bool options_want(const struct options *options, const struct schedule *schedule)
{
	return options->passes[schedule->pass] &&
	       (!options->schedule || str_matches(options->schedule, schedule->name));
}

/* What `row` is for `command` when it is not given; NULL where that needs no saying. */
static const char *default_of(const struct command *command, const struct option *row)
{
	size_t length = strlen(row->name);

	for (int i = 0; command->defaults[i]; i++) {
		const char *word = command->defaults[i] + strlen("--");
		if (!strncmp(word, row->name, length) && word[length] == '=')
			return word + length + 1;
	}
	return row->fallback;
}

void options_describe(const struct command *command, struct str *text)
{
	for (int i = 0; i < ROW_COUNT; i++) {
		const struct option *row = &rows[i];
		const char *value = default_of(command, row);
		char letter[8] = "    ", name[32];

		if (!takes(command, row))
			continue;
		if (row->letter)
			snprintf(letter, sizeof letter, "-%c, ", row->letter);
		snprintf(name, sizeof name, "--%s %s", row->name,
			row->placeholder ? row->placeholder : "");
		str_addf(text, "  %s%-18s %s", letter, name, row->help);
		if (value)
			str_addf(text, " [%s]", value);
		str_add(text, "\n");
	}
}
