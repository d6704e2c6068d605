/* Merging stores: the same from any order, all of a file or nothing. */
#include "tests/unit/store_sample.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/str.h"
#include "tune/store_import.h"
#include "tune/store_miss.h"

#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

/* All that a merge may bring, named by what is the same in every file. */
static const char dump_sql[] =
	"SELECT 'trial', uid, fingerprint, pass, dtype, heads, window, shape.tokens,"
	" shape.longest, cache, lens, schedule, outcome, why, samples, marks, median, code,"
	" compiler, driver, seed, created, trial.origin, source"
	" FROM trial JOIN shape ON shape.id = trial.shape JOIN device ON device.id = device"
	" JOIN workload ON workload.id = workload ORDER BY uid;"
	"SELECT 'judgement', uid, tensor, rel, nmse, got FROM judgement"
	" JOIN trial ON trial.id = judgement.trial ORDER BY uid, tensor;"
	"SELECT 'rank', fingerprint, heads, decision.code, decision.compiler, decision.decision,"
	" decided, decision.origin, rank, uid"
	" FROM decision JOIN ranking ON ranking.decision = decision.id"
	" JOIN trial ON trial.id = ranking.trial JOIN shape ON shape.id = decision.shape"
	" JOIN device ON device.id = device"
	" ORDER BY fingerprint, heads, decision.code, decision.compiler, rank;"
	"SELECT 'miss', fingerprint, heads, lens FROM miss JOIN shape ON shape.id = miss.shape"
	" JOIN device ON device.id = device JOIN workload ON workload.id = workload ORDER BY 2, 3;"
	"SELECT 'rows', (SELECT count(*) FROM device), (SELECT count(*) FROM shape),"
	" (SELECT count(*) FROM workload), (SELECT count(*) FROM decision)";

static int dump_row(void *context, int count, char **values, char **names)
{
	(void)names;
	for (int i = 0; i < count; i++)
		str_addf(context, "%s%s", values[i] ? values[i] : "NULL",
			i + 1 < count ? "|" : "\n");
	return 0;
}

static void dump(const char *path, struct str *text)
{
	sqlite3 *db;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, dump_sql, dump_row, text, NULL))
		fail_msg("%s", sqlite3_errmsg(db));
	sqlite3_close(db);
}

static struct import_counts import_or_fail(const char *target, const char *path)
{
	struct store *store = open_or_fail(target, STORE_WRITE);
	struct import_counts counts;
	struct err err = {0};

	if (store_import(store, path, false, &counts, &err))
		fail_msg("%s", err.text);
	store_close(store);
	return counts;
}

static void assert_counts(const struct import_counts *got, int64_t trials_new, int64_t trials_known,
	int64_t winners_new, int64_t winners_replaced, int64_t winners_kept)
{
	assert_int_equal(got->trials_new, trials_new);
	assert_int_equal(got->trials_known, trials_known);
	assert_int_equal(got->winners_new, winners_new);
	assert_int_equal(got->winners_replaced, winners_replaced);
	assert_int_equal(got->winners_kept, winners_kept);
}

/* Ranks `count` trials for problems of so many heads, made by `code` and decided in `year`. */
static void tune(const char *path, int heads, int count, const char *code, const char *year)
{
	struct store *store = open_or_fail(path, STORE_WRITE);
	struct device_info device = sample_device;
	struct circumstances circumstances = sample_circumstances;
	struct contest contest = sample_contest;
	struct trial trials[] = {sample_trial(0), sample_trial(1), sample_trial(2)};
	struct key key = sample_key();
	struct str sql = {0};
	struct err err = {0};

	key.heads = heads;
	snprintf(device.code, sizeof device.code, "%s", code);
	circumstances.device = &device;
	contest.trials = trials;
	contest.ranking = (int[]){0, 1, 2};
	contest.count = contest.ranked = count;
	contest.decision = count > 1 ? DECISION_TIE : DECISION_WINNER;
	if (store_add_contest(store, &key, &contest, &circumstances, true, &err))
		fail_msg("%s", err.text);
	store_close(store);
	str_addf(&sql,
		"UPDATE decision SET decided = '%s-01-01T00:00:00Z' WHERE code = '%s'"
		" AND shape = (SELECT id FROM shape WHERE heads = %d)",
		year, code, heads);
	raw_sql(path, sql.text);
	str_release(&sql);
}

