/* The seeded generator, the hash and the clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/rng.h"

static void the_generator_is_splitmix64(void **state)
{
	struct rng rng = {1234567};

	(void)state;
	assert_true(rng_next(&rng) == UINT64_C(6457827717110365317));
	assert_true(rng_next(&rng) == UINT64_C(3203168211198807973));
	assert_true(rng_next(&rng) == UINT64_C(9817491932198370423));
}

static void draws_cover_their_range_evenly(void **state)
{
	struct rng rng = {7};
	int seen[7] = {0};

	(void)state;
	for (int i = 0; i < 70000; i++) {
		int64_t draw = rng_between(&rng, -3, 3);

		assert_true(draw >= -3 && draw <= 3);
		seen[draw + 3]++;
	}
	/* Five standard deviations of a count. */
	for (int i = 0; i < 7; i++)
		assert_in_range(seen[i], 10000 - 465, 10000 + 465);
}

static void extreme_ranges_work(void **state)
{
	struct rng rng = {7};
	int negative = 0;

	(void)state;
	assert_true(rng_between(&rng, 5, 5) == 5);
	assert_true(rng_between(&rng, INT64_MIN, INT64_MIN) == INT64_MIN);
	for (int i = 0; i < 1000; i++) {
		negative += rng_between(&rng, INT64_MIN, INT64_MAX) < 0;
		assert_true(rng_between(&rng, 0, INT64_MAX) >= 0);
	}
	assert_in_range(negative, 400, 600);
}

static void a_shuffle_is_a_permutation(void **state)
{
	struct rng rng = {3};
	int first[10] = {0};

	(void)state;
	for (int round = 0; round < 10000; round++) {
		int items[10], seen[10] = {0};

		for (int i = 0; i < 10; i++)
			items[i] = i;
		rng_shuffle(&rng, items, 10);
		for (int i = 0; i < 10; i++)
			seen[items[i]]++;
		for (int i = 0; i < 10; i++)
			assert_int_equal(seen[i], 1);
		first[items[0]]++;
	}
	for (int i = 0; i < 10; i++)
		assert_in_range(first[i], 850, 1150);
	rng_shuffle(&rng, NULL, 0);
}

static void the_hash_is_fnv_1a(void **state)
{
	(void)state;
	assert_true(hash_bytes(HASH_SEED, "", 0) == HASH_SEED);
	assert_true(hash_bytes(HASH_SEED, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
	assert_true(hash_bytes(HASH_SEED, "foobar", 6) == UINT64_C(0x85944171f73967e8));
	assert_true(hash_bytes(hash_bytes(HASH_SEED, "foo", 3), "bar", 3) ==
		    UINT64_C(0x85944171f73967e8));
}

static void the_clock_goes_forward(void **state)
{
	int64_t before = clock_ns();
	double seconds = clock_seconds();
	char text[32];
	int year;

	(void)state;
	assert_true(clock_ns() >= before);
	assert_true(seconds >= (double)before * 1e-9 && seconds < (double)before * 1e-9 + 60.0);
	assert_int_equal(strlen(clock_utc(text)), strlen("2026-12-01T13:27:53Z"));
	assert_int_equal(sscanf(text, "%4d-%*2d-%*2dT%*2d:%*2d:%*2dZ", &year), 1);
	assert_true(year >= 2024);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generator_is_splitmix64),
		cmocka_unit_test(draws_cover_their_range_evenly),
		cmocka_unit_test(extreme_ranges_work),
		cmocka_unit_test(a_shuffle_is_a_permutation),
		cmocka_unit_test(the_hash_is_fnv_1a),
		cmocka_unit_test(the_clock_goes_forward),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
