#include "tune/store_checkpoint.h"

#include <stdio.h>

#include "base/mem.h"
#include "tune/store_owner.h"
#include "tune/store_place.h"
#include "tune/store_samples.h"
#include "tune/store_sqlite.h"

void checkpoint_release(struct checkpoint *checkpoint)
{
	for (int i = 0; i < checkpoint->count; i++)
		trial_release(&checkpoint->trials[i]);
	mem_free(checkpoint->trials);
	*checkpoint = (struct checkpoint){0};
}

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
	int rounds, const struct circumstances *circumstances, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_CHECKPOINT);
	int64_t id;
	int status;

	put_run(statement, key, contest->problem, circumstances);
	put_integer(statement, ":done", rounds);
	put_now(statement, ":saved");
	status = statement_run(store, statement, err);
	id = sqlite3_last_insert_rowid(store->db);
	for (int i = 0; !status && i < contest->count; i++)
		if (contest->trials[i].outcome != OUTCOME_UNTRIED)
			status = add_candidate(store, id, &contest->trials[i], err);
	return status;
}

static int drop_own(struct store *store, const struct key *key, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, DROP_OWN_CHECKPOINT);
	char owner[OWNER_SIZE];

	owner_name(owner);
	put_key(statement, key);
	put_text(statement, ":owner", owner);
	return statement_run(store, statement, err);
}

int store_save_checkpoint(struct store *store, const struct key *key, const struct contest *contest,
	int rounds, const struct circumstances *circumstances, struct err *err)
{
	int status = change_begin(store, err);

	if (status)
		return -1;
	status = place_add(store, key, contest->problem, circumstances, err);
	if (!status)
		status = drop_own(store, key, err);
	if (!status)
		status = add_checkpoint(store, key, contest, rounds, circumstances, err);
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

/* The trials of this build's schedules. */
static int candidates_read(struct store *store, int64_t id, enum pass pass,
	struct checkpoint *checkpoint, struct err *err)
{
	sqlite3_stmt *rows = statement_take(store, READ_CANDIDATES);
	int code = SQLITE_DONE, status = 0;

	put_integer(rows, ":checkpoint", id);
	while (!status && (code = sqlite3_step(rows)) == SQLITE_ROW) {
		const struct schedule *schedule =
			schedule_find(pass, get_text(rows, CANDIDATE_SCHEDULE));
		struct trial *trial = &checkpoint->trials[checkpoint->count];

		if (!schedule || checkpoint->count == schedule_count)
			continue;
		trial->schedule = schedule;
		checkpoint->count++;
		status = candidate_read(store, rows, trial, err);
	}
	return rows_end(store, rows, code, err) ? -1 : status;
}

int store_load_checkpoint(struct store *store, const struct key *key, const struct problem *problem,
	const struct circumstances *circumstances, struct checkpoint *checkpoint, struct err *err)
{
	int64_t id = 0;
	int status;

	*checkpoint = (struct checkpoint){0};
	checkpoint->trials =
		mem_new(schedule_count, sizeof *checkpoint->trials, "a checkpoint", err);
	status = checkpoint->trials ? change_begin(store, err) : -1;
	if (status)
		goto out;
	status = drop_old(store, key, circumstances->device, err);
	if (!status)
		id = take(store, key, problem, circumstances, &checkpoint->rounds, err);
	if (id > 0)
		status = candidates_read(store, id, key->pass, checkpoint, err);
	status = change_end(store, id < 0 ? -1 : status, err);
out:
	if (status || !id)
		checkpoint_release(checkpoint);
	return status ? -1 : id > 0;
}