static void copy_file(const char *from, const char *to)
{
	struct str bytes = {0};
	struct err err = {0};

	assert_int_equal(file_read(from, 1 << 24, &bytes, &err), 0);
	assert_int_equal(file_write(to, bytes.text, bytes.length, &err), 0);
	str_release(&bytes);
}

static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};

/* Three machines' files: of one shape decided at different times, at the same time, only by one,
 * by several builds, in copies of each other, shipped and local. */
static void make_three(void)
{
	tune("a.db", 1, 2, "old", "2021");
	tune("a.db", 2, 2, "old", "2021");
	tune("a.db", 3, 1, "old", "2029");
	tune("shipped.db", 1, 1, "old", "2035");
	tune("shipped.db", 3, 1, "old", "2035");
	tune("shipped.db", 4, 1, "old", "2035");
	raw_sql("shipped.db", "UPDATE trial SET origin = 'shipped';"
			      "UPDATE decision SET origin = 'shipped'");
	copy_file("a.db", "b.db");
	import_or_fail("b.db", "shipped.db");
	tune("b.db", 1, 3, "old", "2022");
	tune("b.db", 2, 3, "old", "2021");
	tune("b.db", 2, 1, "new", "2020");
	tune("c.db", 1, 1, "new", "2019");
	tune("c.db", 2, 3, "old", "2021");
	import_or_fail("c.db", "a.db");
	raw_sql("c.db", "UPDATE decision SET origin = 'shipped' WHERE code = 'old' AND shape ="
			" (SELECT id FROM shape WHERE heads = 3)");
}

static void test_order_does_not_matter(void **state)
{
	static const char *const files[] = {"a.db", "b.db", "c.db"};
	struct str first = {0};

	(void)state;
	make_three();
	tune("base.db", 2, 1, "new", "2001");
	tune("base.db", 5, 1, "old", "2001");
	for (int i = 0; i < 6; i++) {
		struct str text = {0};

		copy_file("base.db", "target.db");
		for (int j = 0; j < 3; j++)
			import_or_fail("target.db", files[orders[i][j]]);
		dump("target.db", &text);
		if (!i)
			first = text;
		else
			assert_string_equal(text.text, first.text);
		assert_integrity("target.db");
		if (i)
			str_release(&text);
	}
	str_release(&first);
	/* Local before later; later before earlier; imported before shipped. */
	assert_int_equal(raw_sql("target.db", "SELECT count(*) FROM decision JOIN shape"
					      " ON shape.id = shape WHERE (heads, code, origin,"
					      " substr(decided, 1, 4)) IN (VALUES"
					      " (1, 'old', 'imported', '2022'),"
					      " (1, 'new', 'imported', '2019'),"
					      " (2, 'old', 'imported', '2021'),"
					      " (2, 'new', 'local', '2001'),"
					      " (3, 'old', 'imported', '2029'),"
					      " (4, 'old', 'shipped', '2035'),"
					      " (5, 'old', 'local', '2001'))"),
		7);
	assert_int_equal(raw_sql("target.db", "SELECT count(*) FROM decision"), 7);
}

/* What was imported is what was there, but for where it came from. */
static void test_rows_arrive_whole(void **state)
{
	struct str there = {0}, here = {0};

	(void)state;
	tune("there.db", 1, 3, "code", "2021");
	tune("there.db", 2, 1, "code", "2022");
	import_or_fail("here.db", "there.db");
	assert_int_equal(raw_sql("here.db", "SELECT count(*) FROM trial WHERE origin = 'imported'"
					    " AND source = 'there.db'"),
		4);
	raw_sql("here.db", "UPDATE trial SET origin = 'local', source = '';"
			   "UPDATE decision SET origin = 'local'");
	dump("there.db", &there);
	dump("here.db", &here);
	assert_string_equal(here.text, there.text);
	str_release(&there);
	str_release(&here);
}

