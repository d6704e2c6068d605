/* What is kept comes back: trials, rankings, their order. */
#include "tests/unit/store_sample.h"

#include <math.h>

#include "base/mem.h"
#include "base/str.h"

#define FILE_NAME "tuning.db"

static void test_outcome_names(void **state)
{
	static const char *const names[] = {"untried", "ok", "unsupported", "compile-failed",
		"run-failed", "wrong", "timed-out"};
	enum outcome outcome;

	(void)state;
	for (int i = 0; i < 7; i++) {
		assert_string_equal(outcome_name((enum outcome)i), names[i]);
		assert_true(outcome_find(names[i], &outcome));
		assert_int_equal(outcome, i);
	}
	assert_false(outcome_find("fine", &outcome));
	assert_false(outcome_find("", &outcome));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

/* Numbers whose shortest digits are many, few, tiny and huge. */
static const double awkward[] = {0.1, 1.0 / 3, 2.5e-5, 0x1.fffffffffffffp-1, 0x1p-1074, 1e300,
	1.7976931348623157e308, 4.9406564584124654e-320, 3, 0};
#define AWKWARD_COUNT ((int)(sizeof awkward / sizeof *awkward))

static struct trial full_trial(void)
{
	struct trial trial = {
		.schedule = schedule_find(PASS_FORWARD, "r64_c32"),
		.outcome = OUTCOME_WRONG,
		.why = "out is off at token 3",
		.judged = true,
		.verdict = {.count = 2,
			.judgements =
				{
					{JUDGED_OUT, 2e-2, NAN, 0.5, 1e-7, {3, 11, 63, 1, NAN, 2},
						false},
					{JUDGED_LSE, 1e-2, 1e-3, 1e-2, 1e-9,
						{4015, 0, 0, 31, -INFINITY, 1.5}, true},
				}},
		.scratch = INT64_C(1) << 40,
		.sample_count = AWKWARD_COUNT,
		.batch = 7,
		.stats = {AWKWARD_COUNT, 0.25, 0.125, 0.5, 1e-6, 2},
		.flops = 1.5e12,
		.bytes = 2e11,
		.fraction = 0.4375,
		.warning = "the clock fell",
	};
	struct err err;

	trial.samples = mem_new(AWKWARD_COUNT, sizeof *trial.samples, "samples", &err);
	trial.marks = mem_new(AWKWARD_COUNT, 1, "marks", &err);
	memcpy(trial.samples, awkward, sizeof awkward);
	for (int i = 0; i < AWKWARD_COUNT; i++)
		trial.marks[i] = (unsigned char)(i % 4);
	return trial;
}

/* Bit for bit, but any NaN is a NaN. */
static void assert_same(double got, double want)
{
	if (!(isnan(want) ? isnan(got) : got == want))
		fail_msg("%.17g is not %.17g", got, want);
}

static void assert_verdict_equal(const struct verdict *got, const struct verdict *want)
{
	assert_int_equal(got->count, want->count);
	assert_int_equal(got->right, want->right);
	for (int i = 0; i < want->count; i++) {
		const struct judgement *a = &got->judgements[i], *b = &want->judgements[i];

		assert_int_equal(a->judged, b->judged);
		assert_int_equal(a->right, b->right);
		assert_same(a->ceiling, b->ceiling);
		assert_same(a->rel, b->rel);
		assert_same(a->sequence_rel, b->sequence_rel);
		assert_same(a->nmse, b->nmse);
		assert_int_equal(a->worst.token, b->worst.token);
		assert_int_equal(a->worst.head, b->worst.head);
		assert_int_equal(a->worst.dimension, b->worst.dimension);
		assert_int_equal(a->worst.sequence, b->worst.sequence);
		assert_same(a->worst.got, b->worst.got);
		assert_same(a->worst.want, b->worst.want);
	}
}

static int check_full_row(void *context, const struct stored *stored)
{
	const struct trial *trial = context;
	struct key key = sample_key();

	assert_true(key_equals(&stored->key, &key));
	assert_int_equal(stored->rank, -1);
	assert_int_equal(stored->decision, DECISION_NONE);
	assert_ptr_equal(stored->schedule, trial->schedule);
	assert_string_equal(stored->schedule_name, trial->schedule->name);
	assert_int_equal(stored->outcome, trial->outcome);
	assert_string_equal(stored->why, trial->why);
	assert_string_equal(stored->warning, trial->warning);
	assert_string_equal(stored->stop, sample_contest.stop);
	assert_true(stored->judged);
	assert_verdict_equal(&stored->verdict, &trial->verdict);
	assert_same(stored->min, trial->stats.min);
	assert_same(stored->first_quartile, trial->stats.first_quartile);
	assert_same(stored->median, trial->stats.median);
	assert_same(stored->third_quartile, trial->stats.third_quartile);
	assert_same(stored->max, trial->stats.max);
	assert_int_equal(stored->sample_count, AWKWARD_COUNT);
	assert_memory_equal(stored->samples, awkward, sizeof awkward);
	assert_memory_equal(stored->marks, trial->marks, AWKWARD_COUNT);
	assert_int_equal(stored->batch, trial->batch);
	assert_int_equal(stored->scratch, trial->scratch);
	assert_same(stored->flops, trial->flops);
	assert_same(stored->bytes, trial->bytes);
	assert_same(stored->fraction, trial->fraction);
	assert_same(stored->floor_seconds, sample_contest.floor_seconds);
	assert_string_equal(stored->code, sample_device.code);
	assert_string_equal(stored->compiler, sample_device.compiler);
	assert_string_equal(stored->driver, sample_device.driver);
	assert_string_equal(stored->architecture, sample_device.architecture);
	assert_string_equal(stored->origin, "local");
	assert_string_equal(stored->source, "");
	assert_string_equal(stored->lens, sample_circumstances.lens);
	assert_string_equal(stored->version, sample_circumstances.version);
	assert_int_equal(strlen(stored->created), strlen("2026-12-01T13:27:53Z"));
	assert_int_equal(stored->exact_tokens, sample_problem.tokens);
	assert_int_equal(stored->exact_longest, sample_problem.longest);
	return 0;
}

static void test_trial_comes_back(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct trial trial = full_trial();
	struct key key = sample_key();
	struct err err = {0};

	(void)state;
	keep(store, &key, &trial);
	assert_int_equal(store_each(store, true, check_full_row, &trial, &err), 1);
	store_close(store);
	store = open_or_fail(FILE_NAME, STORE_READ);
	assert_int_equal(store_each(store, true, check_full_row, &trial, &err), 1);
	assert_int_equal(store_each(store, false, check_full_row, &trial, &err), 0);
	store_close(store);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM trial WHERE rounds = 10"
					    " AND time_limit = 2.5 AND length(uid) = 32"
					    " AND seed = '18446744073709551615'"),
		1);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM device WHERE backend = 'cpu'"
					    " AND architecture = 'avx512' AND units = 2"),
		1);
	trial_release(&trial);
}

