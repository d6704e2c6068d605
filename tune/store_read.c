#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tune/store_sqlite.h"

static const char *get_text(sqlite3_stmt *row, int column)
{
	const unsigned char *text = sqlite3_column_text(row, column);

	return text ? (const char *)text : "";
}

static double get_real(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? NAN
							       : sqlite3_column_double(row, column);
}

/* Which of `names` it is; -1 when none. */
static int name_find(const char *wanted, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], wanted))
			return i;
	return -1;
}

static int refuse_row(const struct store *store, int64_t trial, const char *what, const char *found,
	struct err *err)
{
	return err_set(err, ERR_UNAVAILABLE,
		"%s: damaged: trial %lld has the %s '%.60s'; move it away, " STORE_ELSEWHERE,
		store->path, (long long)trial, what, found);
}

static int key_read(const struct store *store, sqlite3_stmt *row, int64_t trial, struct key *key,
	struct err *err)
{
	const char *const passes[] = {pass_name(PASS_FORWARD), pass_name(PASS_BACKWARD)};
	const char *device = get_text(row, ROW_DEVICE), *pass = get_text(row, ROW_PASS);
	const char *dtype = get_text(row, ROW_DTYPE);
	int which = name_find(pass, passes, PASS_COUNT);

	*key = (struct key){
		.pass = (enum pass)which,
		.heads = sqlite3_column_int64(row, ROW_HEADS),
		.dim = sqlite3_column_int64(row, ROW_DIM),
		.window = sqlite3_column_int64(row, ROW_WINDOW),
		.tokens = sqlite3_column_int64(row, ROW_TOKENS),
		.longest = sqlite3_column_int64(row, ROW_LONGEST),
		.cold = sqlite3_column_int(row, ROW_COLD),
	};
	if (which < 0)
		return refuse_row(store, trial, "pass", pass, err);
	if (!dtype_find(dtype, &key->dtype))
		return refuse_row(store, trial, "type", dtype, err);
	if (snprintf(key->device, sizeof key->device, "%s", device) >= (int)sizeof key->device)
		return refuse_row(store, trial, "device", device, err);
	return 0;
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
	stored->lens = get_text(row, ROW_LENS);
	stored->version = get_text(row, ROW_VERSION);
	stored->created = get_text(row, ROW_CREATED);
	stored->exact_tokens = sqlite3_column_int64(row, ROW_EXACT_TOKENS);
	stored->exact_longest = sqlite3_column_int64(row, ROW_EXACT_LONGEST);
}

/* From a JSON array, with strtod since SQLite's numbers may be off in the last bit. From mem_new;
 * NULL on failure. */
static double *samples_read(
	const struct store *store, sqlite3_stmt *row, int64_t trial, int count, struct err *err)
{
	const char *text = get_text(row, ROW_SAMPLES), *at = text;
	double *samples = NULL;

	/* No more than there are digits for, whatever a damaged row says. */
	if (count >= 0 && (size_t)count <= strlen(text))
		samples = mem_new(count, sizeof *samples, "a trial's samples", err);
	else
		refuse_row(store, trial, "samples", text, err);
	for (int i = 0; samples && i < count; i++) {
		char *end;

		at += strspn(at, "[, \t\r\n");
		samples[i] = strtod(at, &end);
		if (end == at) {
			refuse_row(store, trial, "samples", text, err);
			mem_free(samples);
			samples = NULL;
		}
		at = end;
	}
	return samples;
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
		return refuse_row(store, trial, "tensor", name, err);
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

	if (key_read(store, row, stored->trial, &stored->key, err))
		return -1;
	if (which < 0)
		return refuse_row(store, stored->trial, "decision", decision, err);
	if (!outcome_find(outcome, &stored->outcome))
		return refuse_row(store, stored->trial, "outcome", outcome, err);
	stored->decision = (enum decision)which;
	stored->schedule = schedule_find(stored->key.pass, stored->schedule_name);
	return 0;
}

/* Calls `visit` with one row; `*enough` becomes what it returned. */
static int row_visit(struct store *store, sqlite3_stmt *row,
	int (*visit)(void *context, const struct stored *stored), void *context, bool *enough,
	struct err *err)
{
	struct stored stored;
	double *samples;

	plain_read(row, &stored);
	if (words_read(store, row, &stored, err) ||
		verdict_read(store, stored.trial, &stored.verdict, err))
		return -1;
	samples = samples_read(store, row, stored.trial, stored.sample_count, err);
	if (!samples)
		return -1;
	stored.samples = samples;
	stored.judged = stored.verdict.count > 0;
	*enough = visit(context, &stored);
	mem_free(samples);
	return 0;
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

int store_ranking(struct store *store, const struct key *key,
	int (*row)(void *context, const struct stored *stored), void *context, struct err *err)
{
	sqlite3_stmt *rows = statement_take(store, READ_RANKING);

	put_key(rows, key);
	return rows_visit(store, rows, row, context, err);
}

int store_each(struct store *store, bool all,
	int (*row)(void *context, const struct stored *stored), void *context, struct err *err)
{
	sqlite3_stmt *rows = statement_take(store, READ_EACH);

	put_integer(rows, ":all", all);
	return rows_visit(store, rows, row, context, err);
}