static int check_origin(void *context, const struct stored *stored)
{
	const char *const *wanted = context;

	assert_string_equal(stored->origin, wanted[0]);
	assert_string_equal(stored->source, wanted[1]);
	return 0;
}

/* Rows remember the first file they came from, and what was shipped. */
static void test_origin_is_kept(void **state)
{
	const char *imported[] = {"imported", "one.db"}, *shipped[] = {"shipped", "two.db"};
	struct store *store;
	struct key key = sample_key();
	struct err err = {0};

	(void)state;
	tune("one.db", 1, 1, sample_device.code, "2021");
	tune("two.db", 2, 1, sample_device.code, "2021");
	raw_sql("two.db", "UPDATE trial SET origin = 'shipped';"
			  "UPDATE decision SET origin = 'shipped'");
	import_or_fail("middle.db", "one.db");
	import_or_fail("middle.db", "two.db");
	import_or_fail("end.db", "middle.db");
	store = open_or_fail("end.db", STORE_READ);
	key.heads = 1;
	assert_int_equal(
		store_look_up(store, &key, &sample_device, check_origin, imported, &err), 1);
	key.heads = 2;
	assert_int_equal(
		store_look_up(store, &key, &sample_device, check_origin, shipped, &err), 1);
	store_close(store);
	/* Back where it was measured it is local. */
	import_or_fail("one.db", "end.db");
	assert_int_equal(raw_sql("one.db", "SELECT count(*) FROM trial WHERE origin = 'local'"), 1);
	assert_int_equal(raw_sql("one.db", "SELECT count(*) FROM trial"), 2);
}

static void test_counts(void **state)
{
	struct import_counts counts;
	uint64_t before;

	(void)state;
	tune("a.db", 1, 3, "code", "2021");
	tune("a.db", 2, 2, "code", "2021");
	tune("b.db", 1, 2, "code", "2022");
	tune("b.db", 2, 1, "code", "2020");
	tune("b.db", 2, 1, "other", "2020");
	counts = import_or_fail("target.db", "a.db");
	assert_counts(&counts, 5, 0, 2, 0, 0);
	counts = import_or_fail("target.db", "b.db");
	assert_counts(&counts, 4, 0, 1, 1, 1);
	before = folder_hash();
	counts = import_or_fail("target.db", "a.db");
	assert_counts(&counts, 0, 5, 0, 0, 2);
	counts = import_or_fail("target.db", "b.db");
	assert_counts(&counts, 0, 4, 0, 0, 3);
	counts = import_or_fail("target.db", "target.db");
	assert_counts(&counts, 0, 9, 0, 0, 3);
	assert_true(folder_hash() == before);
}

static void test_dry_run(void **state)
{
	struct store *store;
	struct import_counts counts;
	struct err err = {0};
	uint64_t before;

	(void)state;
	tune("a.db", 1, 3, "code", "2021");
	tune("target.db", 1, 1, "code", "2020");
	before = folder_hash();
	store = open_or_fail("target.db", STORE_WRITE);
	for (int i = 0; i < 2; i++) {
		assert_int_equal(store_import(store, "a.db", true, &counts, &err), 0);
		assert_counts(&counts, 3, 0, 0, 0, 1);
		assert_int_equal(count_trials(store), 1);
	}
	store_close(store);
	assert_true(folder_hash() == before);
}

static void test_empty_files(void **state)
{
	struct import_counts counts;
	struct err err = {0};

	(void)state;
	assert_int_equal(file_write("empty.db", "", 0, &err), 0);
	store_close(open_or_fail("new.db", STORE_WRITE));
	tune("target.db", 1, 1, "code", "2020");
	counts = import_or_fail("target.db", "empty.db");
	assert_counts(&counts, 0, 0, 0, 0, 0);
	counts = import_or_fail("target.db", "new.db");
	assert_counts(&counts, 0, 0, 0, 0, 0);
	counts = import_or_fail("empty.db", "target.db");
	assert_counts(&counts, 1, 0, 1, 0, 0);
}