struct tally {
	int rows;
	struct key key;
	enum outcome outcome;
	bool judged;
	int sample_count;
};

static int last_row(void *context, const struct stored *stored)
{
	struct tally *tally = context;

	tally->rows++;
	tally->key = stored->key;
	tally->outcome = stored->outcome;
	tally->judged = stored->judged;
	tally->sample_count = stored->sample_count;
	return 0;
}

/* The schema's lists of words and the program's are one. */
static void test_every_word_is_accepted(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct trial trial = sample_trial(0);
	struct key key = sample_key();
	struct err err = {0};
	struct tally tally = {0};
	int kept = 0;

	(void)state;
	trial.judged = false;
	for (int outcome = OUTCOME_OK; outcome <= OUTCOME_TIMED_OUT; outcome++, kept++) {
		trial.outcome = (enum outcome)outcome;
		keep(store, &key, &trial);
		assert_int_equal(store_each(store, true, last_row, &tally, &err), kept + 1);
		assert_int_equal(tally.outcome, outcome);
		assert_false(tally.judged);
		assert_int_equal(tally.sample_count, 0);
	}
	trial.judged = true;
	for (int i = 0; i < JUDGED_COUNT; i++)
		trial.verdict.judgements[i].judged = (enum judged)i;
	trial.verdict.count = JUDGED_COUNT;
	for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
		for (int pass = 0; pass < PASS_COUNT; pass++)
			for (int cold = 0; cold < 2; cold++, kept++) {
				key.dtype = (enum dtype)dtype;
				key.pass = (enum pass)pass;
				key.cold = cold;
				key.window = cold ? NO_WINDOW : 0;
				key.tokens = key.longest = cold;
				keep(store, &key, &trial);
			}
	assert_int_equal(count_trials(store), kept);
	store_close(store);
}

