/* A contest in flight survives a kill, and is taken up by the same contest alone. */
#include "tests/unit/store_sample.h"

#include <signal.h>
#include <sys/wait.h>

#include "base/rng.h"
#include "tune/store_checkpoint.h"

#define FILE_NAME  "tuning.db"
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

/* The time of schedule `index` in a round: no two alike. */
static double seconds_of(int index, int round)
{
	return 1e-3 * (index + 1) + 1e-7 / (round + 3);
}

static unsigned char marks_of(int index, int round)
{
	return (unsigned char)((index + round) % 4);
}

#define COUNT 5 /* trials; the last was never tried, the one before failed */

static void contest_init(struct contest *contest, struct trial trials[COUNT])
{
	for (int i = 0; i < COUNT; i++)
		trials[i] = (struct trial){
			.schedule = &schedules[i], .outcome = OUTCOME_OK, .batch = i + 1};
	trials[2].fell = 3;
	trial_fail(&trials[3], OUTCOME_RUN_FAILED, "killed by SIGSEGV");
	trials[4].outcome = OUTCOME_UNTRIED;
	*contest = sample_contest;
	contest->trials = trials;
	contest->count = COUNT;
}

static void contest_round(struct contest *contest)
{
	int round = contest->rounds++;

	for (int i = 0; i < 2; i++)
		trial_add_sample(&contest->trials[i], seconds_of(i, round), marks_of(i, round));
	if (round < contest->trials[2].fell)
		trial_add_sample(&contest->trials[2], seconds_of(2, round), marks_of(2, round));
}

static void trials_release(struct contest *contest)
{
	for (int i = 0; i < contest->count; i++)
		trial_release(&contest->trials[i]);
}

/* What tells one run from another. */
struct run {
	struct device_info device;
	struct protocol protocol;
	struct circumstances circumstances;
	struct key key;
	struct problem problem;
};

static void run_init(struct run *run)
{
	*run = (struct run){
		.device = sample_device,
		.protocol = sample_protocol,
		.circumstances = sample_circumstances,
		.key = sample_key(),
		.problem = sample_problem,
	};
	run->circumstances.device = &run->device;
	run->circumstances.protocol = &run->protocol;
}

/* Saves `rounds` rounds of a run; 0 is well. */
static int save(const struct run *run, int rounds)
{
	struct trial trials[COUNT];
	struct contest contest;
	struct err err = {0};
	struct store *store = store_open(FILE_NAME, STORE_WRITE, &err);
	int status = store ? 0 : -1;

	contest_init(&contest, trials);
	contest.problem = &run->problem;
	for (int i = 0; i < rounds; i++)
		contest_round(&contest);
	/* The second replaces the first. */
	for (int i = 0; !status && i < 2; i++)
		status = store_save_checkpoint(
			store, &run->key, &contest, &run->circumstances, &err);
	if (status)
		fprintf(stderr, "%s\n", err.text);
	trials_release(&contest);
	store_close(store);
	return status ? 1 : 0;
}

/* The same by a process that then ends. */
static void save_and_end(const struct run *run, int rounds)
{
	pid_t child = fork();
	int status;

	if (!child)
		_exit(save(run, rounds));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

/* A contest as it is after the gate, where all but the last trial are right. */
static void contest_enter(
	struct contest *contest, struct trial trials[COUNT], const struct run *run)
{
	contest_init(contest, trials);
	contest->problem = &run->problem;
	for (int i = 0; i < COUNT; i++)
		trials[i] = (struct trial){.schedule = &schedules[i], .outcome = OUTCOME_OK};
	trials[COUNT - 1].outcome = OUTCOME_UNSUPPORTED;
}

/* The rounds that a process finds; 0: there is no checkpoint. */
static int load(const struct run *run)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct trial trials[COUNT];
	struct contest contest;
	struct err err = {0};
	int found;

	contest_enter(&contest, trials, run);
	found = store_load_checkpoint(store, &run->key, &contest, &run->circumstances, &err);
	if (found < 0)
		fail_msg("%s", err.text);
	assert_int_equal(found, contest.rounds > 0);
	assert_int_equal(trials[0].sample_count, contest.rounds);
	trials_release(&contest);
	store_close(store);
	return contest.rounds;
}

