/* The parser of options, the names it suggests and the commands it repeats. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "cmd/options.h"
#include "cmd/repeat.h"
#include "cmd/suggest.h"

#define MAX_WORDS 8

/* Parses `line`, words separated by single spaces; a word of '' is empty. */
static int parse(
	struct options *options, enum command_id command, const char *line, struct err *err)
{
	static char copy[512];
	char *words[MAX_WORDS], *rest = copy, *word;
	int count = 0;

	assert_true(strlen(line) < sizeof copy);
	strcpy(copy, line);
	while ((word = strsep(&rest, " ")) && *word) {
		assert_true(count < MAX_WORDS);
		words[count++] = strcmp(word, "''") ? word : word + 2;
	}
	*err = (struct err){0};
	return options_parse(options, &commands[command], count, words, err);
}

static void accept(struct options *options, enum command_id command, const char *line)
{
	struct err err;

	if (parse(options, command, line, &err))
		fail_msg("'%s': %s", line, err.text);
}

static void test_defaults(void **state)
{
	struct options options;

	(void)state;
	accept(&options, COMMAND_bench, "");
	assert_string_equal(options.device, "auto");
	assert_string_equal(options.lens, "bench");
	assert_int_equal(options.heads, 12);
	assert_int_equal(options.window_count, 2);
	assert_int_equal(options.windows[0], NO_WINDOW);
	assert_int_equal(options.windows[1], 64);
	assert_int_equal(options.dtype_count, 1);
	assert_true(options.passes[PASS_FORWARD] && options.passes[PASS_BACKWARD]);
	assert_int_equal(options.seed, 7);
	assert_int_equal(options.rounds, 10);
	assert_false(options.cold);
	assert_string_equal(options.db, "tuning.db");
	assert_int_equal(options.given, 0);

	accept(&options, COMMAND_tune, "");
	assert_true(options.cold);
	accept(&options, COMMAND_verify, "");
	assert_string_equal(options.lens, "test");
	assert_int_equal(options.heads, 2);
	assert_int_equal(options.window_count, 3);
	accept(&options, COMMAND_workload, "");
	assert_int_equal(options.window_count, 1);
	assert_int_equal(options.cu, NPY_I32);
	accept(&options, COMMAND_export, "");
	assert_string_equal(options.format->name, "json");
	assert_string_equal(options.output, "-");
}

static void test_values(void **state)
{
	struct options options;

	(void)state;
	accept(&options, COMMAND_bench, "--lens=5,40 --heads 3 --json - --cold -q");
	assert_string_equal(options.lens, "5,40");
	assert_int_equal(options.heads, 3);
	assert_string_equal(options.json, "-");
	assert_true(options.cold && options.quiet);
	assert_true(options_given(&options, "lens") && !options_given(&options, "window"));

	accept(&options, COMMAND_bench, "--window 8,none,8,0 --dtype f16,f32,f16 --pass backward");
	assert_int_equal(options.window_count, 3);
	assert_int_equal(options.windows[0], 8);
	assert_int_equal(options.windows[1], NO_WINDOW);
	assert_int_equal(options.windows[2], 0);
	assert_int_equal(options.dtype_count, 2);
	assert_int_equal(options.dtypes[0], DTYPE_F16);
	assert_true(!options.passes[PASS_FORWARD] && options.passes[PASS_BACKWARD]);

	accept(&options, COMMAND_bench, "--heads 3 --heads=4 --hot --cold --hot --limit 0.5");
	assert_int_equal(options.heads, 4);
	assert_false(options.cold);
	assert_true(options.limit == 0.5);

	accept(&options, COMMAND_export, "-o a.csv --format csv --trials");
	assert_string_equal(options.output, "a.csv");
	accept(&options, COMMAND_export, "-oa.csv");
	assert_string_equal(options.output, "a.csv");
	accept(&options, COMMAND_help, "bench");
	assert_int_equal(options.operand_count, 1);
	assert_string_equal(options.operands[0], "bench");
	accept(&options, COMMAND_bench, "--schedule zzz --help");
	assert_true(options.help);
}