/* What a walk over a ranking saw. */
struct seen {
	int count, limit;
	int64_t trials[16];
	int ranks[16];
	enum decision decision;
};

static int note_row(void *context, const struct stored *stored)
{
	struct seen *seen = context;

	assert_in_range(seen->count, 0, 15);
	seen->trials[seen->count] = stored->trial;
	seen->ranks[seen->count] = stored->rank;
	seen->decision = stored->decision;
	return ++seen->count == seen->limit;
}

static void assert_ranking(struct store *store, const struct key *key, enum decision decision,
	const int64_t *trials, int count)
{
	struct seen seen = {0};
	struct err err = {0};

	assert_int_equal(store_look_up(store, key, &sample_device, note_row, &seen, &err), count);
	assert_int_equal(seen.count, count);
	for (int i = 0; i < count; i++) {
		assert_int_equal(seen.trials[i], trials[i]);
		assert_int_equal(seen.ranks[i], i);
		assert_int_equal(seen.decision, decision);
	}
}

/* Ranks `count` new trials under `key`, and finds them ranked. */
static void rank(struct store *store, const struct key *key, enum decision decision, int count)
{
	int64_t first = keep_ranked(store, key, decision, count), ids[16];

	for (int i = 0; i < count; i++)
		ids[i] = first + count - 1 - i;
	assert_ranking(store, key, decision, ids, count);
}

static void test_ranking_is_replaced(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key key = sample_key(), other = key;
	struct trial wrong = sample_trial(1);

	(void)state;
	other.window = 65;
	wrong.outcome = OUTCOME_WRONG;
	assert_ranking(store, &key, DECISION_NONE, NULL, 0);
	rank(store, &key, DECISION_WINNER, 3);
	rank(store, &key, DECISION_TIE, 2);
	assert_ranking(store, &other, DECISION_NONE, NULL, 0);
	rank(store, &other, DECISION_WINNER, 1);
	assert_ranking(store, &key, DECISION_TIE, (int64_t[]){5, 4}, 2);
	/* What could not be ranked, or was not meant to be, leaves the ranking as it was. */
	keep_contest(store, &key, &wrong, 1, (int[]){0}, DECISION_NONE);
	keep(store, &key, &wrong);
	assert_ranking(store, &key, DECISION_TIE, (int64_t[]){5, 4}, 2);
	store_close(store);
	assert_integrity(FILE_NAME);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM decision"), 2);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM ranking"), 3);
}

static int note_code(void *context, const struct stored *stored)
{
	snprintf(context, 64, "%s %s %d", stored->code, stored->compiler, stored->sample_count);
	return 1;
}

/* Rankings of several builds of the kernels stand beside each other. */
static void test_builds_are_told_apart(void **state)
{
	static const char *const codes[] = {"aaaa", "bbbb", "aaaa"};
	static const char *const compilers[] = {"gcc 12", "gcc 12", "clang 14"};
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct device_info device = sample_device;
	struct circumstances circumstances = sample_circumstances;
	struct contest contest = sample_contest;
	struct key key = sample_key();
	struct trial trial = sample_trial(0);
	struct err err = {0};
	char found[64], wanted[64];

	(void)state;
	circumstances.device = &device;
	contest.trials = &trial;
	contest.count = contest.ranked = 1;
	contest.ranking = (int[]){0};
	contest.decision = DECISION_WINNER;
	for (int i = 0; i < 3; i++) {
		strcpy(device.code, codes[i]);
		strcpy(device.compiler, compilers[i]);
		assert_int_equal(
			store_add_contest(store, &key, &contest, &circumstances, true, &err), 0);
	}
	for (int i = 0; i < 3; i++) {
		strcpy(device.code, codes[i]);
		strcpy(device.compiler, compilers[i]);
		assert_int_equal(store_look_up(store, &key, &device, note_code, found, &err), 1);
		snprintf(wanted, sizeof wanted, "%s %s 0", codes[i], compilers[i]);
		assert_string_equal(found, wanted);
	}
	/* A build without one is shown what goes first, and so is who asks for any. */
	strcpy(device.code, "cccc");
	assert_int_equal(store_look_up(store, &key, &device, note_code, found, &err), 1);
	assert_string_not_equal(found, "");
	assert_int_equal(store_each(store, false, count_row, &(int){0}, &err), 1);
	store_close(store);
	raw_sql(FILE_NAME, "UPDATE decision SET decided = '2030' WHERE code = 'bbbb'");
	raw_sql(FILE_NAME, "UPDATE decision SET decided = '2031', origin = 'imported'"
			   " WHERE compiler = 'clang 14'");
	store = open_or_fail(FILE_NAME, STORE_READ);
	assert_int_equal(store_each(store, false, note_code, found, &err), 1);
	assert_string_equal(found, "bbbb gcc 12 0");
	assert_int_equal(store_each(store, true, count_row, &(int){0}, &err), 3);
	store_close(store);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM winner"), 3);
}

