/* What the store's tests share: a folder of their own, and a trial to keep in it. */
#ifndef TESTS_UNIT_STORE_SAMPLE_H
#define TESTS_UNIT_STORE_SAMPLE_H

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "base/file.h"
#include "base/hash.h"
#include "tune/store.h"

static const struct device_info sample_device = {
	.name = "cpu",
	.model = "Model \"X\" 'y'",
	.architecture = "avx512",
	.units = 2,
	.code = "0123456789abcdef",
	.compiler = "gcc 12",
	.driver = "",
};
static const struct problem sample_problem = {
	.dtype = DTYPE_BF16, .heads = 12, .window = 64, .tokens = 4016, .longest = 190};
static const struct protocol sample_protocol = {
	.timed = true, .cold = true, .rounds = 10, .limit = 2.5, .seed = UINT64_MAX};
static const struct circumstances sample_circumstances = {
	.device = &sample_device,
	.protocol = &sample_protocol,
	.lens = "64,101,32x138",
	.version = "0.1.0",
};
static const struct contest sample_contest = {
	.problem = &sample_problem, .stop = "10 rounds", .floor_seconds = 2.5e-5};

static inline struct key sample_key(void)
{
	struct key key;

	key_make(&key, &sample_device, &sample_problem, PASS_FORWARD, true);
	return key;
}

static inline bool key_equals(const struct key *a, const struct key *b)
{
	return !strcmp(a->device, b->device) && a->pass == b->pass && a->dtype == b->dtype &&
	       a->heads == b->heads && a->dim == b->dim && a->window == b->window &&
	       a->tokens == b->tokens && a->longest == b->longest && a->cold == b->cold;
}

/* A right trial of schedule `index`, not timed. */
static inline struct trial sample_trial(int index)
{
	return (struct trial){
		.schedule = &schedules[index],
		.outcome = OUTCOME_OK,
		.judged = true,
		.verdict = {.count = 2,
			.judgements = {{.judged = JUDGED_OUT, .ceiling = 2e-2, .rel = 1e-3},
				{.judged = JUDGED_LSE, .ceiling = 1e-2, .rel = 1e-4}}},
	};
}

static inline struct store *open_or_fail(const char *path, enum store_mode mode)
{
	struct err err = {0};
	struct store *store = store_open(path, mode, &err);

	if (!store)
		fail_msg("%s", err.text);
	return store;
}

/* Whether it fails with one line that names the file, says `words` and has a remedy. */
static inline bool is_refused(const char *path, enum store_mode mode, const char *words)
{
	struct err err = {0};
	struct store *store = store_open(path, mode, &err);
	bool refused = !store && err.kind == ERR_UNAVAILABLE && strstr(err.text, words) &&
		       !strncmp(err.text, path, strlen(path)) && strstr(err.text, "--db");

	if (!refused)
		print_error("'%s' does not say '%s'\n", store ? "nothing" : err.text, words);
	store_close(store);
	return refused;
}

static inline int count_row(void *context, const struct stored *stored)
{
	(void)stored;
	++*(int *)context;
	return 0;
}

/* How many trials there are. */
static inline int count_trials(struct store *store)
{
	struct err err = {0};
	int seen = 0, rows = store_each(store, true, count_row, &seen, &err);

	if (rows < 0)
		fail_msg("%s", err.text);
	assert_int_equal(rows, seen);
	return rows;
}

/* Keeps a contest of `count` trials, ranked as `ranking` says or not (NULL); the id of the first.
 */
static inline int64_t keep_contest(struct store *store, const struct key *key, struct trial *trials,
	int count, int *ranking, enum decision decision)
{
	struct contest contest = sample_contest;
	struct err err = {0};

	contest.trials = trials;
	contest.count = count;
	contest.ranking = ranking;
	contest.ranked = decision == DECISION_NONE ? 0 : count;
	contest.decision = decision;
	if (store_add_contest(store, key, &contest, &sample_circumstances, ranking, &err))
		fail_msg("%s", err.text);
	/* Rows are numbered from 1 and never deleted. */
	return count_trials(store) - count + 1;
}

/* Keeps one trial that is not ranked. */
static inline int64_t keep(struct store *store, const struct key *key, struct trial *trial)
{
	return keep_contest(store, key, trial, 1, NULL, DECISION_NONE);
}

/* Keeps trials of the first `count` schedules, the last of which won; the id of the first. */
static inline int64_t keep_ranked(
	struct store *store, const struct key *key, enum decision decision, int count)
{
	struct trial trials[16];
	int ranking[16];

	for (int i = 0; i < count; i++) {
		trials[i] = sample_trial(i);
		ranking[i] = count - 1 - i;
	}
	return keep_contest(store, key, trials, count, ranking, decision);
}

/* Runs `sql` behind the store's back; the last value it gives as a number. */
static inline int64_t raw_sql(const char *path, const char *sql)
{
	sqlite3 *db;
	sqlite3_stmt *statement;
	int64_t value = 0;
	int code;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	while (*sql) {
		if (sqlite3_prepare_v2(db, sql, -1, &statement, &sql))
			fail_msg("%s", sqlite3_errmsg(db));
		while ((code = sqlite3_step(statement)) == SQLITE_ROW)
			value = sqlite3_column_int64(statement, 0);
		if (statement && code != SQLITE_DONE)
			fail_msg("%s", sqlite3_errmsg(db));
		sqlite3_finalize(statement);
	}
	sqlite3_close(db);
	return value;
}

static inline void assert_integrity(const char *path)
{
	assert_int_equal(raw_sql(path, "SELECT integrity_check = 'ok'"
				       " FROM pragma_integrity_check"),
		1);
	assert_int_equal(raw_sql(path, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/* A cmocka fixture: each test starts in an empty folder, its state the folder's name; in memory
 * where that can be had, for a test of the store waits mostly for disks. */
static inline int folder_setup(void **state)
{
	char *name = NULL;

	if (asprintf(&name, "%s/pattn-store-XXXXXX",
		    access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm") < 0)
		return -1;
	*state = name;
	return mkdtemp(name) ? chdir(name) : -1;
}

static inline int folder_teardown(void **state)
{
	struct dirent *entry;
	DIR *folder = opendir(*state);

	while ((entry = readdir(folder)))
		unlinkat(dirfd(folder), entry->d_name, 0);
	closedir(folder);
	rmdir(*state);
	free(*state);
	return 0;
}

/* Names and contents of all files of the working folder. */
static inline uint64_t folder_hash(void)
{
	struct dirent **entries;
	int count = scandir(".", &entries, NULL, alphasort);
	uint64_t hash = HASH_SEED;

	for (int i = 0; i < count; i++) {
		struct str text = {0};
		struct err err;

		hash = hash_bytes(hash, entries[i]->d_name, strlen(entries[i]->d_name) + 1);
		if (entries[i]->d_type == DT_REG) {
			assert_int_equal(file_read(entries[i]->d_name, 1 << 24, &text, &err), 0);
			hash = hash_bytes(hash, text.text, text.length);
		}
		str_release(&text);
		free(entries[i]);
	}
	free(entries);
	return hash;
}

#endif