static void test_any_page_size(void **state)
{
	static const char *const sizes[] = {"512", "1024", "65536"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct import_counts counts;
		struct str sql = {0};

		tune("a.db", 1 + i, 1, "code", "2021");
		str_addf(&sql, "PRAGMA page_size = %s; VACUUM", sizes[i]);
		raw_sql("a.db", sql.text);
		counts = import_or_fail("target.db", "a.db");
		assert_int_equal(counts.trials_new, 1);
		str_release(&sql);
	}
}

static void test_miss_goes(void **state)
{
	struct store *store;
	struct key key = sample_key();
	struct err err = {0};

	(void)state;
	store = open_or_fail("target.db", STORE_WRITE);
	for (key.heads = 1; key.heads <= 2; key.heads++)
		assert_int_equal(
			store_add_miss(store, &key, &sample_problem, &sample_circumstances, &err),
			0);
	store_close(store);
	tune("a.db", 1, 1, "code", "2021");
	import_or_fail("target.db", "a.db");
	assert_int_equal(raw_sql("target.db", "SELECT count(*) FROM miss"), 1);
	assert_int_equal(
		raw_sql("target.db", "SELECT heads FROM miss JOIN shape ON shape.id = shape"), 2);
	/* Another machine's misses are its own. */
	import_or_fail("b.db", "target.db");
	assert_int_equal(raw_sql("b.db", "SELECT count(*) FROM miss"), 0);
}

/* Fails, says `words` of `path` and nothing of --db, and changes no byte. */
static void assert_not_imported(const char *path, const char *words)
{
	struct store *store = open_or_fail("target.db", STORE_WRITE);
	uint64_t before = folder_hash();
	struct import_counts counts;
	struct err err = {0};

	for (int dry = 0; dry < 2; dry++) {
		if (!store_import(store, path, dry, &counts, &err))
			fail_msg("%s was imported, that '%s'", path, words);
		assert_int_equal(err.kind, ERR_UNAVAILABLE);
		if (strncmp(err.text, path, strlen(path)) || !strstr(err.text, words) ||
			!strstr(err.text, "; nothing is imported") || strstr(err.text, "--db"))
			fail_msg("'%s' does not say '%s'", err.text, words);
		assert_true(folder_hash() == before);
		assert_int_equal(count_trials(store), 1);
	}
	/* The store is none the worse. */
	assert_int_equal(store_import(store, "good.db", true, &counts, &err), 0);
	store_close(store);
}

static void make_target(void)
{
	tune("target.db", 1, 1, "code", "2020");
	tune("good.db", 1, 3, "code", "2021");
}

static void test_damaged_files(void **state)
{
	struct str whole = {0};
	struct err err = {0};

	(void)state;
	make_target();
	assert_int_equal(file_read("good.db", 1 << 24, &whole, &err), 0);
	assert_not_imported("missing.db", "No such file");
	assert_int_equal(file_write("text.db", "schedule,median\n", 16, &err), 0);
	assert_not_imported("text.db", "not a SQLite database");
	raw_sql("foreign.db", "CREATE TABLE trial (id)");
	assert_not_imported("foreign.db", "not a store of pattn's");
	copy_file("good.db", "newer.db");
	raw_sql("newer.db", "PRAGMA user_version = 7");
	assert_not_imported("newer.db", "newer pattn (schema 7, this one knows 1)");
	for (size_t cut = 1; cut < whole.length; cut += whole.length / 13) {
		assert_int_equal(file_write("cut.db", whole.text, cut, &err), 0);
		assert_not_imported("cut.db", "damaged");
	}
	/* A page of each table in turn. */
	for (size_t page = 1; page < whole.length / 4096; page += 3) {
		struct str torn = {0};

		str_add_bytes(&torn, whole.text, whole.length);
		memset(torn.text + page * 4096, 0x5a, 4096);
		assert_int_equal(file_write("torn.db", torn.text, torn.length, &err), 0);
		assert_not_imported("torn.db", "");
		str_release(&torn);
	}
	str_release(&whole);
}

