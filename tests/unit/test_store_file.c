/* What is not a whole store of this version is refused and left as it was. */
#include "tests/unit/store_sample.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/rng.h"
#include "base/str.h"

#define FILE_NAME  "tuning.db"
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

static const enum store_mode modes[] = {STORE_READ, STORE_WRITE};

static void write_file(const char *path, const void *bytes, size_t count)
{
	struct err err = {0};

	if (file_write(path, bytes, count, &err))
		fail_msg("%s", err.text);
}

/* A store of one ranked trial of each of `count` schedules. */
static void make_store(const char *path, int count)
{
	struct store *store = open_or_fail(path, STORE_WRITE);
	struct key key = sample_key();

	keep_ranked(store, &key, DECISION_TIE, count);
	store_close(store);
}

/* Refused for reading and for writing, and the folder is as before. */
static void assert_left_alone(const char *path, const char *words)
{
	uint64_t before = folder_hash();

	for (int i = 0; i < 2; i++) {
		assert_true(is_refused(path, modes[i], words));
		assert_true(folder_hash() == before);
	}
}

static void test_missing(void **state)
{
	uint64_t before = folder_hash();

	(void)state;
	assert_true(is_refused(FILE_NAME, STORE_READ, "`pattn tune` makes a store"));
	assert_true(is_refused("missing/" FILE_NAME, STORE_WRITE, "No such file or directory"));
	assert_true(folder_hash() == before);
}

static void test_no_regular_file(void **state)
{
	struct err err = {0};

	(void)state;
	assert_int_equal(mkfifo("pipe", 0600), 0);
	for (int i = 0; i < 2; i++) {
		assert_true(is_refused(".", modes[i], "a folder"));
		assert_true(is_refused("pipe", modes[i], "not a regular file"));
		assert_true(is_refused("/dev/null", modes[i], "not a regular file"));
		assert_null(store_open("", modes[i], &err));
		assert_int_equal(err.kind, ERR_USAGE);
	}
}

static void test_empty_file(void **state)
{
	struct store *store;
	struct key key = sample_key();
	struct err err = {0};
	int seen = 0;
	uint64_t before;

	(void)state;
	write_file(FILE_NAME, "", 0);
	before = folder_hash();
	store = open_or_fail(FILE_NAME, STORE_READ);
	assert_int_equal(count_trials(store), 0);
	assert_int_equal(store_look_up(store, &key, &sample_device, count_row, &seen, &err), 0);
	store_close(store);
	assert_true(folder_hash() == before);
	make_store(FILE_NAME, 2);
	assert_integrity(FILE_NAME);
	assert_int_equal(raw_sql(FILE_NAME, "PRAGMA user_version"), STORE_SCHEMA);
	assert_int_equal(raw_sql(FILE_NAME, "PRAGMA application_id"), 0x5041544e);
}

static void test_foreign_files(void **state)
{
	static const struct {
		const char *bytes;
		size_t count;
		const char *words;
	} files[] = {
		{"x", 1, "not a SQLite database"},
		{"\0", 1, "not a SQLite database"},
		{"schedule,median\nr64_c64,1.5\n", 28, "not a SQLite database"},
		{"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16, "not a SQLite database"},
		{"SQLite format 4\0and more that is longer", 39, "not a SQLite database"},
		{"SQLite f", 8, "cut short"},
		{"SQLite format 3\0and more", 24, "cut short"},
	};
	struct str large = {0};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		write_file("file", files[i].bytes, files[i].count);
		assert_left_alone("file", files[i].words);
	}
	for (int i = 0; i < 20000; i++)
		str_add(&large, "lorem ");
	write_file("file", large.text, large.length);
	assert_left_alone("file", "not a SQLite database");
	str_release(&large);
}

