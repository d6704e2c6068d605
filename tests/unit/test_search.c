/* The search, its stop rules and its verdicts, on scripted times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>

#include "tests/unit/fake_backend.h"

#define RUNS 1000

static const struct protocol searching = {.timed = true, .limit = 1e6, .seed = 1};

static int by_int(const void *left, const void *right)
{
	return *(const int *)left - *(const int *)right;
}

/* What `RUNS` searches over `scripts` came to. */
struct tally {
	int wins[FAKE_MOST]; /* earned first places */
	int ties;
	int median_rounds; /* of the finals */
};

static struct tally search_often(
	const struct fake_script *scripts, int count, double noise, double drift, int drift_runs)
{
	struct tally tally = {0};
	int rounds[RUNS];
	for (int run = 0; run < RUNS; run++) {
		struct fake_contest f;
		struct err err = {0};
		struct protocol protocol = searching;
		protocol.seed = (uint64_t)run * 7919 + 1;
		fake_contest_make(&f, scripts, count, (uint64_t)run + 1);
		f.device.noise = noise;
		f.device.drift = drift;
		f.device.drift_runs = drift_runs;
		assert_int_equal(
			0, search_run(&f.contest, f.candidates, count, &protocol, NULL, &err));
		contest_decide(&f.contest, NULL, protocol.seed);
		if (f.contest.decision == DECISION_WINNER)
			tally.wins[f.contest.ranking[0]]++;
		else
			tally.ties++;
		const struct trial *best, *second;
		contest_leaders(&f.contest, &best, &second);
		rounds[run] = best->sample_count - SEARCH_SCREENING;
		fake_contest_release(&f);
	}
	qsort(rounds, RUNS, sizeof *rounds, by_int);
	tally.median_rounds = rounds[RUNS / 2];
	return tally;
}

static void print_tally(const char *what, const struct tally *tally)
{
	printf("# %s: wins %d %d %d %d %d, ties %d of %d, median finals %d rounds\n", what,
		tally->wins[0], tally->wins[1], tally->wins[2], tally->wins[3], tally->wins[4],
		tally->ties, RUNS, tally->median_rounds);
}

static void test_a_gap_is_found(void **state)
{
	static const struct fake_script scripts[] = {
		{1.03e-3, 0}, {1.0e-3, 0}, {1.08e-3, 0}, {1.2e-3, 0}, {1.9e-3, 0}};
	struct tally tally = search_often(scripts, 5, 0.01, 0, 0);
	(void)state;
	print_tally("1 % noise, 3 % gap", &tally);
	assert_true(tally.wins[1] >= RUNS * 99 / 100);
	assert_true(tally.median_rounds < 40);
}

static void test_no_gap_is_a_tie(void **state)
{
	static const struct fake_script scripts[] = {{1e-3, 0}, {1e-3, 0}, {1.5e-3, 0}};
	struct tally tally = search_often(scripts, 3, 0.01, 0, 0);
	(void)state;
	print_tally("1 % noise, no gap, two", &tally);
	assert_true(tally.ties >= RUNS * 95 / 100);
	assert_true(tally.median_rounds < 40);

	static const struct fake_script all[] = {
		{1e-3, 0}, {1e-3, 0}, {1e-3, 0}, {1e-3, 0}, {1e-3, 0}};
	tally = search_often(all, 5, 0.01, 0, 0);
	print_tally("1 % noise, no gap, five", &tally);
	assert_true(tally.ties >= RUNS * 95 / 100);
	assert_true(tally.median_rounds < 40);
}

