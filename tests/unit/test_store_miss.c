/* What was asked for in vain can be rebuilt, and is forgotten once it is answered. */
#include "tests/unit/store_sample.h"

#include "tune/store_miss.h"

#define FILE_NAME  "tuning.db"
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

static void ask(struct store *store, const struct key *key, const struct problem *problem,
	const char *lens, uint64_t seed)
{
	struct protocol protocol = sample_protocol;
	struct circumstances circumstances = sample_circumstances;
	struct err err = {0};

	protocol.seed = seed;
	circumstances.protocol = &protocol;
	circumstances.lens = lens;
	if (store_add_miss(store, key, problem, &circumstances, &err))
		fail_msg("%s", err.text);
}

/* The misses in the order they come. */
struct list {
	int count, limit;
	struct miss misses[8];
	char lens[8][64];
};

static int note_miss(void *context, const struct miss *miss)
{
	struct list *list = context;

	assert_in_range(list->count, 0, 7);
	assert_int_equal(strlen(miss->asked), strlen("2026-12-01T13:27:53Z"));
	strcpy(list->lens[list->count], miss->lens);
	list->misses[list->count] = *miss;
	return ++list->count == list->limit;
}

static struct list list_misses(struct store *store, int limit)
{
	struct list list = {.limit = limit};
	struct err err = {0};

	int visited = store_each_miss(store, note_miss, &list, &err);

	assert_int_equal(visited, list.count);
	return list;
}

static void test_problem_can_be_rebuilt(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key key = sample_key();
	struct problem problem = sample_problem;
	struct list list;

	(void)state;
	assert_int_equal(list_misses(store, 0).count, 0);
	ask(store, &key, &problem, "64,101,32x138", 3);
	problem.tokens--;
	ask(store, &key, &problem, "63,101,32x138", UINT64_MAX);
	store_close(store);
	store = open_or_fail(FILE_NAME, STORE_READ);
	list = list_misses(store, 0);
	assert_int_equal(list.count, 1);
	assert_true(key_equals(&list.misses[0].key, &key));
	assert_string_equal(list.lens[0], "63,101,32x138");
	assert_int_equal(list.misses[0].tokens, sample_problem.tokens - 1);
	assert_int_equal(list.misses[0].longest, sample_problem.longest);
	assert_true(list.misses[0].seed == UINT64_MAX);
	assert_int_equal(list.misses[0].times, 2);
	assert_int_equal(count_trials(store), 0);
	store_close(store);
	assert_integrity(FILE_NAME);
}

static void test_often_asked_come_first(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key keys[3] = {sample_key(), sample_key(), sample_key()};
	struct list list;

	(void)state;
	for (int i = 0; i < 3; i++) {
		keys[i].heads = i + 1;
		for (int j = 0; j <= i; j++)
			ask(store, &keys[i], &sample_problem, "5", 1);
	}
	list = list_misses(store, 0);
	assert_int_equal(list.count, 3);
	for (int i = 0; i < 3; i++)
		assert_int_equal(list.misses[i].key.heads, 3 - i);
	assert_int_equal(list_misses(store, 2).count, 2);
	store_close(store);
}

static void test_ranking_answers(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key key = sample_key(), other = key;
	struct trial trial = sample_trial(0);
	struct list list;

	(void)state;
	other.pass = PASS_BACKWARD;
	ask(store, &key, &sample_problem, "5", 1);
	ask(store, &other, &sample_problem, "5", 1);
	/* A trial alone is no answer, nor is a contest that nothing came through. */
	keep(store, &key, &trial);
	trial.outcome = OUTCOME_WRONG;
	keep_contest(store, &key, &trial, 1, (int[]){0}, DECISION_NONE);
	assert_int_equal(list_misses(store, 0).count, 2);
	keep_ranked(store, &key, DECISION_WINNER, 1);
	list = list_misses(store, 0);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.misses[0].key.pass, PASS_BACKWARD);
	store_close(store);
	assert_integrity(FILE_NAME);
}

static void test_reader_notes_nothing(void **state)
{
	struct store *store;
	struct key key = sample_key();
	struct err err = {0};

	(void)state;
	store_close(open_or_fail(FILE_NAME, STORE_WRITE));
	store = open_or_fail(FILE_NAME, STORE_READ);
	assert_int_equal(
		store_add_miss(store, &key, &sample_problem, &sample_circumstances, &err), -1);
	assert_non_null(strstr(err.text, "read-only"));
	assert_int_equal(list_misses(store, 0).count, 0);
	store_close(store);
}

static void test_damaged(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key key = sample_key();
	struct list list = {0};
	struct err err = {0};

	(void)state;
	ask(store, &key, &sample_problem, "5", 1);
	raw_sql(FILE_NAME, "PRAGMA ignore_check_constraints = ON; UPDATE shape SET dtype = 'f64'");
	assert_int_equal(store_each_miss(store, note_miss, &list, &err), -1);
	assert_non_null(strstr(err.text, "damaged: a shape has the type 'f64'"));
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_problem_can_be_rebuilt),
		TEST(test_often_asked_come_first),
		TEST(test_ranking_answers),
		TEST(test_reader_notes_nothing),
		TEST(test_damaged),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