/* Every member of a key tells shapes apart. */
static void test_keys_are_told_apart(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key base = sample_key(), keys[9];

	(void)state;
	for (int i = 0; i < 9; i++)
		keys[i] = base;
	strcat(keys[0].device, "!");
	keys[1].pass = PASS_BACKWARD;
	keys[2].dtype = DTYPE_F16;
	keys[3].heads++;
	keys[4].dim *= 2;
	keys[5].window = NO_WINDOW;
	keys[6].tokens *= 2;
	keys[7].longest *= 2;
	keys[8].cold = false;
	for (int i = 0; i < 9; i++)
		rank(store, &keys[i], DECISION_WINNER, 1);
	for (int i = 0; i < 9; i++)
		assert_ranking(store, &keys[i], DECISION_WINNER, (int64_t[]){i + 1}, 1);
	assert_ranking(store, &base, DECISION_NONE, NULL, 0);
	store_close(store);
}

static void test_rows_come_in_order(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key forward = sample_key(), backward = forward;
	struct trial unranked = sample_trial(4);
	struct seen seen = {0};
	struct err err = {0};

	(void)state;
	backward.pass = PASS_BACKWARD;
	keep(store, &backward, &unranked);
	rank(store, &backward, DECISION_WINNER, 1);
	rank(store, &forward, DECISION_TIE, 2);
	keep(store, &forward, &unranked);

	assert_int_equal(store_each(store, false, note_row, &seen, &err), 3);
	assert_memory_equal(seen.trials, ((int64_t[]){4, 3, 2}), 3 * 8);
	seen = (struct seen){0};
	assert_int_equal(store_each(store, true, note_row, &seen, &err), 5);
	assert_memory_equal(seen.trials, ((int64_t[]){4, 3, 5, 2, 1}), 5 * 8);
	assert_memory_equal(seen.ranks, ((int[]){0, 1, -1, 0, -1}), 5 * sizeof(int));
	seen = (struct seen){.limit = 2};
	assert_int_equal(store_each(store, true, note_row, &seen, &err), 2);
	seen = (struct seen){.limit = 1};
	assert_int_equal(store_look_up(store, &forward, &sample_device, note_row, &seen, &err), 1);
	store_close(store);
}

static void test_two_handles(void **state)
{
	struct store *one = open_or_fail(FILE_NAME, STORE_WRITE);
	struct store *two = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key key = sample_key();

	(void)state;
	for (int i = 0; i < 6; i++) {
		struct trial trial = sample_trial(i);

		keep(i % 2 ? one : two, &key, &trial);
		assert_int_equal(count_trials(i % 2 ? two : one), i + 1);
	}
	rank(one, &key, DECISION_WINNER, 3);
	assert_ranking(two, &key, DECISION_WINNER, (int64_t[]){9, 8, 7}, 3);
	rank(two, &key, DECISION_TIE, 2);
	store_close(two);
	assert_ranking(one, &key, DECISION_TIE, (int64_t[]){11, 10}, 2);
	store_close(one);
	assert_integrity(FILE_NAME);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(DISTINCT uid) FROM trial"), 11);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM device, shape, workload"), 1);
}

static int check_unknown(void *context, const struct stored *stored)
{
	(void)context;
	assert_null(stored->schedule);
	assert_string_equal(stored->schedule_name, "z9");
	return 0;
}

static void test_schedule_of_another_build(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key key = sample_key();
	struct trial trial = sample_trial(0);
	struct err err = {0};

	(void)state;
	keep(store, &key, &trial);
	raw_sql(FILE_NAME, "UPDATE trial SET schedule = 'z9'");
	assert_int_equal(store_each(store, true, check_unknown, NULL, &err), 1);
	store_close(store);
}