static void test_drift_changes_no_verdict(void **state)
{
	static const struct fake_script gap[] = {
		{1.03e-3, 0}, {1.0e-3, 0}, {1.08e-3, 0}, {1.2e-3, 0}, {1.9e-3, 0}};
	static const struct fake_script none[] = {{1e-3, 0}, {1e-3, 0}, {1.5e-3, 0}};
	/* 20 % over about thirteen rounds of five, and of three */
	struct tally tally = search_often(gap, 5, 0.01, 0.2, 80);
	(void)state;
	print_tally("20 % drift, 3 % gap", &tally);
	assert_true(tally.wins[1] >= RUNS * 99 / 100);
	tally = search_often(none, 3, 0.01, 0.2, 50);
	print_tally("20 % drift, no gap", &tally);
	assert_true(tally.ties >= RUNS * 95 / 100);
}

static void test_the_slow_fall_and_the_default_stays(void **state)
{
	/* r64_c64, the fifth, is the default: three times slower, it stays all the same. */
	static const struct fake_script scripts[] = {
		{1e-3, 0}, {1.6e-3, 0}, {1.4e-3, 0}, {1.05e-3, 0}, {3e-3, 0}};
	struct fake_contest f;
	struct err err = {0};
	(void)state;
	fake_contest_make(&f, scripts, 5, 1);
	f.device.noise = 0.002;
	assert_int_equal(0, search_run(&f.contest, f.candidates, 5, &searching, NULL, &err));
	assert_int_equal(SEARCH_SCREENING, f.trials[1].sample_count);
	assert_int_equal(SEARCH_SCREENING, f.trials[1].fell);
	assert_true(f.trials[2].sample_count >= SEARCH_SCREENING + SEARCH_FINALS);
	assert_true(f.trials[4].sample_count >= SEARCH_SCREENING + SEARCH_FINALS);
	assert_int_equal(0, f.trials[4].fell);
	assert_non_null(strstr(f.contest.story.text, "r32_c32 falls, 1.6"));
	assert_non_null(strstr(f.contest.stop, "resolved after"));
	fake_contest_release(&f);
}

static void test_a_failure_drops_out(void **state)
{
	static const struct fake_script scripts[] = {{1e-3, 9}, {2e-3, 0}, {1.5e-3, 0}};
	struct fake_contest f;
	struct err err = {0};
	(void)state;
	fake_contest_make(&f, scripts, 3, 1);
	assert_int_equal(0, search_run(&f.contest, f.candidates, 3, &searching, NULL, &err));
	contest_decide(&f.contest, NULL, 1);
	assert_int_equal(OUTCOME_RUN_FAILED, f.trials[0].outcome);
	assert_string_equal("scripted failure", f.trials[0].why);
	assert_true(f.kernels[0].finished);
	assert_null(f.candidates[0].kernel);
	assert_int_equal(DECISION_WINNER, f.contest.decision);
	assert_int_equal(2, f.contest.ranking[0]);
	assert_int_equal(2, f.contest.ranked);
	fake_contest_release(&f);
}

static void test_all_failing_ends(void **state)
{
	static const struct fake_script scripts[] = {{1e-3, 1}, {2e-3, 2}};
	struct fake_contest f;
	struct err err = {0};
	(void)state;
	fake_contest_make(&f, scripts, 2, 1);
	assert_int_equal(0, search_run(&f.contest, f.candidates, 2, &searching, NULL, &err));
	contest_decide(&f.contest, NULL, 1);
	assert_int_equal(DECISION_NONE, f.contest.decision);
	assert_int_equal(0, f.contest.ranked);
	fake_contest_release(&f);
}

static void test_ties_go_to_incumbent_then_default(void **state)
{
	static const struct fake_script scripts[] = {
		{1e-3, 0}, {1e-3, 0}, {1e-3, 0}, {1e-3, 0}, {1e-3, 0}};
	(void)state;
	for (int incumbent = -1; incumbent < 5; incumbent++) {
		struct fake_contest f;
		struct err err = {0};
		struct protocol protocol = searching;
		protocol.incumbent = incumbent < 0 ? NULL : &schedules[incumbent];
		fake_contest_make(&f, scripts, 5, 3);
		assert_int_equal(0, search_run(&f.contest, f.candidates, 5, &protocol, NULL, &err));
		contest_decide(&f.contest, protocol.incumbent, 1);
		assert_int_equal(DECISION_TIE, f.contest.decision);
		assert_int_equal(incumbent < 0 ? 4 : incumbent, f.contest.ranking[0]);
		fake_contest_release(&f);
	}
}

