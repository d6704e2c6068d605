/* Locks that fail and disks that fill up, one system call at a time: said clearly, and undone. */
#include "tests/unit/store_sample.h"

#include <errno.h>
#include <fcntl.h>

#include "tune/store_checkpoint.h"
#include "tune/store_import.h"
#include "tune/store_miss.h"

#define FILE_NAME "tuning.db"

/* What SQLite's calls into the system meet; 0: nothing. */
static int lock_error, write_error;
static int writes_left; /* until the one that fails */
static long slept;      /* microseconds */
static sqlite3_vfs *vfs;
static int (*real_sleep)(sqlite3_vfs *vfs, int microseconds);

static int failing_fcntl(int file, int command, void *argument)
{
	if (lock_error && command == F_SETLK && ((struct flock *)argument)->l_type != F_UNLCK) {
		errno = lock_error;
		return -1;
	}
	return fcntl(file, command, argument);
}

static ssize_t failing_pwrite(int file, const void *bytes, size_t count, off_t offset)
{
	if (write_error && !writes_left--) {
		errno = write_error;
		return -1;
	}
	return pwrite(file, bytes, count, offset);
}

static int quick_sleep(sqlite3_vfs *of, int microseconds)
{
	(void)of;
	slept += microseconds;
	return microseconds;
}

static int calls_setup(void **state)
{
	vfs = sqlite3_vfs_find(NULL);
	real_sleep = vfs->xSleep;
	vfs->xSleep = quick_sleep;
	vfs->xSetSystemCall(vfs, "fcntl", (sqlite3_syscall_ptr)failing_fcntl);
	vfs->xSetSystemCall(vfs, "pwrite", (sqlite3_syscall_ptr)failing_pwrite);
	vfs->xSetSystemCall(vfs, "pwrite64", (sqlite3_syscall_ptr)failing_pwrite);
	return folder_setup(state);
}

static int calls_teardown(void **state)
{
	lock_error = write_error = 0;
	vfs->xSetSystemCall(vfs, NULL, NULL);
	vfs->xSleep = real_sleep;
	return folder_teardown(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, calls_setup, calls_teardown)

/* Every way to change a store. */
static int change_contest(
	struct store *store, const struct key *key, const struct contest *contest, struct err *err)
{
	return store_add_contest(store, key, contest, &sample_circumstances, true, err);
}

static int change_checkpoint(
	struct store *store, const struct key *key, const struct contest *contest, struct err *err)
{
	return store_save_checkpoint(store, key, contest, &sample_circumstances, err);
}

static int change_miss(
	struct store *store, const struct key *key, const struct contest *contest, struct err *err)
{
	return store_add_miss(store, key, contest->problem, &sample_circumstances, err);
}

static int change_import(
	struct store *store, const struct key *key, const struct contest *contest, struct err *err)
{
	struct import_counts counts;

	(void)key;
	(void)contest;
	return store_import(store, "other.db", false, &counts, err);
}

static int (*const changes[])(struct store *store, const struct key *key,
	const struct contest *contest,
	struct err *err) = {change_contest, change_checkpoint, change_miss, change_import};
#define CHANGE_COUNT ((int)(sizeof changes / sizeof *changes))

/* Changes `store` in one of the ways, with nothing that was there before. */
static int change(struct store *store, int which, struct err *err)
{
	struct trial trials[] = {sample_trial(0), sample_trial(1)};
	struct contest contest = sample_contest;
	struct key key = sample_key();

	contest.trials = trials;
	contest.ranking = (int[]){1, 0};
	contest.count = contest.ranked = 2;
	contest.decision = DECISION_TIE;
	key.heads = 100 + which;
	return changes[which](store, &key, &contest, err);
}

static void make_files(void)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key key = sample_key();

	keep_ranked(store, &key, DECISION_TIE, 3);
	store_close(store);
	store = open_or_fail("other.db", STORE_WRITE);
	key.heads = 1;
	keep_ranked(store, &key, DECISION_TIE, 3);
	store_close(store);
}