/* SQLite files that are another program's, a later build's or only look like a store. */
static void test_foreign_databases(void **state)
{
	static const struct {
		const char *sql, *words;
	} files[] = {
		{"CREATE TABLE trial (id)", "not a store of pattn's"},
		{"PRAGMA user_version = 1; CREATE TABLE a (b)", "not a store of pattn's"},
		{"PRAGMA application_id = 252006675; PRAGMA user_version = 1",
			"not a store of pattn's"},
		{"PRAGMA application_id = 1346458702; CREATE TABLE a (b)", "no schema version"},
		{"PRAGMA application_id = 1346458702; PRAGMA user_version = -1",
			"no schema version"},
		{"PRAGMA application_id = 1346458702; PRAGMA user_version = 1;"
		 "CREATE TABLE a (b)",
			"no such table"},
		{"PRAGMA application_id = 1346458702; PRAGMA user_version = 2;"
		 "CREATE TABLE a (b)",
			"newer pattn (schema 2, this one knows 1)"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
		raw_sql("file", files[i].sql);
		assert_left_alone("file", files[i].words);
		unlink("file");
	}
}

static void test_newer_schema(void **state)
{
	(void)state;
	make_store(FILE_NAME, 3);
	raw_sql(FILE_NAME, "PRAGMA user_version = 7");
	assert_left_alone(FILE_NAME, "newer pattn (schema 7, this one knows 1)");
}

static void test_write_ahead_log(void **state)
{
	(void)state;
	make_store(FILE_NAME, 3);
	raw_sql(FILE_NAME, "PRAGMA journal_mode = wal");
	assert_left_alone(FILE_NAME, "write-ahead log");
	raw_sql(FILE_NAME, "PRAGMA journal_mode = delete");
	store_close(open_or_fail(FILE_NAME, STORE_WRITE));
}

/* Views and triggers in place of what the schema has do not run. */
static void test_changed_schema(void **state)
{
	struct trial trial = sample_trial(0);
	struct key key = sample_key();
	struct store *store;

	(void)state;
	make_store(FILE_NAME, 1);
	raw_sql(FILE_NAME, "CREATE TRIGGER harm AFTER INSERT ON trial BEGIN"
			   " DELETE FROM trial; END");
	store = open_or_fail(FILE_NAME, STORE_WRITE);
	keep(store, &key, &trial);
	assert_int_equal(count_trials(store), 2);
	store_close(store);
	raw_sql(FILE_NAME, "ALTER TABLE judgement RENAME TO kept;"
			   "CREATE VIEW judgement AS SELECT * FROM kept");
	assert_left_alone(FILE_NAME, "judgement");
}

static void test_truncated(void **state)
{
	struct str whole = {0};
	struct err err = {0};

	(void)state;
	make_store(FILE_NAME, 3);
	assert_int_equal(file_read(FILE_NAME, 1 << 24, &whole, &err), 0);
	assert_in_range(whole.length, 4 * 4096, 1 << 20);
	for (size_t length = 1; length < whole.length; length += length == 1 ? 511 : 512) {
		write_file("cut", whole.text, length);
		assert_left_alone("cut", "damaged");
	}
	write_file("cut", whole.text, whole.length - 1);
	assert_left_alone("cut", "damaged: cut short");
	str_release(&whole);
}

/* Reads all there is, or is told what is wrong: never a crash, never a change. */
static void read_all(const char *path)
{
	struct err err = {0};
	struct store *store = store_open(path, STORE_READ, &err);
	struct key key = sample_key();
	int seen = 0;

	if (store && store_each(store, true, count_row, &seen, &err) >= 0)
		store_look_up(store, &key, &sample_device, count_row, &seen, &err);
	store_close(store);
}

static void test_flipped_bits(void **state)
{
	struct rng rng = {.state = 11};
	struct str whole = {0};
	struct err err = {0};
	int refused = 0;

	(void)state;
	make_store(FILE_NAME, 3);
	assert_int_equal(file_read(FILE_NAME, 1 << 24, &whole, &err), 0);
	for (int i = 0; i < 400; i++) {
		/* Half of them in the header and the tables' list. */
		int64_t end = i % 2 ? 160 : (int64_t)whole.length;
		int64_t at = rng_between(&rng, 0, end - 1);
		char was = whole.text[at];
		struct store *store;
		uint64_t before;

		whole.text[at] ^= (char)(1 << rng_between(&rng, 0, 7));
		write_file("flipped", whole.text, whole.length);
		before = folder_hash();
		read_all("flipped");
		assert_true(folder_hash() == before);
		store = store_open("flipped", STORE_WRITE, &err);
		refused += !store;
		assert_true(store || folder_hash() == before);
		store_close(store);
		whole.text[at] = was;
	}
	assert_in_range(refused, 20, 399);
	str_release(&whole);
}

/* Words that no build ever wrote. */
static void test_damaged_rows(void **state)
{
	static const struct {
		const char *sql, *words;
	} cases[] = {
		{"UPDATE trial SET outcome = 'fine'", "CHECK constraint failed"},
		{"UPDATE shape SET pass = 'sideways'", "CHECK constraint failed"},
		{"UPDATE shape SET tokens = 3", "CHECK constraint failed"},
		{"UPDATE trial SET sample_count = 2000000000", "CHECK constraint failed"},
		{"UPDATE judgement SET tensor = 'qkv' WHERE tensor = 'out'",
			"CHECK constraint failed"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct str sql = {0};

		make_store(FILE_NAME, 1);
		str_addf(&sql, "PRAGMA ignore_check_constraints = ON; %s", cases[i].sql);
		raw_sql(FILE_NAME, sql.text);
		assert_left_alone(FILE_NAME, cases[i].words);
		str_release(&sql);
		unlink(FILE_NAME);
	}
}

/* What a schema without its checks lets through is found in reading. */
static void test_damaged_samples(void **state)
{
	static const char *const damages[] = {
		"sample_count = 9, marks = '000000000', samples = '[]'",
		"sample_count = 3, marks = '000', samples = '[1,2]'",
		"sample_count = 2, marks = '00', samples = '[1,null]'",
		"sample_count = 1, marks = '0', samples = '[]'",
		"sample_count = 1, marks = '4', samples = '[1]'",
		"sample_count = 1, marks = '/', samples = '[1]'",
	};

	(void)state;
	make_store(FILE_NAME, 1);
	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
		struct str sql = {0};
		struct store *store;
		struct err err = {0};
		int seen = 0;

		str_addf(&sql, "UPDATE trial SET %s", damages[i]);
		raw_sql(FILE_NAME, sql.text);
		str_release(&sql);
		store = open_or_fail(FILE_NAME, STORE_READ);
		assert_int_equal(store_each(store, true, count_row, &seen, &err), -1);
		assert_non_null(strstr(err.text, "damaged: trial 1 has the "));
		assert_int_equal(seen, 0);
		store_close(store);
	}
}

/* Names that mean something to SQLite, a shell or a URI are names of files here. */
static void test_odd_names(void **state)
{
	static const char *const names[] = {"a?mode=ro", "50%20.db", "file:x.db", "file:x?vfs=none",
		":memory:", "-dash", "it's \"quoted\"", "#1", "gr\xc3\xbc\xc3\x9f", "a;b|c&d"};

	(void)state;
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		make_store(names[i], 1);
		assert_int_equal(access(names[i], F_OK), 0);
		read_all(names[i]);
	}
}