static int64_t count_checkpoints(void)
{
	int64_t candidates = raw_sql(FILE_NAME, "SELECT count(*) FROM candidate");
	int64_t checkpoints = raw_sql(FILE_NAME, "SELECT count(*) FROM checkpoint");

	assert_int_equal(candidates, (COUNT - 1) * checkpoints);
	return checkpoints;
}

static void assert_samples(const struct trial *trial, int index, int count)
{
	assert_ptr_equal(trial->schedule, &schedules[index]);
	assert_int_equal(trial->sample_count, count);
	assert_int_equal(trial->stats.count, count);
	for (int i = 0; i < count; i++) {
		assert_true(trial->samples[i] == seconds_of(index, i));
		assert_int_equal(trial->marks[i], marks_of(index, i));
	}
}

static void test_comes_back(void **state)
{
	struct run run;
	struct store *store;
	struct trial trials[COUNT];
	struct contest contest;
	struct err err = {0};

	(void)state;
	run_init(&run);
	save_and_end(&run, 7);
	store = open_or_fail(FILE_NAME, STORE_WRITE);
	contest_enter(&contest, trials, &run);
	trials[1].outcome = OUTCOME_WRONG;
	assert_int_equal(
		store_load_checkpoint(store, &run.key, &contest, &run.circumstances, &err), 1);
	assert_int_equal(contest.rounds, 7);
	assert_samples(&trials[0], 0, 7);
	assert_samples(&trials[2], 2, 3);
	assert_int_equal(trials[0].batch, 1);
	assert_int_equal(trials[2].batch, 3);
	assert_int_equal(trials[0].fell, 0);
	assert_int_equal(trials[2].fell, 3);
	assert_int_equal(trials[2].outcome, OUTCOME_OK);
	/* What failed then has failed, and what is not right now has no samples. */
	assert_int_equal(trials[3].outcome, OUTCOME_RUN_FAILED);
	assert_string_equal(trials[3].why, "killed by SIGSEGV");
	assert_int_equal(trials[1].outcome, OUTCOME_WRONG);
	assert_samples(&trials[1], 1, 0);
	assert_int_equal(trials[COUNT - 1].outcome, OUTCOME_UNSUPPORTED);
	/* Samples can be added to what came back. */
	for (int i = 7; i < 20; i++)
		trial_add_sample(&trials[0], seconds_of(0, i), marks_of(0, i));
	assert_samples(&trials[0], 0, 20);
	trials_release(&contest);
	store_close(store);
	assert_int_equal(count_checkpoints(), 1);
	assert_integrity(FILE_NAME);
}

static void other_lens(struct run *run)
{
	run->circumstances.lens = "64,101,32x139";
}

static void other_tokens(struct run *run)
{
	run->problem.tokens--;
}

static void other_key(struct run *run)
{
	run->key.window++;
}

static void other_cache(struct run *run)
{
	run->key.cold = false;
}

static void other_driver(struct run *run)
{
	strcpy(run->device.driver, "550");
}

static void other_rounds(struct run *run)
{
	run->protocol.rounds = 0;
}

static void other_pattern(struct run *run)
{
	run->protocol.pattern = "r*";
}

static void other_seed(struct run *run)
{
	run->protocol.seed--;
}

static void test_another_run_is_left_alone(void **state)
{
	static void (*const changes[])(struct run * run) = {other_lens, other_tokens, other_key,
		other_cache, other_driver, other_rounds, other_pattern, other_seed};
	struct run run, other;

	(void)state;
	run_init(&run);
	save_and_end(&run, 7);
	for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
		run_init(&other);
		changes[i](&other);
		assert_int_equal(load(&other), 0);
	}
	assert_int_equal(count_checkpoints(), 1);
	assert_int_equal(load(&run), 7);
}

/* Of other kernels it is of no more use to anyone. */
static void test_another_build_is_cleaned_up(void **state)
{
	struct run run, other;

	(void)state;
	run_init(&run);
	for (int i = 0; i < 2; i++) {
		save_and_end(&run, 7);
		assert_int_equal(count_checkpoints(), 1);
		run_init(&other);
		strcpy(i ? other.device.code : other.device.compiler, "another");
		assert_int_equal(load(&other), 0);
		assert_int_equal(count_checkpoints(), 0);
	}
}

