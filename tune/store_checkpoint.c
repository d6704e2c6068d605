#include "tune/store_checkpoint.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "tune/store_owner.h"
#include "tune/store_place.h"
#include "tune/store_samples.h"
#include "tune/store_sqlite.h"

/* What two runs of one contest have in common. */
static void put_run(sqlite3_stmt *statement, const struct key *key, const struct problem *problem,
	const struct circumstances *circumstances)
{
	const struct protocol *protocol = circumstances->protocol;
	char owner[OWNER_SIZE];

	owner_name(owner);
	put_key(statement, key);
	put_workload(statement, circumstances->lens, problem);
	put_text(statement, ":owner", owner);
	put_build(statement, circumstances->device);
	put_text(statement, ":driver", circumstances->device->driver);
	put_integer(statement, ":rounds", protocol->rounds);
	put_text(statement, ":pattern", protocol->pattern ? protocol->pattern : "");
	put_seed(statement, protocol->seed);
}

static int add_candidate(
	struct store *store, int64_t checkpoint, const struct trial *trial, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_CANDIDATE);

	put_integer(statement, ":checkpoint", checkpoint);
	put_text(statement, ":schedule", trial->schedule->name);
	put_text(statement, ":outcome", outcome_name(trial->outcome));
	put_text(statement, ":why", trial->why);
	put_samples(statement, trial);
	put_integer(statement, ":batch", trial->batch);
	put_integer(statement, ":fell", trial->fell);
	return statement_run(store, statement, err);
}

static int add_checkpoint(struct store *store, const struct key *key, const struct contest *contest,
	const struct circumstances *circumstances, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_CHECKPOINT);
	int64_t id;
	int status;

	put_run(statement, key, contest->problem, circumstances);
	put_integer(statement, ":done", contest->rounds);
	put_now(statement, ":saved");
	status = statement_run(store, statement, err);
	id = sqlite3_last_insert_rowid(store->db);
	for (int i = 0; !status && i < contest->count; i++)
		if (contest->trials[i].outcome != OUTCOME_UNTRIED)
			status = add_candidate(store, id, &contest->trials[i], err);
	return status;
}

int checkpoints_drop(struct store *store, const struct key *key, bool gone_too, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, DROP_CHECKPOINTS);
	char owner[OWNER_SIZE];

	owner_name(owner);
	put_key(statement, key);
	put_text(statement, ":owner", owner);
	put_integer(statement, ":gone_too", gone_too);
	return statement_run(store, statement, err);
}

int store_save_checkpoint(struct store *store, const struct key *key, const struct contest *contest,
	const struct circumstances *circumstances, struct err *err)
{
	int status = change_begin(store, err);

	if (status)
		return -1;
	status = place_add(store, key, contest->problem, circumstances, err);
	if (!status)
		status = checkpoints_drop(store, key, false, err);
	if (!status)
		status = add_checkpoint(store, key, contest, circumstances, err);
	return change_end(store, status, err);
}

static int drop_old(struct store *store, const struct key *key, const struct device_info *device,
	struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, DROP_OLD_CHECKPOINTS);

	put_key(statement, key);
	put_build(statement, device);
	return statement_run(store, statement, err);
}

/* Makes the best checkpoint this process's own: its row, 0 when there is none, or -1. */
static int64_t take(struct store *store, const struct key *key, const struct problem *problem,
	const struct circumstances *circumstances, int *rounds, struct err *err)
{
	sqlite3_stmt *rows = statement_take(store, TAKE_CHECKPOINT);
	int64_t id = 0;
	int code;

	put_run(rows, key, problem, circumstances);
	code = sqlite3_step(rows);
	if (code == SQLITE_ROW) {
		id = sqlite3_column_int64(rows, 0);
		*rounds = sqlite3_column_int(rows, 1);
	}
	return rows_end(store, rows, code, err) ? -1 : id;
}

