#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/str.h"
#include "tune/store_sqlite.h"

static int add_device(struct store *store, const struct key *key, const struct device_info *device,
	struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_DEVICE);
	char backend[sizeof device->name];

	snprintf(backend, sizeof backend, "%.*s", (int)strcspn(device->name, ":"), device->name);
	put_text(statement, ":device", key->device);
	put_text(statement, ":backend", backend);
	put_text(statement, ":model", device->model);
	put_text(statement, ":architecture", device->architecture);
	put_integer(statement, ":units", device->units);
	return statement_run(store, statement, err);
}

static int add_shape(struct store *store, const struct key *key, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_SHAPE);

	put_key(statement, key);
	return statement_run(store, statement, err);
}

static void put_workload(sqlite3_stmt *statement, const char *lens, const struct problem *problem)
{
	put_text(statement, ":lens", lens);
	put_integer(statement, ":exact_tokens", problem->tokens);
	put_integer(statement, ":exact_longest", problem->longest);
}

static int add_workload(
	struct store *store, const char *lens, const struct problem *problem, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_WORKLOAD);

	put_workload(statement, lens, problem);
	return statement_run(store, statement, err);
}

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

/* The shortest digits that read back as the same number. */
static void add_number(struct str *text, double value)
{
	char digits[32];

	for (int precision = 1; precision <= 17; precision++) {
		snprintf(digits, sizeof digits, "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	str_add(text, digits);
}

/* As a JSON array. */
static void format_samples(struct str *text, const struct trial *trial)
{
	str_add(text, "[");
	for (int i = 0; i < trial->sample_count; i++) {
		if (i)
			str_add(text, ",");
		add_number(text, trial->samples[i]);
	}
	str_add(text, "]");
}

static void put_trial(sqlite3_stmt *statement, const struct trial *trial)
{
	put_text(statement, ":schedule", trial->schedule->name);
	put_text(statement, ":outcome", outcome_name(trial->outcome));
	put_text(statement, ":why", trial->why);
	put_text(statement, ":warning", trial->warning);
	put_integer(statement, ":sample_count", trial->sample_count);
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
	const struct trial *trial, const struct circumstances *circumstances, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_TRIAL);
	const struct device_info *device = circumstances->device;
	const struct protocol *protocol = circumstances->protocol;
	struct str samples = {0};
	char seed[24], created[32];
	int status;

	format_samples(&samples, trial);
	snprintf(seed, sizeof seed, "%llu", (unsigned long long)protocol->seed);
	put_key(statement, key);
	put_workload(statement, circumstances->lens, contest->problem);
	put_trial(statement, trial);
	put_text(statement, ":samples", samples.text);
	put_real(statement, ":floor_seconds", contest->floor_seconds);
	put_text(statement, ":code", device->code);
	put_text(statement, ":compiler", device->compiler);
	put_text(statement, ":driver", device->driver);
	put_integer(statement, ":rounds", protocol->rounds);
	put_real(statement, ":time_limit", protocol->limit);
	put_text(statement, ":seed", seed);
	put_text(statement, ":stop", contest->stop);
	put_text(statement, ":version", circumstances->version);
	put_text(statement, ":created", clock_utc(created));
	status = statement_run(store, statement, err);
	str_release(&samples);
	return status;
}

int store_add_trial(struct store *store, const struct key *key, const struct contest *contest,
	const struct trial *trial, const struct circumstances *circumstances, int64_t *id,
	struct err *err)
{
	int status;

	if (trial->outcome == OUTCOME_UNTRIED)
		bug("an untried schedule is no trial");
	if (change_begin(store, err))
		return -1;
	status = add_device(store, key, circumstances->device, err);
	if (!status)
		status = add_shape(store, key, err);
	if (!status)
		status = add_workload(store, circumstances->lens, contest->problem, err);
	if (!status)
		status = add_trial(store, key, contest, trial, circumstances, err);
	*id = sqlite3_last_insert_rowid(store->db);
	if (!status && trial->judged)
		status = add_judgements(store, *id, &trial->verdict, err);
	return change_end(store, status, err);
}

static int drop_decision(struct store *store, const struct key *key, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, DROP_DECISION);

	put_key(statement, key);
	return statement_run(store, statement, err);
}

static int add_decision(
	struct store *store, const struct key *key, enum decision decision, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_DECISION);
	char decided[32];

	put_key(statement, key);
	put_text(statement, ":decision", decision_name(decision));
	put_text(statement, ":decided", clock_utc(decided));
	return statement_run(store, statement, err);
}

static int add_rank(
	struct store *store, const struct key *key, int rank, int64_t trial, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_RANK);

	put_key(statement, key);
	put_integer(statement, ":rank", rank);
	put_integer(statement, ":trial", trial);
	if (statement_run(store, statement, err))
		return -1;
	if (!sqlite3_changes(store->db))
		return err_set(err, ERR_UNAVAILABLE,
			"%s: trial %lld cannot be ranked: not one that went well on this shape",
			store->path, (long long)trial);
	return 0;
}

int store_set_winner(struct store *store, const struct key *key, enum decision decision,
	const int64_t *trials, int count, struct err *err)
{
	int status;

	if (change_begin(store, err))
		return -1;
	status = drop_decision(store, key, err);
	if (!status && count)
		status = add_decision(store, key, decision, err);
	for (int rank = 0; !status && rank < count; rank++)
		status = add_rank(store, key, rank, trials[rank], err);
	return change_end(store, status, err);
}