static void test_the_furthest_is_taken(void **state)
{
	struct run run;

	(void)state;
	run_init(&run);
	save_and_end(&run, 4);
	save_and_end(&run, 9);
	save_and_end(&run, 6);
	assert_int_equal(count_checkpoints(), 3);
	assert_int_equal(load(&run), 9);
	/* It is this process's own now, and still the best. */
	assert_int_equal(load(&run), 9);
	assert_int_equal(count_checkpoints(), 3);
	/* One's own of another run gives way. */
	run.protocol.seed = 1;
	assert_int_equal(save(&run, 2), 0);
	run_init(&run);
	assert_int_equal(load(&run), 6);
	assert_int_equal(count_checkpoints(), 2);
}

/* What a living process is at is its own. */
static void test_the_living_keep_theirs(void **state)
{
	struct run run;
	int ready[2];
	char byte;
	pid_t child;

	(void)state;
	run_init(&run);
	assert_int_equal(pipe(ready), 0);
	child = fork();
	if (!child) {
		byte = (char)save(&run, 5);
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(1);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	assert_int_equal(byte, 0);
	assert_int_equal(load(&run), 0);
	strcpy(run.device.code, "another");
	assert_int_equal(load(&run), 0);
	assert_int_equal(count_checkpoints(), 1);
	run_init(&run);
	kill(child, SIGKILL);
	/* Dead, but not yet buried. */
	waitid(P_PID, (id_t)child, &(siginfo_t){0}, WEXITED | WNOWAIT);
	assert_int_equal(load(&run), 5);
	assert_int_equal(waitpid(child, NULL, 0), child);
	close(ready[0]);
	close(ready[1]);
}

/* Nor does a number that another process has by now hide what is left behind. */
static void test_owner_of_another_boot(void **state)
{
	struct run run;
	struct str sql = {0};

	(void)state;
	run_init(&run);
	save_and_end(&run, 5);
	str_addf(&sql, "UPDATE checkpoint SET owner = 'another-boot %d 1'", (int)getpid());
	raw_sql(FILE_NAME, sql.text);
	str_release(&sql);
	assert_int_equal(load(&run), 5);
	raw_sql(FILE_NAME, "UPDATE checkpoint SET owner = ''");
	assert_int_equal(load(&run), 5);
}

static void test_the_result_replaces_it(void **state)
{
	struct store *store;
	struct run run, other;

	(void)state;
	run_init(&run);
	run_init(&other);
	other_key(&other);
	save_and_end(&other, 3);
	for (int ranked = 0; ranked < 2; ranked++) {
		save_and_end(&run, 5);
		assert_int_equal(save(&run, 5), 0);
		store = open_or_fail(FILE_NAME, STORE_WRITE);
		if (ranked)
			keep_ranked(store, &run.key, DECISION_TIE, 3);
		else
			keep(store, &run.key,
				&(struct trial){.schedule = schedules, .outcome = OUTCOME_OK});
		store_close(store);
		/* A trial alone is in place of this process's own. */
		assert_int_equal(count_checkpoints(), ranked ? 1 : 2);
	}
	assert_int_equal(load(&run), 0);
	assert_int_equal(load(&other), 3);
}

static void test_damaged(void **state)
{
	static const char *const damages[] = {"outcome = 'fine'",
		"samples = '[x,1]', marks = '00', sample_count = 2",
		"marks = 'x', samples = '[1]', sample_count = 1"};
	struct run run;

	(void)state;
	run_init(&run);
	for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
		struct store *store;
		struct trial trials[COUNT];
		struct contest contest;
		struct str sql = {0};
		struct err err = {0};

		save_and_end(&run, 5);
		str_addf(&sql, "UPDATE candidate SET %s", damages[i]);
		raw_sql(FILE_NAME, sql.text);
		str_release(&sql);
		store = open_or_fail(FILE_NAME, STORE_WRITE);
		contest_enter(&contest, trials, &run);
		assert_int_equal(
			store_load_checkpoint(store, &run.key, &contest, &run.circumstances, &err),
			-1);
		assert_non_null(strstr(err.text, "damaged: a checkpoint has the"));
		assert_int_equal(contest.rounds, 0);
		assert_int_equal(trials[0].sample_count, 0);
		store_close(store);
		unlink(FILE_NAME);
	}
}

