/* Several processes on one file, killed ones, and disks that fill up. */
#include "tests/unit/store_sample.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/rng.h"
#include "base/str.h"
#include "tune/store_checkpoint.h"
#include "tune/store_import.h"

#define FILE_NAME  "tuning.db"
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

/* What a child does; 0 is well. A child never returns into the test. */
static pid_t start(int (*work)(int argument), int argument)
{
	pid_t child = fork();

	if (!child)
		_exit(work(argument));
	assert_true(child > 0);
	return child;
}

static int result_of(pid_t child)
{
	int status;

	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static int add(struct store *store, int index, struct err *err)
{
	struct trial trial = sample_trial(index % 5);
	struct contest contest = sample_contest;
	struct key key = sample_key();

	contest.trials = &trial;
	contest.count = 1;
	return store_add_contest(store, &key, &contest, &sample_circumstances, false, err);
}

#define WRITERS 8
#define TRIALS  20

static int add_some(int writer)
{
	struct err err = {0};
	struct store *store = store_open(FILE_NAME, STORE_WRITE, &err);
	int status = store ? 0 : -1;

	for (int i = 0; !status && i < TRIALS; i++)
		status = add(store, writer + i, &err);
	if (status)
		fprintf(stderr, "writer %d: %s\n", writer, err.text);
	store_close(store);
	return status ? 1 : 0;
}

/* From a file that none of them has yet made. */
static void test_many_writers(void **state)
{
	pid_t children[WRITERS];

	(void)state;
	for (int i = 0; i < WRITERS; i++)
		children[i] = start(add_some, i);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(result_of(children[i]), 0);
	assert_integrity(FILE_NAME);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM trial"), WRITERS * TRIALS);
	assert_int_equal(
		raw_sql(FILE_NAME, "SELECT count(*) FROM judgement"), 2 * WRITERS * TRIALS);
	assert_int_equal(
		raw_sql(FILE_NAME, "SELECT count(DISTINCT uid) FROM trial"), WRITERS * TRIALS);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM device, shape, workload"), 1);
}

#define FILES  3
#define ROUNDS 6

static const char *const file_names[FILES] = {"one.db", "two.db", "three.db"};

/* Tunes shapes that others tune as well, with a checkpoint each, and imports what they import. */
static int tune_and_import(int worker)
{
	struct err err = {0};
	struct store *store = store_open(FILE_NAME, STORE_WRITE, &err);
	struct trial trials[] = {sample_trial(0), sample_trial(1)};
	struct contest contest = sample_contest;
	struct import_counts counts;
	struct key key = sample_key();
	int status = store ? 0 : -1;

	contest.trials = trials;
	contest.ranking = (int[]){1, 0};
	contest.count = contest.ranked = 2;
	contest.decision = DECISION_TIE;
	for (int i = 0; !status && i < ROUNDS; i++) {
		key.heads = 1 + (worker + i) % 4;
		status = store_save_checkpoint(store, &key, &contest, &sample_circumstances, &err);
		if (!status)
			status = store_import(
				store, file_names[(worker + i) % FILES], false, &counts, &err);
		if (!status)
			status = store_add_contest(
				store, &key, &contest, &sample_circumstances, true, &err);
	}
	if (status)
		fprintf(stderr, "worker %d: %s\n", worker, err.text);
	store_close(store);
	return status ? 1 : 0;
}

static void test_tuning_and_importing(void **state)
{
	pid_t children[WRITERS];

	(void)state;
	for (int i = 0; i < FILES; i++) {
		struct store *store = open_or_fail(file_names[i], STORE_WRITE);
		struct key key = sample_key();

		/* One shape is tuned here too, the other only there. */
		for (key.heads = 1 + i; key.heads <= 10 + i; key.heads += 9)
			keep_ranked(store, &key, DECISION_WINNER, 3);
		store_close(store);
	}
	for (int i = 0; i < WRITERS; i++)
		children[i] = start(tune_and_import, i);
	for (int i = 0; i < WRITERS; i++)
		assert_int_equal(result_of(children[i]), 0);
	assert_integrity(FILE_NAME);
	/* All rows, and none twice. */
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM trial WHERE origin = 'local'"),
		2 * WRITERS * ROUNDS);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM trial WHERE origin != 'local'"),
		2 * 3 * FILES);
	assert_int_equal(
		raw_sql(FILE_NAME, "SELECT count(*) FROM decision WHERE origin = 'local'"), 4);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM decision"), 4 + FILES);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM ranking"), 2 * 4 + 3 * FILES);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM checkpoint"), 0);
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM candidate"), 0);
}