static void test_operands(void **state)
{
	struct options options;

	(void)state;
	accept(&options, COMMAND_import, "a.db --db c.db b.db -q d.db");
	assert_int_equal(options.operand_count, 3);
	assert_string_equal(options.operands[0], "a.db");
	assert_string_equal(options.operands[1], "b.db");
	assert_string_equal(options.operands[2], "d.db");
	assert_string_equal(options.db, "c.db");
	accept(&options, COMMAND_help, "");
	assert_int_equal(options.operand_count, 0);
	accept(&options, COMMAND_import, "--help");
}

static void test_how_tune_goes(void **state)
{
	struct options options;

	(void)state;
	accept(&options, COMMAND_tune, "");
	assert_int_equal(options.rounds, 0);
	assert_true(options.budget == 0 && options.patience == 60);
	assert_false(options.in_process || options.retry || options.explain || options.missing);
	accept(&options, COMMAND_tune, "--budget 2.5 --patience 1 --in-process --retry --explain");
	assert_true(options.budget == 2.5 && options.patience == 1);
	assert_true(options.in_process && options.retry && options.explain);
	accept(&options, COMMAND_tune, "--plan p.json --shard 3/8");
	assert_string_equal(options.problems, "p.json");
	assert_int_equal(options.shard, 3);
	assert_int_equal(options.shards, 8);
	accept(&options, COMMAND_tune, "--plan p.json --shard 1000000/1000000");
	accept(&options, COMMAND_tune, "--missing --hot");
	assert_true(options.missing);
	accept(&options, COMMAND_pick, "--fail-stale");
	assert_true(options.fail_stale);
}

static void test_glob(void **state)
{
	struct options options;

	(void)state;
	accept(&options, COMMAND_bench, "--schedule c*");
	assert_true(options_want(&options, schedule_find(PASS_BACKWARD, "c16")));
	assert_false(options_want(&options, schedule_find(PASS_FORWARD, "r16_c16")));
	accept(&options, COMMAND_bench, "--schedule * --pass forward");
	assert_false(options_want(&options, schedule_find(PASS_BACKWARD, "c16")));
	assert_true(options_want(&options, schedule_find(PASS_FORWARD, "r16_c16")));
}