/* What a hand has changed: well formed, but no build would write it. */
static void test_damaged_content(void **state)
{
	static const struct {
		const char *sql, *words;
	} cases[] = {
		{"UPDATE trial SET outcome = 'wrong' WHERE id = 1", "is ranked, but"},
		{"UPDATE trial SET code = 'other' WHERE id = 2", "is ranked, but"},
		{"DELETE FROM ranking WHERE rank = 0", "has no winner"},
		{"DELETE FROM ranking", "has no winner"},
		{"DELETE FROM workload", "a trial has lost its workload"},
		{"UPDATE trial SET samples = '[x]', marks = '0', sample_count = 1",
			"has the samples"},
		{"UPDATE trial SET outcome = 'untried'", "CHECK constraint failed"},
		{"DROP TABLE decision", "no such table"},
		{"DROP TABLE miss; CREATE VIEW miss AS SELECT * FROM trial", ""},
		{"CREATE TABLE coming (id)", "already exists"},
		{"ALTER TABLE trial DROP COLUMN warning; ALTER TABLE trial ADD COLUMN warning BLOB;"
		 "UPDATE trial SET warning = x'00'",
			"TEXT column trial.warning"},
	};

	(void)state;
	make_target();
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct str sql = {0};

		copy_file("good.db", "bad.db");
		str_addf(&sql,
			"PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; %s",
			cases[i].sql);
		raw_sql("bad.db", sql.text);
		str_release(&sql);
		assert_not_imported("bad.db", cases[i].words);
	}
}

/* A trial with the name of another: what is here stays, and nothing is mixed up. */
static void test_forged_uid(void **state)
{
	(void)state;
	make_target();
	raw_sql("target.db", "UPDATE trial SET uid = 'same'");
	raw_sql("good.db", "UPDATE trial SET uid = 'same' WHERE id = 2");
	assert_int_equal(rename("good.db", "bad.db"), 0);
	tune("good.db", 8, 1, "code", "2021");
	assert_not_imported("bad.db", "trial 2 has the uid of another here");
}

/* Triggers in the other file do not run. */
static void test_triggers_do_not_run(void **state)
{
	(void)state;
	make_target();
	raw_sql("good.db", "CREATE TRIGGER harm AFTER UPDATE ON trial BEGIN"
			   " DELETE FROM trial; DELETE FROM decision; END");
	import_or_fail("target.db", "good.db");
	assert_int_equal(raw_sql("target.db", "SELECT count(*) FROM trial"), 4);
}

/* The target may not grow: said of the target, and undone. */
static int import_on_full_disk(void)
{
	struct rlimit size;
	struct err err = {0};
	struct import_counts counts;
	struct store *store = store_open("target.db", STORE_WRITE, &err);
	int trials = count_trials(store);

	signal(SIGXFSZ, SIG_IGN);
	size.rlim_cur = size.rlim_max = 1 << 17;
	setrlimit(RLIMIT_FSIZE, &size);
	if (!store_import(store, "large.db", false, &counts, &err))
		return 1;
	if (!strstr(err.text, "target.db: cannot") || !strstr(err.text, "may not grow"))
		return 2;
	if (count_trials(store) != trials)
		return 3;
	store_close(store);
	return 0;
}

static void test_full_disk(void **state)
{
	struct key key = sample_key();
	struct store *store;
	pid_t child;
	int status;

	(void)state;
	make_target();
	store = open_or_fail("large.db", STORE_WRITE);
	for (key.heads = 1; key.heads < 100; key.heads++)
		keep_ranked(store, &key, DECISION_TIE, 3);
	store_close(store);
	child = fork();
	if (!child)
		_exit(import_on_full_disk());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_integrity("target.db");
	import_or_fail("target.db", "large.db");
	assert_integrity("target.db");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_order_does_not_matter),
		TEST(test_rows_arrive_whole),
		TEST(test_origin_is_kept),
		TEST(test_counts),
		TEST(test_dry_run),
		TEST(test_empty_files),
		TEST(test_any_page_size),
		TEST(test_miss_goes),
		TEST(test_damaged_files),
		TEST(test_damaged_content),
		TEST(test_forged_uid),
		TEST(test_triggers_do_not_run),
		TEST(test_full_disk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