/* Adds trials until killed, and says so down the pipe `out` after each. */
static int add_for_ever(int out)
{
	struct err err = {0};
	struct store *store = store_open(FILE_NAME, STORE_WRITE, &err);

	for (int i = 0; store && !add(store, i, &err); i++)
		if (write(out, "", 1) != 1)
			break;
	return 1;
}

/* All that is in a pipe with no writer left. */
static int drain(int in)
{
	char bytes[256];
	int total = 0;
	ssize_t got;

	while ((got = read(in, bytes, sizeof bytes)) > 0)
		total += (int)got;
	return total;
}

static void test_killed_at_any_moment(void **state)
{
	struct rng rng = {.state = 5};
	int kept = 0;

	(void)state;
	for (int i = 0; i < 20; i++) {
		int ends[2], told, found;
		struct store *store;
		char byte;
		pid_t child;

		assert_int_equal(pipe(ends), 0);
		child = start(add_for_ever, ends[1]);
		close(ends[1]);
		/* Half of them while they open, the others while they add. */
		told = i % 2 ? (int)read(ends[0], &byte, 1) : 0;
		usleep((useconds_t)rng_between(&rng, 0, 12000));
		kill(child, SIGKILL);
		assert_int_equal(result_of(child), 128 + SIGKILL);
		told += drain(ends[0]);
		close(ends[0]);

		/* As the next command finds it, before anything else touches the file. */
		store = open_or_fail(FILE_NAME, i % 3 || !kept ? STORE_WRITE : STORE_READ);
		found = count_trials(store);
		store_close(store);
		assert_in_range(found, kept + told, kept + told + 1);
		assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM judgement"), 2 * found);
		assert_integrity(FILE_NAME);
		kept = found;
	}
	assert_true(kept > 0);
}

/* Adds trials to a file that may not grow past `limit` bytes: a disk that fills up. */
static int add_until_full(int limit)
{
	struct rlimit size = {(rlim_t)limit, (rlim_t)limit};
	struct err err = {0};
	struct store *store = store_open(FILE_NAME, STORE_WRITE, &err);
	int added = 0;

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &size);
	while (store && added < 1000 && !add(store, added, &err))
		added++;
	if (!store || !added || added == 1000)
		return 1;
	if (err.kind != ERR_UNAVAILABLE || !strstr(err.text, FILE_NAME ": cannot change the store"))
		return 2;
	if (!strstr(err.text, "may not grow") || !strstr(err.text, "--db"))
		return 3;
	/* The same handle still reads, and says again that it cannot write. */
	if (count_trials(store) != added || !add(store, 0, &err))
		return 4;
	store_close(store);
	return raw_sql(FILE_NAME, "SELECT count(*) FROM trial") == added ? 0 : 5;
}

static void test_full_disk(void **state)
{
	int found;
	struct store *store;
	struct err err = {0};

	(void)state;
	store_close(open_or_fail(FILE_NAME, STORE_WRITE));
	assert_int_equal(result_of(start(add_until_full, 1 << 17)), 0);
	assert_integrity(FILE_NAME);
	store = open_or_fail(FILE_NAME, STORE_WRITE);
	found = count_trials(store);
	assert_int_equal(add(store, 0, &err), 0);
	assert_int_equal(count_trials(store), found + 1);
	store_close(store);
}

/* Not even the schema fits. */
static int create_on_full_disk(int limit)
{
	struct rlimit size = {(rlim_t)limit, (rlim_t)limit};
	struct err err = {0};

	signal(SIGXFSZ, SIG_IGN);
	setrlimit(RLIMIT_FSIZE, &size);
	if (store_open(FILE_NAME, STORE_WRITE, &err))
		return 1;
	return err.kind == ERR_UNAVAILABLE && strstr(err.text, "may not grow") ? 0 : 2;
}

static void test_full_disk_from_the_start(void **state)
{
	struct store *store;

	(void)state;
	for (int limit = 0; limit < 5 * 4096; limit += 2048) {
		assert_int_equal(result_of(start(create_on_full_disk, limit)), 0);
		assert_int_equal(access(FILE_NAME "-journal", F_OK), -1);
	}
	store = open_or_fail(FILE_NAME, STORE_READ);
	assert_int_equal(count_trials(store), 0);
	store_close(store);
	assert_int_equal(result_of(start(add_some, 0)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_many_writers),
		TEST(test_tuning_and_importing),
		TEST(test_killed_at_any_moment),
		TEST(test_full_disk),
		TEST(test_full_disk_from_the_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