static void test_reader_does_not_write(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct contest contest = sample_contest;
	struct key key = sample_key();
	struct trial trial = sample_trial(0);
	struct err err = {0};
	uint64_t before;

	(void)state;
	keep(store, &key, &trial);
	store_close(store);
	before = folder_hash();
	store = open_or_fail(FILE_NAME, STORE_READ);
	contest.trials = &trial;
	contest.count = 1;
	assert_int_equal(
		store_add_contest(store, &key, &contest, &sample_circumstances, false, &err), -1);
	assert_non_null(strstr(err.text, "read-only"));
	assert_int_equal(count_trials(store), 1);
	store_close(store);
	assert_true(folder_hash() == before);
}

/* The trial of a hundred thousand lengths is kept whole, and its lengths once. */
static void test_long_lens(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct circumstances circumstances = sample_circumstances;
	struct contest contest = sample_contest;
	struct trial trials[] = {sample_trial(0), sample_trial(1), sample_trial(2)};
	struct key key = sample_key();
	struct str lens = {0};
	struct err err = {0};

	(void)state;
	for (int i = 0; i < 100000; i++)
		str_addf(&lens, "%s%d", i ? "," : "", i % 512);
	circumstances.lens = lens.text;
	contest.trials = trials;
	contest.count = 3;
	assert_int_equal(store_add_contest(store, &key, &contest, &circumstances, false, &err), 0);
	store_close(store);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT length(lens) FROM workload"), lens.length);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM workload"), 1);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM trial"), 3);
	str_release(&lens);
}

/* `sqlite3 FILE 'SELECT * FROM winner'` is for people. */
static void test_winner_view(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key key = sample_key();

	(void)state;
	rank(store, &key, DECISION_WINNER, 2);
	store_close(store);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM winner WHERE decision = 'winner'"
					    " AND window = 64 AND origin = 'local' AND schedule ="
					    " (SELECT schedule FROM trial WHERE id = 2)"),
		1);
}

/* Whether `text` has `name` as code or in bold. */
static bool explains(const char *text, const char *name)
{
	struct str code = {0}, bold = {0};
	bool found;

	str_addf(&code, "`%s`", name);
	str_addf(&bold, "**%s**", name);
	found = strstr(text, code.text) || strstr(text, bold.text);
	str_release(&code);
	str_release(&bold);
	return found;
}

/* docs/store.md has a word on every table and column. Runs first, in the root: the others
 * change the folder. */
static void test_schema_is_explained(void **state)
{
	char folder[] = "/tmp/pattn-store-XXXXXX";
	struct str path = {0}, page = {0};
	struct err err = {0};
	sqlite3_stmt *rows;
	sqlite3 *db;
	int columns = 0;

	(void)state;
	if (file_read("docs/store.md", 1 << 20, &page, &err))
		fail_msg("%s", err.text);
	assert_non_null(mkdtemp(folder));
	str_addf(&path, "%s/" FILE_NAME, folder);
	store_close(open_or_fail(path.text, STORE_WRITE));
	sqlite3_open(path.text, &db);
	sqlite3_prepare_v2(db,
		"SELECT t.name, c.name FROM sqlite_schema t, pragma_table_info(t.name) c"
		" WHERE t.type = 'table' AND c.name != 'id'",
		-1, &rows, NULL);
	for (; sqlite3_step(rows) == SQLITE_ROW; columns++)
		for (int i = 0; i < 2; i++) {
			const char *name = (const char *)sqlite3_column_text(rows, i);

			if (!explains(page.text, name))
				fail_msg("docs/store.md has no word on %s", name);
		}
	assert_in_range(columns, 70, 120);
	sqlite3_finalize(rows);
	sqlite3_close(db);
	unlink(path.text);
	rmdir(folder);
	str_release(&path);
	str_release(&page);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_schema_is_explained),
		TEST(test_outcome_names),
		TEST(test_trial_comes_back),
		TEST(test_every_word_is_accepted),
		TEST(test_ranking_is_replaced),
		TEST(test_keys_are_told_apart),
		TEST(test_builds_are_told_apart),
		TEST(test_rows_come_in_order),
		TEST(test_two_handles),
		TEST(test_schedule_of_another_build),
		TEST(test_reader_does_not_write),
		TEST(test_long_lens),
		TEST(test_winner_view),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