static void test_links(void **state)
{
	(void)state;
	assert_int_equal(symlink("target.db", "link.db"), 0);
	make_store("link.db", 2);
	assert_int_equal(access("target.db", F_OK), 0);
	assert_integrity("target.db");
	assert_int_equal(symlink("loop", "loop"), 0);
	assert_left_alone("loop", "Too many levels of symbolic links");
}

/* Dies in the middle of a change that has reached the file at `path`. */
static void die_while_changing(const char *path, const char *sql)
{
	pid_t child = fork();
	int status;

	if (!child) {
		sqlite3 *db;

		sqlite3_open(path, &db);
		sqlite3_exec(db, "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE",
			NULL, NULL, NULL);
		sqlite3_exec(db, sql, NULL, NULL, NULL);
		kill(getpid(), SIGKILL);
	}
	waitpid(child, &status, 0);
	assert_true(WIFSIGNALED(status));
}

#define GROW                                                                                       \
	"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 500)"               \
	" INSERT INTO "

/* A change that a killed process left half done is undone by whoever comes next. */
static void test_half_done_change(void **state)
{
	uint64_t before;

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct store *store;

		make_store(FILE_NAME, 3);
		before = folder_hash();
		die_while_changing(FILE_NAME, GROW
			"workload (lens, tokens, longest) SELECT hex(zeroblob(i)), i, i FROM n;"
			"UPDATE trial SET schedule = 'lost'");
		assert_true(folder_hash() != before);
		assert_int_equal(access(FILE_NAME "-journal", F_OK), 0);
		store = open_or_fail(FILE_NAME, modes[i]);
		assert_int_equal(count_trials(store), 3);
		store_close(store);
		assert_true(folder_hash() == before);
		unlink(FILE_NAME);
	}
}