#define ROUNDS 12

/* A whole tuning: takes up what is there, goes on round by round and keeps the result; a byte down
 * the pipe `out` for each round saved. */
static int tune(const struct run *run, int out)
{
	struct trial trials[COUNT];
	struct contest contest;
	struct err err = {0};
	struct store *store = store_open(FILE_NAME, STORE_WRITE, &err);
	int status = 0;

	if (!store)
		return 1;
	contest_init(&contest, trials);
	contest.problem = &run->problem;
	if (store_load_checkpoint(store, &run->key, &contest, &run->circumstances, &err) < 0)
		return 2;
	while (!status && contest.rounds < ROUNDS) {
		contest_round(&contest);
		status = store_save_checkpoint(
			store, &run->key, &contest, &run->circumstances, &err);
		if (!status && write(out, "", 1) != 1)
			return 3;
	}
	contest.ranking = (int[]){0, 1};
	contest.ranked = 2;
	contest.decision = DECISION_WINNER;
	if (!status)
		status = store_add_contest(
			store, &run->key, &contest, &run->circumstances, true, &err);
	trials_release(&contest);
	store_close(store);
	return status ? 4 : 0;
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

/* Runs a tuning and kills it after `wait` microseconds; the rounds it said it saved. */
static int tune_and_kill(const struct run *run, useconds_t wait, int *status)
{
	int ends[2], rounds;
	pid_t child;

	assert_int_equal(pipe(ends), 0);
	child = fork();
	if (!child)
		_exit(tune(run, ends[1]));
	close(ends[1]);
	usleep(wait);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, status, 0), child);
	rounds = drain(ends[0]);
	close(ends[0]);
	return rounds;
}

/* The checkpoint or the whole result is there, and at most the round in flight is lost. */
static void test_killed_at_any_moment(void **state)
{
	struct rng rng = {.state = 3};
	struct run run;
	int done = 0, kills = 0, results = 0;

	(void)state;
	run_init(&run);
	store_close(open_or_fail(FILE_NAME, STORE_WRITE));
	while (kills < 20) {
		int status, left, told;

		told = tune_and_kill(&run, (useconds_t)rng_between(&rng, 0, 6000), &status);
		kills += WIFSIGNALED(status);
		assert_true(WIFSIGNALED(status) || !WEXITSTATUS(status));
		store_close(open_or_fail(FILE_NAME, STORE_READ));
		assert_integrity(FILE_NAME);
		left = (int)raw_sql(FILE_NAME, "SELECT ifnull(max(done), 0) FROM checkpoint");
		if (raw_sql(FILE_NAME, "SELECT count(*) FROM decision") > results) {
			results++;
			assert_int_equal(left, 0);
			done = 0;
			/* The next one is of another shape. */
			run.key.heads++;
		} else {
			assert_in_range(left, done + told, done + told + 1);
			done = left;
		}
		assert_int_equal(
			raw_sql(FILE_NAME, "SELECT count(*) FROM trial"), results * (COUNT - 1));
	}
	assert_true(results > 0);
	/* Each result has each round once, whatever was killed on the way. */
	assert_int_equal(raw_sql(FILE_NAME, "SELECT count(*) FROM trial WHERE schedule ="
					    " (SELECT schedule FROM trial WHERE id = 1)"
					    " AND sample_count = 12"),
		results);
	assert_int_equal(
		raw_sql(FILE_NAME, "SELECT count(DISTINCT samples) FROM trial"), COUNT - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_comes_back),
		TEST(test_another_run_is_left_alone),
		TEST(test_another_build_is_cleaned_up),
		TEST(test_the_furthest_is_taken),
		TEST(test_the_living_keep_theirs),
		TEST(test_owner_of_another_boot),
		TEST(test_the_result_replaces_it),
		TEST(test_damaged),
		TEST(test_killed_at_any_moment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