static const struct {
	int error;
	const char *words, *remedy;
} lock_cases[] = {
	{EAGAIN, "another process has kept it locked for 10 s", "wait for that one to end"},
	{EACCES, "another process has kept it locked for 10 s", "wait for that one to end"},
	{ENOLCK, "its file system cannot lock files", "keep it on a local disk"},
	{ENOTSUP, "its file system cannot lock files", "keep it on a local disk"},
	{EINVAL, "its file system cannot lock files", "keep it on a local disk"},
	{EPERM, "its file system cannot lock files", "keep it on a local disk"},
	{EIO, "its file system cannot lock files", "keep it on a local disk"},
};

static void test_open_without_locks(void **state)
{
	(void)state;
	make_files();
	for (size_t i = 0; i < sizeof lock_cases / sizeof *lock_cases; i++) {
		uint64_t before = folder_hash();

		lock_error = lock_cases[i].error;
		slept = 0;
		for (int mode = STORE_READ; mode <= STORE_WRITE; mode++) {
			assert_true(is_refused(FILE_NAME, mode, lock_cases[i].words));
			assert_true(is_refused(FILE_NAME, mode, lock_cases[i].remedy));
		}
		if (lock_error == EAGAIN)
			assert_int_equal(slept, 4 * 10 * 1000000L);
		assert_true(folder_hash() == before);
		lock_error = 0;
	}
}

static void test_change_without_locks(void **state)
{
	struct store *store;
	struct err err;

	(void)state;
	make_files();
	store = open_or_fail(FILE_NAME, STORE_WRITE);
	for (int which = 0; which < CHANGE_COUNT; which++)
		for (size_t i = 0; i < sizeof lock_cases / sizeof *lock_cases; i++) {
			uint64_t before = folder_hash();

			lock_error = lock_cases[i].error;
			err = (struct err){0};
			assert_int_equal(change(store, which, &err), -1);
			if (err.kind != ERR_UNAVAILABLE || !strstr(err.text, lock_cases[i].words))
				fail_msg("'%s' does not say '%s'", err.text, lock_cases[i].words);
			lock_error = 0;
			assert_true(folder_hash() == before);
			assert_int_equal(count_trials(store), 3);
		}
	for (int which = 0; which < CHANGE_COUNT; which++)
		assert_int_equal(change(store, which, &err), 0);
	store_close(store);
	assert_integrity(FILE_NAME);
}

/* A disk that is full at the first write of a change, at the second, at every one of them. */
static void test_no_space_at_any_write(void **state)
{
	static const struct {
		int error;
		const char *words;
	} cases[] = {{ENOSPC, "the disk is full; make room there"}, {EDQUOT, "it may not grow"}};
	struct store *store;
	struct err err;

	(void)state;
	make_files();
	store = open_or_fail(FILE_NAME, STORE_WRITE);
	for (int which = 0; which < CHANGE_COUNT; which++) {
		int failed = 0, status = -1;

		for (int i = 0; status; i++, failed++) {
			uint64_t before = folder_hash();

			write_error = cases[i % 2].error;
			writes_left = i / 2;
			err = (struct err){0};
			status = change(store, which, &err);
			write_error = 0;
			if (!status)
				break;
			if (err.kind != ERR_UNAVAILABLE ||
				!strstr(err.text, FILE_NAME ": cannot") ||
				!strstr(err.text, cases[i % 2].words))
				fail_msg("'%s' does not say '%s'", err.text, cases[i % 2].words);
			/* As the next reader finds it. */
			store_close(open_or_fail(FILE_NAME, STORE_READ));
			assert_true(folder_hash() == before);
		}
		assert_in_range(failed, 8, 1000);
	}
	store_close(store);
	assert_integrity(FILE_NAME);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_open_without_locks),
		TEST(test_change_without_locks),
		TEST(test_no_space_at_any_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