/* Another program's half-done change is its own to undo. */
static void test_foreign_half_done_change(void **state)
{
	(void)state;
	raw_sql("file", "CREATE TABLE a (b); INSERT INTO a VALUES (1)");
	die_while_changing("file", GROW "a SELECT zeroblob(i) FROM n");
	assert_int_equal(access("file-journal", F_OK), 0);
	assert_left_alone("file", "not a store of pattn's");
}

static bool opens_for_reading(const char *path)
{
	struct err err = {0};
	struct store *store = store_open(path, STORE_READ, &err);
	bool opens = store;

	store_close(store);
	return opens;
}

/* For a child that is not root; 0 or the number of what went wrong. */
static int try_unwritable_places(void)
{
	if (chmod(".", 0500) || !is_refused("new.db", STORE_WRITE, "Permission denied"))
		return 1;
	if (!is_refused(FILE_NAME, STORE_WRITE, "cannot write to its folder"))
		return 2;
	if (!opens_for_reading(FILE_NAME))
		return 3;
	if (chmod(".", 0700) || chmod(FILE_NAME, 0400) ||
		!is_refused(FILE_NAME, STORE_WRITE, "read-only"))
		return 4;
	if (!opens_for_reading(FILE_NAME))
		return 5;
	if (chmod(FILE_NAME, 0) || !is_refused(FILE_NAME, STORE_READ, "Permission denied"))
		return 6;
	return 0;
}

#define NOBODY 65534

static void test_unwritable_place(void **state)
{
	pid_t child;
	int status;

	(void)state;
	assert_true(is_refused("/proc/tuning.db", STORE_WRITE, "cannot open the store"));
	make_store(FILE_NAME, 3);
	if (!geteuid() && (chown(".", NOBODY, NOBODY) || chown(FILE_NAME, NOBODY, NOBODY))) {
		print_message("root may write anywhere, and cannot give files away here\n");
		skip();
	}
	child = fork();
	if (!child)
		_exit(!geteuid() && (setgid(NOBODY) || setuid(NOBODY)) ? 99
								       : try_unwritable_places());
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_missing),
		TEST(test_no_regular_file),
		TEST(test_empty_file),
		TEST(test_foreign_files),
		TEST(test_foreign_databases),
		TEST(test_newer_schema),
		TEST(test_write_ahead_log),
		TEST(test_changed_schema),
		TEST(test_truncated),
		TEST(test_flipped_bits),
		TEST(test_damaged_rows),
		TEST(test_damaged_samples),
		TEST(test_odd_names),
		TEST(test_links),
		TEST(test_half_done_change),
		TEST(test_foreign_half_done_change),
		TEST(test_unwritable_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
