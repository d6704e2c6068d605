/* The thread team: every item once, every thread at work, no wake-up lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/team.h"

#define MAX_ITEMS   64
#define MAX_THREADS 8

struct tally {
	int size;
	int hits[MAX_ITEMS];       /* plain: a race on an item is the sanitizer's to find */
	int64_t last[MAX_THREADS]; /* item a thread had last */
	atomic_int inside[MAX_THREADS];
	atomic_int wrong;
};

static void count_item(void *context, int64_t item, int thread)
{
	struct tally *tally = context;

	if (thread < 0 || thread >= tally->size || item < 0 || item >= MAX_ITEMS) {
		atomic_fetch_add(&tally->wrong, 1);
		return;
	}
	if (atomic_fetch_add(&tally->inside[thread], 1) || item <= tally->last[thread])
		atomic_fetch_add(&tally->wrong, 1);
	tally->last[thread] = item;
	tally->hits[item]++;
	atomic_fetch_sub(&tally->inside[thread], 1);
}

static void run_and_check(struct team *team, int64_t items)
{
	struct tally tally = {.size = team_size(team)};

	memset(tally.last, -1, sizeof tally.last);
	team_run(team, items, count_item, &tally);
	assert_int_equal(atomic_load(&tally.wrong), 0);
	for (int i = 0; i < MAX_ITEMS; i++)
		if (tally.hits[i] != (i < items))
			fail_msg("item %d of %d ran %d times", i, (int)items, tally.hits[i]);
}

static struct team *team_of(int threads)
{
	struct err err;
	struct team *team = team_new(threads, &err);

	assert_non_null(team);
	assert_int_equal(team_size(team), threads);
	return team;
}

static void every_item_runs_once(void **state)
{
	(void)state;
	for (int threads = 1; threads <= MAX_THREADS; threads *= 2) {
		struct team *team = team_of(threads);

		for (int run = 0; run < 2000; run++)
			run_and_check(team, run % (MAX_ITEMS + 1));
		team_free(team);
	}
}

static void workers_that_sleep_wake_up(void **state)
{
	struct team *team = team_of(3);

	(void)state;
	for (int run = 0; run < 200; run++) {
		usleep(300);
		run_and_check(team, 5);
	}
	team_free(team);
}

static void meet(void *context, int64_t item, int thread)
{
	(void)item;
	(void)thread;
	pthread_barrier_wait(context);
}

static void all_threads_work_at_once(void **state)
{
	(void)state;
	for (int threads = 2; threads <= MAX_THREADS; threads++) {
		struct team *team = team_of(threads);
		pthread_barrier_t barrier;

		/* Returns only when `threads` items run at the same time. */
		pthread_barrier_init(&barrier, NULL, (unsigned)threads);
		for (int run = 0; run < 20; run++)
			team_run(team, threads, meet, &barrier);
		pthread_barrier_destroy(&barrier);
		team_free(team);
	}
}

static void idle_teams_end(void **state)
{
	(void)state;
	for (int i = 0; i < 200; i++)
		team_free(team_of(1 + i % 5));
	team_free(NULL);
}

static void too_few_threads_are_refused(void **state)
{
	struct err err = {0};

	(void)state;
	assert_null(team_new(0, &err));
	assert_int_equal(err.kind, ERR_USAGE);
	assert_null(team_new(-3, &err));
}

static void processors_heed_the_affinity(void **state)
{
	cpu_set_t saved, one;
	int first = 0;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof saved, &saved), 0);
	assert_int_equal(team_processors(), CPU_COUNT(&saved));
	while (!CPU_ISSET(first, &saved))
		first++;
	CPU_ZERO(&one);
	CPU_SET(first, &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(team_processors(), 1);
	assert_int_equal(sched_setaffinity(0, sizeof saved, &saved), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_runs_once),
		cmocka_unit_test(workers_that_sleep_wake_up),
		cmocka_unit_test(all_threads_work_at_once),
		cmocka_unit_test(idle_teams_end),
		cmocka_unit_test(too_few_threads_are_refused),
		cmocka_unit_test(processors_heed_the_affinity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