static int candidate_read(
	const struct store *store, sqlite3_stmt *row, struct trial *trial, struct err *err)
{
	const char *outcome = get_text(row, CANDIDATE_OUTCOME);
	struct samples samples = {0};
	int status;

	if (!outcome_find(outcome, &trial->outcome))
		return refuse_row(store, "a checkpoint", "outcome", outcome, err);
	snprintf(trial->why, sizeof trial->why, "%s", get_text(row, CANDIDATE_WHY));
	trial->batch = sqlite3_column_int(row, CANDIDATE_BATCH);
	trial->fell = sqlite3_column_int(row, CANDIDATE_FELL);
	status = samples_read(store, "a checkpoint", get_text(row, CANDIDATE_SAMPLES),
		get_text(row, CANDIDATE_MARKS), sqlite3_column_int(row, CANDIDATE_SAMPLE_COUNT),
		&samples, err);
	for (int i = 0; !status && i < samples.count; i++)
		trial_add_sample(trial, samples.seconds[i], samples.marks[i]);
	samples_release(&samples);
	return status;
}

/* What a checkpoint has, before a contest takes it over. */
struct saved {
	int rounds;
	struct trial *trials; /* [count] */
	int count;
};

static int saved_read(
	struct store *store, int64_t id, enum pass pass, struct saved *saved, struct err *err)
{
	sqlite3_stmt *rows = statement_take(store, READ_CANDIDATES);
	int code = SQLITE_DONE, status = 0;

	put_integer(rows, ":checkpoint", id);
	while (!status && saved->count < schedule_count &&
		(code = sqlite3_step(rows)) == SQLITE_ROW) {
		struct trial *trial = &saved->trials[saved->count++];

		trial->schedule = schedule_find(pass, get_text(rows, CANDIDATE_SCHEDULE));
		status = candidate_read(store, rows, trial, err);
	}
	return rows_end(store, rows, code, err) ? -1 : status;
}

static void saved_release(struct saved *saved)
{
	for (int i = 0; i < saved->count; i++)
		trial_release(&saved->trials[i]);
	mem_free(saved->trials);
}

/* Moves the samples of `saved`. */
static void trial_take_up(struct trial *trial, struct trial *saved)
{
	trial_release(trial);
	trial->outcome = saved->outcome;
	memcpy(trial->why, saved->why, sizeof trial->why);
	trial->samples = saved->samples;
	trial->marks = saved->marks;
	trial->sample_count = saved->sample_count;
	trial->stats = saved->stats;
	trial->batch = saved->batch;
	trial->fell = saved->fell;
	saved->samples = NULL;
	saved->marks = NULL;
}

static void contest_take_up(struct contest *contest, struct saved *saved)
{
	contest->rounds = saved->rounds;
	for (int i = 0; i < contest->count; i++)
		for (int j = 0; j < saved->count; j++)
			if (contest->trials[i].outcome == OUTCOME_OK &&
				contest->trials[i].schedule == saved->trials[j].schedule)
				trial_take_up(&contest->trials[i], &saved->trials[j]);
}

int store_load_checkpoint(struct store *store, const struct key *key, struct contest *contest,
	const struct circumstances *circumstances, struct err *err)
{
	struct saved saved = {0};
	int64_t id = 0;
	int status;

	saved.trials = mem_new(schedule_count, sizeof *saved.trials, "a checkpoint", err);
	status = saved.trials ? change_begin(store, err) : -1;
	if (status)
		goto out;
	status = drop_old(store, key, circumstances->device, err);
	if (!status)
		id = take(store, key, contest->problem, circumstances, &saved.rounds, err);
	if (id > 0)
		status = saved_read(store, id, key->pass, &saved, err);
	status = change_end(store, id < 0 ? -1 : status, err);
	if (!status && id)
		contest_take_up(contest, &saved);
out:
	saved_release(&saved);
	return status ? -1 : id > 0;
}
