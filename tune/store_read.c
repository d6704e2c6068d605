#include <stdio.h>

#include "tune/store_place.h"
#include "tune/store_samples.h"
#include "tune/store_sqlite.h"

static const char *trial_name(int64_t trial, char text[32])
{
	snprintf(text, 32, "trial %lld", (long long)trial);
	return text;
}

static int refuse_trial(const struct store *store, int64_t trial, const char *what,
	const char *found, struct err *err)
{
	char name[32];

	return refuse_row(store, trial_name(trial, name), what, found, err);
}

/* The columns that are taken as they are. */
static void plain_read(sqlite3_stmt *row, struct stored *stored)
{
	stored->trial = sqlite3_column_int64(row, ROW_TRIAL);
	stored->rank = sqlite3_column_int(row, ROW_RANK);
	stored->schedule_name = get_text(row, ROW_SCHEDULE);
	stored->why = get_text(row, ROW_WHY);
	stored->warning = get_text(row, ROW_WARNING);
	stored->stop = get_text(row, ROW_STOP);
	stored->min = get_real(row, ROW_MIN);
	stored->first_quartile = get_real(row, ROW_FIRST_QUARTILE);
	stored->median = get_real(row, ROW_MEDIAN);
	stored->third_quartile = get_real(row, ROW_THIRD_QUARTILE);
	stored->max = get_real(row, ROW_MAX);
	stored->sample_count = sqlite3_column_int(row, ROW_SAMPLE_COUNT);
	stored->batch = sqlite3_column_int(row, ROW_BATCH);
	stored->scratch = sqlite3_column_int64(row, ROW_SCRATCH);
	stored->flops = get_real(row, ROW_FLOPS);
	stored->bytes = get_real(row, ROW_BYTES);
	stored->fraction = get_real(row, ROW_FRACTION);
	stored->floor_seconds = get_real(row, ROW_FLOOR_SECONDS);
	stored->code = get_text(row, ROW_CODE);
	stored->compiler = get_text(row, ROW_COMPILER);
	stored->driver = get_text(row, ROW_DRIVER);
	stored->architecture = get_text(row, ROW_ARCHITECTURE);
	stored->lens = get_text(row, ROW_LENS);
	stored->version = get_text(row, ROW_VERSION);
	stored->created = get_text(row, ROW_CREATED);
	stored->origin = get_text(row, ROW_ORIGIN);
	stored->source = get_text(row, ROW_SOURCE);
	stored->exact_tokens = sqlite3_column_int64(row, ROW_EXACT_TOKENS);
	stored->exact_longest = sqlite3_column_int64(row, ROW_EXACT_LONGEST);
}

static int judgement_read(const struct store *store, sqlite3_stmt *row, int64_t trial,
	struct judgement *judgement, struct err *err)
{
	const char *names[JUDGED_COUNT], *name = get_text(row, 0);
	int which;

	for (int i = 0; i < JUDGED_COUNT; i++)
		names[i] = judged_name((enum judged)i);
	which = name_find(name, names, JUDGED_COUNT);
	if (which < 0)
		return refuse_trial(store, trial, "tensor", name, err);
	*judgement = (struct judgement){
		.judged = (enum judged)which,
		.ceiling = get_real(row, 1),
		.rel = get_real(row, 2),
		.sequence_rel = get_real(row, 3),
		.nmse = get_real(row, 4),
		.worst =
			{
				.sequence = sqlite3_column_int64(row, 5),
				.token = sqlite3_column_int64(row, 6),
				.head = sqlite3_column_int64(row, 7),
				.dimension = sqlite3_column_int64(row, 8),
				.got = get_real(row, 9),
				.want = get_real(row, 10),
			},
	};
	judgement->right = judgement->rel <= judgement->ceiling &&
			   judgement->sequence_rel <= judgement->ceiling;
	return 0;
}

static int verdict_read(
	struct store *store, int64_t trial, struct verdict *verdict, struct err *err)
{
	sqlite3_stmt *rows = statement_take(store, READ_JUDGEMENTS);
	int code = SQLITE_DONE, status = 0;

	put_integer(rows, ":trial", trial);
	*verdict = (struct verdict){.right = true};
	while (!status && verdict->count < JUDGED_COUNT &&
		(code = sqlite3_step(rows)) == SQLITE_ROW) {
		struct judgement *judgement = &verdict->judgements[verdict->count++];

		status = judgement_read(store, rows, trial, judgement, err);
		verdict->right &= judgement->right;
	}
	return rows_end(store, rows, code, err) ? -1 : status;
}

/* What of a row has to be understood. */
static int words_read(
	const struct store *store, sqlite3_stmt *row, struct stored *stored, struct err *err)
{
	const char *const decisions[] = {decision_name(DECISION_NONE),
		decision_name(DECISION_WINNER), decision_name(DECISION_TIE)};
	const char *decision = get_text(row, ROW_DECISION);
	const char *outcome = get_text(row, ROW_OUTCOME);
	int which = name_find(decision, decisions, 3);

	if (key_read(store, row, &stored->key, err))
		return -1;
	if (which < 0)
		return refuse_trial(store, stored->trial, "decision", decision, err);
	if (!outcome_find(outcome, &stored->outcome))
		return refuse_trial(store, stored->trial, "outcome", outcome, err);
	stored->decision = (enum decision)which;
	stored->schedule = schedule_find(stored->key.pass, stored->schedule_name);
	return 0;
}

/* Calls `visit` with one row; `*enough` becomes what it returned. */
static int row_visit(struct store *store, sqlite3_stmt *row,
	int (*visit)(void *context, const struct stored *stored), void *context, bool *enough,
	struct err *err)
{
	struct samples samples = {0};
	struct stored stored;
	char name[32];
	int status;

	plain_read(row, &stored);
	trial_name(stored.trial, name);
	status = words_read(store, row, &stored, err);
	if (!status)
		status = verdict_read(store, stored.trial, &stored.verdict, err);
	if (!status)
		status = samples_read(store, name, get_text(row, ROW_SAMPLES),
			get_text(row, ROW_MARKS), stored.sample_count, &samples, err);
	if (!status) {
		stored.samples = samples.seconds;
		stored.marks = samples.marks;
		stored.judged = stored.verdict.count > 0;
		*enough = visit(context, &stored);
	}
	samples_release(&samples);
	return status;
}

/* Calls `visit` for each of `rows` until it returns non-zero; how many there were, or -1. */
static int rows_visit(struct store *store, sqlite3_stmt *rows,
	int (*visit)(void *context, const struct stored *stored), void *context, struct err *err)
{
	int code = SQLITE_DONE, status = 0, visited = 0;
	bool enough = false;

	while (!status && !enough && (code = sqlite3_step(rows)) == SQLITE_ROW) {
		status = row_visit(store, rows, visit, context, &enough, err);
		visited++;
	}
	return rows_end(store, rows, code, err) || status ? -1 : visited;
}

int store_look_up(struct store *store, const struct key *key, const struct device_info *device,
	int (*row)(void *context, const struct stored *stored), void *context, struct err *err)
{
	sqlite3_stmt *rows = statement_take(store, READ_RANKING);

	put_key(rows, key);
	put_build(rows, device);
	return rows_visit(store, rows, row, context, err);
}

int store_each(struct store *store, bool all,
	int (*row)(void *context, const struct stored *stored), void *context, struct err *err)
{
	sqlite3_stmt *rows = statement_take(store, READ_EACH);

	put_integer(rows, ":all", all);
	return rows_visit(store, rows, row, context, err);
}