static void test_fixed_rounds_drop_nobody(void **state)
{
	static const struct fake_script scripts[] = {{1e-3, 0}, {9e-3, 0}};
	struct fake_contest f;
	struct err err = {0};
	struct protocol protocol = searching;
	(void)state;
	protocol.rounds = 6;
	fake_contest_make(&f, scripts, 2, 1);
	assert_int_equal(0, search_run(&f.contest, f.candidates, 2, &protocol, NULL, &err));
	assert_int_equal(6, f.trials[0].sample_count);
	assert_int_equal(6, f.trials[1].sample_count);
	assert_string_equal("done after 6 rounds", f.contest.stop);
	fake_contest_release(&f);
}

/* A round is taken all the same: without one there is no result. */
static void test_a_deadline_that_has_passed(void **state)
{
	static const struct fake_script scripts[] = {{1e-3, 0}, {9e-3, 0}};
	struct fake_contest f;
	struct err err = {0};
	struct protocol protocol = searching;
	(void)state;
	protocol.deadline = 1e-9;
	fake_contest_make(&f, scripts, 2, 1);
	assert_int_equal(0, search_run(&f.contest, f.candidates, 2, &protocol, NULL, &err));
	assert_int_equal(1, f.trials[0].sample_count);
	assert_string_equal("budget spent after 1 round", f.contest.stop);
	fake_contest_release(&f);
}

static void test_short_passes_are_batched(void **state)
{
	static const struct fake_script scripts[] = {{3e-6, 0}, {60e-6, 0}};
	struct fake_contest f;
	struct err err = {0};
	struct protocol protocol = searching;
	(void)state;
	protocol.rounds = 3;
	protocol.candidate_launches = 3;
	protocol.batch_under = 50e-6;
	fake_contest_make(&f, scripts, 2, 1);
	assert_int_equal(0, search_run(&f.contest, f.candidates, 2, &protocol, NULL, &err));
	assert_int_equal(17, f.trials[0].batch);
	assert_int_equal(1, f.trials[1].batch);
	assert_true(fabs(f.trials[0].stats.median - 3e-6) < 1e-12);
	fake_contest_release(&f);
}

static void test_the_interval_covers_its_level(void **state)
{
	int covered = 0;
	struct rng rng = {5};
	(void)state;
	for (int run = 0; run < 400; run++) {
		double a[20], b[20];
		for (int i = 0; i < 20; i++) {
			a[i] = 0.9 * (1 + 0.02 * fake_normal(&rng));
			b[i] = 1 + 0.02 * fake_normal(&rng);
		}
		struct interval interval = ratio_interval(a, b, 20, 0.95, (uint64_t)run);
		assert_true(interval.low <= interval.high);
		covered += interval.low <= 0.9 && 0.9 <= interval.high;
	}
	printf("# the 95 %% interval covers the true ratio in %d of 400\n", covered);
	assert_true(covered >= 400 * 91 / 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_gap_is_found),
		cmocka_unit_test(test_no_gap_is_a_tie),
		cmocka_unit_test(test_drift_changes_no_verdict),
		cmocka_unit_test(test_the_slow_fall_and_the_default_stays),
		cmocka_unit_test(test_a_failure_drops_out),
		cmocka_unit_test(test_all_failing_ends),
		cmocka_unit_test(test_ties_go_to_incumbent_then_default),
		cmocka_unit_test(test_fixed_rounds_drop_nobody),
		cmocka_unit_test(test_a_deadline_that_has_passed),
		cmocka_unit_test(test_short_passes_are_batched),
		cmocka_unit_test(test_the_interval_covers_its_level),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
