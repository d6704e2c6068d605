#include "base/mem.h"
#include "tune/store_place.h"
#include "tune/store_samples.h"
#include "tune/store_sqlite.h"

static int add_judgements(
	struct store *store, int64_t trial, const struct verdict *verdict, struct err *err)
{
	for (int i = 0; i < verdict->count; i++) {
		const struct judgement *judgement = &verdict->judgements[i];
		sqlite3_stmt *statement = statement_take(store, ADD_JUDGEMENT);

		put_integer(statement, ":trial", trial);
		put_text(statement, ":tensor", judged_name(judgement->judged));
		put_real(statement, ":ceiling", judgement->ceiling);
		put_real(statement, ":rel", judgement->rel);
		put_real(statement, ":sequence_rel", judgement->sequence_rel);
		put_real(statement, ":nmse", judgement->nmse);
		put_integer(statement, ":sequence", judgement->worst.sequence);
		put_integer(statement, ":token", judgement->worst.token);
		put_integer(statement, ":head", judgement->worst.head);
		put_integer(statement, ":dimension", judgement->worst.dimension);
		put_real(statement, ":got", judgement->worst.got);
		put_real(statement, ":want", judgement->worst.want);
		if (statement_run(store, statement, err))
			return -1;
	}
	return 0;
}

static void put_trial(sqlite3_stmt *statement, const struct trial *trial)
{
	put_text(statement, ":schedule", trial->schedule->name);
	put_text(statement, ":outcome", outcome_name(trial->outcome));
	put_text(statement, ":why", trial->why);
	put_text(statement, ":warning", trial->warning);
	put_samples(statement, trial);
	put_real(statement, ":min", trial->stats.min);
	put_real(statement, ":first_quartile", trial->stats.first_quartile);
	put_real(statement, ":median", trial->stats.median);
	put_real(statement, ":third_quartile", trial->stats.third_quartile);
	put_real(statement, ":max", trial->stats.max);
	put_integer(statement, ":batch", trial->batch);
	put_real(statement, ":flops", trial->flops);
	put_real(statement, ":bytes", trial->bytes);
	put_real(statement, ":fraction", trial->fraction);
	put_integer(statement, ":scratch", trial->scratch);
}

static int add_trial(struct store *store, const struct key *key, const struct contest *contest,
	const struct trial *trial, const struct circumstances *circumstances, int64_t *id,
	struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_TRIAL);
	const struct device_info *device = circumstances->device;
	const struct protocol *protocol = circumstances->protocol;
	int status;

	put_key(statement, key);
	put_workload(statement, circumstances->lens, contest->problem);
	put_trial(statement, trial);
	put_real(statement, ":floor_seconds", contest->floor_seconds);
	put_build(statement, device);
	put_text(statement, ":driver", device->driver);
	put_integer(statement, ":rounds", protocol->rounds);
	put_real(statement, ":time_limit", protocol->limit);
	put_seed(statement, protocol->seed);
	put_text(statement, ":stop", contest->stop);
	put_text(statement, ":version", circumstances->version);
	put_now(statement, ":created");
	status = statement_run(store, statement, err);
	*id = sqlite3_last_insert_rowid(store->db);
	if (!status && trial->judged)
		status = add_judgements(store, *id, &trial->verdict, err);
	return status;
}

/* Fills `ids` with the row of each trial. */
static int add_trials(struct store *store, const struct key *key, const struct contest *contest,
	const struct circumstances *circumstances, int64_t *ids, struct err *err)
{
	int status = place_add(store, key, contest->problem, circumstances, err);

	for (int i = 0; !status && i < contest->count; i++)
		if (contest->trials[i].outcome != OUTCOME_UNTRIED)
			status = add_trial(store, key, contest, &contest->trials[i], circumstances,
				&ids[i], err);
	return status;
}

static int replace_decision(struct store *store, const struct key *key, enum decision decision,
	const struct device_info *device, struct err *err)
{
	sqlite3_stmt *drop = statement_take(store, DROP_DECISION);
	sqlite3_stmt *add = statement_take(store, ADD_DECISION);

	put_key(drop, key);
	put_build(drop, device);
	put_key(add, key);
	put_build(add, device);
	put_text(add, ":decision", decision_name(decision));
	put_now(add, ":decided");
	return statement_run(store, drop, err) ? -1 : statement_run(store, add, err);
}

static int add_rank(struct store *store, int rank, int64_t trial, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_RANK);

	put_integer(statement, ":rank", rank);
	put_integer(statement, ":trial", trial);
	return statement_run(store, statement, err);
}

static int drop_miss(struct store *store, const struct key *key, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, DROP_MISS);

	put_key(statement, key);
	return statement_run(store, statement, err);
}

static int add_ranking(struct store *store, const struct key *key, const struct contest *contest,
	const struct device_info *device, const int64_t *ids, struct err *err)
{
	int status = replace_decision(store, key, contest->decision, device, err);

	for (int rank = 0; !status && rank < contest->ranked; rank++) {
		int which = contest->ranking[rank];

		if (contest->trials[which].outcome != OUTCOME_OK)
			bug("%s is ranked but did not go well",
				contest->trials[which].schedule->name);
		status = add_rank(store, rank, ids[which], err);
	}
	return status ? status : drop_miss(store, key, err);
}

int store_add_contest(struct store *store, const struct key *key, const struct contest *contest,
	const struct circumstances *circumstances, bool ranked, struct err *err)
{
	int64_t *ids = mem_new(contest->count, sizeof *ids, "the numbers of trials", err);
	int status = ids ? change_begin(store, err) : -1;

	if (status)
		goto out;
	status = add_trials(store, key, contest, circumstances, ids, err);
	if (!status && ranked && contest->ranked)
		status = add_ranking(store, key, contest, circumstances->device, ids, err);
	if (!status)
		status = checkpoints_drop(store, key, ranked, err);
	status = change_end(store, status, err);
out:
	mem_free(ids);
	return status;
}
