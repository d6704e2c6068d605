/* The stored shape nearest to one that has nothing. */
#include "tests/unit/store_sample.h"

#include "tune/store_nearest.h"

#define FILE_NAME  "tuning.db"
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

static struct key key_of(int64_t heads, int64_t window, int64_t tokens, int64_t longest)
{
	struct key key = sample_key();

	key.heads = heads;
	key.window = window;
	key.tokens = tokens;
	key.longest = longest;
	return key;
}

static void rank(struct store *store, const struct key *key)
{
	keep_ranked(store, key, DECISION_WINNER, 1);
}

/* The nearest of `stored[0..count)` to `asked`, alone in a store; -1: none. */
static int nearest_of(const struct key *stored, int count, const struct key *asked)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key nearest;
	struct err err = {0};
	int found, which = -1;

	for (int i = 0; i < count; i++)
		rank(store, &stored[i]);
	found = store_nearest(store, asked, &nearest, &err);
	store_close(store);
	unlink(FILE_NAME);
	assert_in_range(found, 0, 1);
	for (int i = 0; found && i < count; i++)
		if (key_equals(&stored[i], &nearest))
			which = i;
	assert_int_equal(which >= 0, found);
	return which;
}

/* `near` is nearer to `asked` than `far`, whichever was stored first. */
static void assert_nearer(struct key asked, struct key near, struct key far)
{
	assert_int_equal(nearest_of((struct key[]){near, far}, 2, &asked), 0);
	assert_int_equal(nearest_of((struct key[]){far, near}, 2, &asked), 1);
}

static void test_distance(void **state)
{
	const struct key asked = key_of(12, 64, 4096, 256);

	(void)state;
	/* Doublings of tokens and of longest add up. */
	assert_nearer(asked, key_of(12, 64, 2048, 256), key_of(12, 64, 16384, 256));
	assert_nearer(asked, key_of(12, 64, 16384, 256), key_of(12, 64, 8192, 64));
	assert_nearer(asked, key_of(12, 64, 4096, 1024), key_of(12, 64, 1024, 512));
	/* Halving is as far as doubling; then the smaller one. */
	assert_nearer(asked, key_of(12, 64, 2048, 256), key_of(12, 64, 8192, 256));
	/* As many heads come before any distance, the next number of heads after it. */
	assert_nearer(asked, key_of(12, 64, 1, 1), key_of(11, 64, 4096, 256));
	assert_nearer(asked, key_of(16, 64, 4096, 256), key_of(13, 64, 8192, 256));
	assert_nearer(asked, key_of(16, 64, 4096, 256), key_of(6, 64, 4096, 256));
	/* The window decides last. */
	assert_nearer(asked, key_of(12, 128, 4096, 256), key_of(12, 256, 4096, 256));
	assert_nearer(asked, key_of(12, 8192, 4096, 256), key_of(12, 64, 8192, 256));
	/* Nothing is one doubling from one token. */
	assert_nearer(key_of(12, 64, 0, 0), key_of(12, 64, 1, 1), key_of(12, 64, 2, 1));
}

static void test_other_classes_are_not_near(void **state)
{
	const struct key asked = sample_key();
	struct key others[7];

	(void)state;
	for (int i = 0; i < 7; i++)
		others[i] = asked;
	strcat(others[0].device, "!");
	others[1].pass = PASS_BACKWARD;
	others[2].dtype = DTYPE_F32;
	others[3].dim *= 2;
	others[4].window = NO_WINDOW;
	others[5].cold = false;
	/* The sixth is the one that is asked for. */
	assert_int_equal(nearest_of(others, 7, &asked), -1);
	assert_int_equal(nearest_of(NULL, 0, &asked), -1);
	others[4].tokens *= 2;
	assert_int_equal(nearest_of(others, 7, &(struct key){0}), -1);
}

static void test_windows_are_classes(void **state)
{
	const struct key none = key_of(12, NO_WINDOW, 4096, 256);
	const struct key far = key_of(12, NO_WINDOW, 1, 1), zero = key_of(12, 0, 4096, 256);

	(void)state;
	assert_int_equal(nearest_of((struct key[]){zero, far}, 2, &none), 1);
	assert_int_equal(nearest_of((struct key[]){far}, 1, &zero), -1);
}

/* A shape with trials but no ranking helps nobody. */
static void test_only_ranked_shapes(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key asked = sample_key(), other = asked, nearest;
	struct trial trial = sample_trial(0);
	struct err err = {0};

	(void)state;
	other.tokens *= 2;
	keep(store, &other, &trial);
	assert_int_equal(store_nearest(store, &asked, &nearest, &err), 0);
	rank(store, &other);
	assert_int_equal(store_nearest(store, &asked, &nearest, &err), 1);
	assert_true(key_equals(&nearest, &other));
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_distance),
		TEST(test_other_classes_are_not_near),
		TEST(test_windows_are_classes),
		TEST(test_only_ranked_shapes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