/* Every refusal names the option and the offending text, in one line, and exits with 2. */
static void test_refusals(void **state)
{
	static const struct {
		enum command_id command;
		const char *line, *says;
	} cases[] = {
		{COMMAND_bench, "--lens ''",
			"--lens: the value is empty; give one or leave the option out"},
		{COMMAND_bench, "--heads 0",
			"--heads: '0' is not a whole number from 1 to 2147483647"},
		{COMMAND_bench, "--heads=2147483648",
			"--heads: '2147483648' is not a whole number from 1 to 2147483647"},
		{COMMAND_bench, "--heads 1.5", "--heads: '1.5' is not a whole number"},
		{COMMAND_bench, "--threads -1",
			"--threads: '-1' is not a whole number from 1 to 4096"},
		{COMMAND_bench, "--seed 0", "--seed: '0' is not a whole number"},
		{COMMAND_bench, "--rounds ''", "--rounds: '' is not a whole number"},
		{COMMAND_bench, "--limit nan", "--limit: 'nan' is not a number of seconds above 0"},
		{COMMAND_bench, "--limit 0", "--limit: '0' is not a number of seconds above 0"},
		{COMMAND_bench, "--limit 86401", "--limit: '86401' is not a number of seconds"},
		{COMMAND_bench, "--window 8,,9", "--window: the list has an empty element"},
		{COMMAND_bench, "--window 8,", "--window: the list has an empty element"},
		{COMMAND_bench, "--window -1", "--window: '-1' is not a window; write none or"},
		{COMMAND_bench, "--dtype f32,f64", "--dtype: 'f64' is not a type; there are f32,"},
		{COMMAND_bench, "--pass up", "--pass: 'up' is not a pass; write forward,"},
		{COMMAND_bench, "--schedule z*",
			"--schedule: 'z*' matches none of r16_c16 r32_c32"},
		{COMMAND_bench, "--schedule c16 --pass forward",
			"--schedule: 'c16' matches none of r16_c16"},
		{COMMAND_export, "--format xml",
			"--format: 'xml' is not a format; write json, csv"},
		{COMMAND_workload, "--cu int16",
			"--cu: 'int16' is not a type of cu_seqlens; write"},
		{COMMAND_workload, "--window 1,2", "--window: a workload has one window, not 2"},
		{COMMAND_workload, "--dtype f32,f16", "--dtype: a workload has one type, not 2"},
		{COMMAND_verify, "--fuzz 3 --lens 4", "--fuzz and --lens do not go together"},
		{COMMAND_verify, "--json - --fuzz 3", "--fuzz and --json do not go together"},
		{COMMAND_tune, "--plan p --lens 4", "--plan and --lens do not go together"},
		{COMMAND_tune, "--missing --plan p", "--plan and --missing do not go together"},
		{COMMAND_tune, "--missing --pass both", "--missing and --pass do not go together"},
		{COMMAND_tune, "--budget 5 --rounds 3", "--budget and --rounds do not go together"},
		{COMMAND_tune, "--budget -1", "--budget: '-1' is not a number of seconds above 0"},
		{COMMAND_tune, "--shard 1/2", "--shard takes its share of a plan; name one with"},
		{COMMAND_tune, "--shard 0/2", "--shard: '0/2' is not a shard; write I/N, the Ith"},
		{COMMAND_tune, "--shard 3/2", "--shard: '3/2' is not a shard"},
		{COMMAND_tune, "--shard 1", "--shard: '1' is not a shard"},
		{COMMAND_tune, "--shard /2", "--shard: '/2' is not a shard"},
		{COMMAND_tune, "--shard 1/2/3", "--shard: '1/2/3' is not a shard"},
		{COMMAND_tune, "--shard 1/1000001", "--shard: '1/1000001' is not a shard"},
		{COMMAND_bench, "--budget 5", "'bench' takes no option '--budget'; these do: tune"},
		{COMMAND_import, "", "'import' needs an operand: pattn import FILE..."},
		{COMMAND_bench, "--devcie cpu",
			"unknown option '--devcie'; did you mean '--device'?"},
		{COMMAND_bench, "--zzzzzz",
			"unknown option '--zzzzzz'; `pattn help bench` lists them"},
		{COMMAND_bench, "--fuzz 3", "'bench' takes no option '--fuzz'; these do: verify"},
		{COMMAND_bench, "--heads", "--heads needs a value: --heads N"},
		{COMMAND_bench, "--json --quiet", "--json needs a value: --json FILE"},
		{COMMAND_bench, "--cold=yes", "'--cold=yes': --cold takes no value"},
		{COMMAND_bench, "-x", "unknown option '-x'; `pattn help bench` lists them"},
		{COMMAND_bench, "-qq", "unknown option '-qq'"},
		{COMMAND_bench, "--", "unknown option '--'"},
		{COMMAND_bench, "5,40", "'5,40' is not an option; `pattn help bench` lists them"},
		{COMMAND_help, "a b", "'b' is one word too many after 'a'"},
	};
	struct options options;
	struct err err;

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		if (!parse(&options, cases[i].command, cases[i].line, &err))
			fail_msg("'%s' is accepted", cases[i].line);
		if (strncmp(err.text, cases[i].says, strlen(cases[i].says)))
			fail_msg("'%s' says: %s", cases[i].line, err.text);
		assert_int_equal(err.kind, ERR_USAGE);
	}
}

static void test_windows_have_a_limit(void **state)
{
	struct options options;
	struct str line = {0};
	struct err err;

	(void)state;
	str_add(&line, "--window none");
	for (int i = 1; i < MAX_WINDOWS; i++)
		str_addf(&line, ",%d", i);
	accept(&options, COMMAND_bench, line.text);
	assert_int_equal(options.window_count, MAX_WINDOWS);
	str_add(&line, ",9999");
	assert_int_equal(parse(&options, COMMAND_bench, line.text, &err), -1);
	assert_string_equal(err.text, "--window: '9999' is one too many; give at most 64 windows");
	str_release(&line);
}

static void test_environment(void **state)
{
	struct options options;
	struct err err;

	(void)state;
	setenv("PATTN_DB", "mine.db", 1);
	accept(&options, COMMAND_bench, "");
	assert_string_equal(options.db, "mine.db");
	assert_true(options_given(&options, "db"));
	accept(&options, COMMAND_bench, "--db other.db");
	assert_string_equal(options.db, "other.db");
	setenv("PATTN_DB", "", 1);
	assert_int_equal(parse(&options, COMMAND_tune, "", &err), -1);
	assert_non_null(strstr(err.text, "PATTN_DB"));
	accept(&options, COMMAND_verify, "");
	accept(&options, COMMAND_tune, "--db x.db");
	unsetenv("PATTN_DB");
}

static void test_suggest(void **state)
{
	static const char *const names[] = {"bench", "tune", "verify", "pick", "export"};
	static const struct {
		const char *word, *near;
	} cases[] = {
		{"benhc", "bench"},
		{"bnch", "bench"},
		{"tun", "tune"},
		{"tunes", "tune"},
		{"varify", "verify"},
		{"exprot", "export"},
		{"xyzzy", NULL},
		{"t", NULL},
		{"", NULL},
		{"a-word-that-is-longer-than-any-name-could-be", NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *near = suggest(cases[i].word, names, 5);

		if (!near != !cases[i].near || (near && strcmp(near, cases[i].near)))
			fail_msg("'%s' suggests %s", cases[i].word, near ? near : "nothing");
	}
}

static void test_repeat(void **state)
{
	const struct problem problem = {.dtype = DTYPE_BF16, .heads = 3, .window = NO_WINDOW};
	struct options options;
	struct str text = {0};

	(void)state;
	accept(&options, COMMAND_verify, "--isa avx2 --threads 2");
	repeat_problem(&text, "verify", &options, "3x5", &problem, PASS_BACKWARD);
	repeat_option(&text, "db", "it's here");
	repeat_option(&text, "schedule", "");
	assert_string_equal(text.text,
		"pattn verify --isa avx2 --threads 2 --lens 3x5 --heads 3 --window none "
		"--dtype bf16 --pass backward --db 'it'\\''s here' --schedule ''");
	str_release(&text);
}

/* Help tells the default that the parser sets. */
static void test_help_tells_defaults(void **state)
{
	struct str text = {0};

	(void)state;
	options_describe(&commands[COMMAND_verify], &text);
	assert_non_null(strstr(text.text, "or a preset [test]\n"));
	assert_non_null(strstr(text.text, "attention heads [2]\n"));
	assert_null(strstr(text.text, "--retune"));
	for (const char *at = text.text; *at; at += strcspn(at, "\n") + 1)
		assert_in_range(strcspn(at, "\n"), 1, 100);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults),
		cmocka_unit_test(test_values),
		cmocka_unit_test(test_operands),
		cmocka_unit_test(test_how_tune_goes),
		cmocka_unit_test(test_glob),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_windows_have_a_limit),
		cmocka_unit_test(test_environment),
		cmocka_unit_test(test_suggest),
		cmocka_unit_test(test_repeat),
		cmocka_unit_test(test_help_tells_defaults),
	};

	unsetenv("PATTN_DB");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
