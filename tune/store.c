#include "tune/store.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tune/store_file.h"
#include "tune/store_schema.h"
#include "tune/store_statements.h"

_Static_assert(SQLITE_VERSION_NUMBER >= 3037000, "STRICT tables need SQLite 3.37");

#define BUSY_MS 10000

struct store {
	char *path; /* as given */
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENT_COUNT];
};

/* What SQLite says, in words and with a remedy. */
struct ailment {
	int code; /* an extended code before its primary one */
	const char *words, *remedy;
};

static const struct ailment ailments[] = {
	{SQLITE_FULL, "the disk is full", "make room there"},
	{SQLITE_READONLY_ROLLBACK, "a change that was cut off has to be undone in a read-only file",
		"make it and its folder writable"},
	{SQLITE_READONLY, "it is read-only", "make it and its folder writable"},
	{SQLITE_CANTOPEN, "the file or its journal cannot be opened",
		"make it and its folder accessible"},
	{SQLITE_BUSY, "another process has kept it locked for 10 s", "wait for that one to end"},
	{SQLITE_CORRUPT, "damaged", "move it away"},
	{SQLITE_NOTADB, "damaged", "move it away"},
	{SQLITE_NOMEM, "no memory", "free some"},
	{SQLITE_IOERR_WRITE, "it may not grow: a quota, a limit on file sizes or a failing disk",
		"raise the limit"},
	{SQLITE_IOERR, "reading or writing failed", "check the disk"},
	{SQLITE_CONSTRAINT, NULL, "move it away"},
	{SQLITE_ERROR, NULL, "move it away"},
};
#define AILMENT_COUNT ((int)(sizeof ailments / sizeof *ailments))

static const struct ailment *ailment_find(int code)
{
	static const struct ailment unknown = {.remedy = "move it away"};

	for (int i = 0; i < AILMENT_COUNT; i++)
		if (ailments[i].code == code || ailments[i].code == (code & 0xff))
			return &ailments[i];
	return &unknown;
}

/* For the failure of the last call into SQLite. */
static int store_fail(const struct store *store, const char *doing, struct err *err)
{
	int code = sqlite3_extended_errcode(store->db);
	const struct ailment *ailment = ailment_find(code);
	const char *words = ailment->words ? ailment->words : sqlite3_errmsg(store->db);
	/* SQLite keeps the system's reason for no other kind of failure dependably. */
	bool by_system = (code & 0xff) == SQLITE_CANTOPEN && sqlite3_system_errno(store->db);

	return err_set(err, ERR_UNAVAILABLE, "%s: cannot %s: %s%s%s%s; %s, " STORE_ELSEWHERE,
		store->path, doing, words, by_system ? " (" : "",
		by_system ? strerror(sqlite3_system_errno(store->db)) : "", by_system ? ")" : "",
		ailment->remedy);
}

/* --- opening --- */

/* A change needs room beside `file` for its journal. */
static int folder_check(const char *path, const char *file, struct err *err)
{
	char *place = str_copy(file);
	const char *folder = dirname(place);
	int status = 0;

	if (access(folder, W_OK | X_OK))
		status = err_set(err, ERR_UNAVAILABLE,
			"%s: cannot write to its folder %s: %s; make one that takes "
			"files, " STORE_ELSEWHERE,
			path, folder, strerror(errno));
	free(place);
	return status;
}

static int path_check(const char *path, enum store_mode mode, struct err *err)
{
	struct stat status;

	if (!*path)
		return err_set(err, ERR_USAGE, "the store's file has no name; give one with --db");
	if (stat(path, &status)) {
		if (errno == ENOENT && mode == STORE_WRITE)
			return folder_check(path, path, err);
		return err_set(err, ERR_UNAVAILABLE,
			errno == ENOENT ? "%s: %s; `pattn tune` makes a store, --db names another"
					: "%s: %s; make it accessible, " STORE_ELSEWHERE,
			path, strerror(errno));
	}
	if (!S_ISREG(status.st_mode))
		return err_set(err, ERR_UNAVAILABLE, "%s: %s; name a file with --db", path,
			S_ISDIR(status.st_mode) ? "a folder" : "not a regular file");
	return 0;
}

/* Nothing the file holds may run code of its own or reach outside. */
static int database_open(sqlite3 **db, const char *name, int flags)
{
	static const struct {
		int option, value;
	} guards[] = {
		{SQLITE_DBCONFIG_DEFENSIVE, 1},
		{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
		{SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
		{SQLITE_DBCONFIG_ENABLE_VIEW, 0},
		{SQLITE_DBCONFIG_ENABLE_FKEY, 1},
	};
	int code = sqlite3_open_v2(name, db, flags | SQLITE_OPEN_EXRESCODE, NULL);

	for (size_t i = 0; !code && i < sizeof guards / sizeof *guards; i++)
		code = sqlite3_db_config(*db, guards[i].option, guards[i].value, NULL);
	return code ? code : sqlite3_busy_timeout(*db, BUSY_MS);
}

static int file_open(struct store *store, enum store_mode mode, struct err *err)
{
	/* A reader must be able to undo what a killed writer left, so it too opens for writing. */
	int flags = SQLITE_OPEN_READWRITE | (mode == STORE_WRITE ? SQLITE_OPEN_CREATE : 0);
	struct str name = {0};
	int code;

	/* "file:x" and ":memory:" are file names here, not SQLite's own language. */
	str_addf(&name, "%s%s", *store->path == '/' ? "" : "./", store->path);
	code = database_open(&store->db, name.text, flags);
	str_release(&name);
	return code ? store_fail(store, "open the store", err) : 0;
}

/* Reads through SQLite's own descriptor: closing one of ours would drop this process's locks. */
static int header_read(struct store *store, struct store_header *header, struct err *err)
{
	sqlite3_file *file = NULL;
	struct stat status;
	int code = sqlite3_file_control(store->db, "main", SQLITE_FCNTL_FILE_POINTER, &file);

	*header = (struct store_header){0};
	/* Not from SQLite, to which a file of one byte is empty. */
	if (stat(store->path, &status))
		return err_set(err, ERR_UNAVAILABLE, "%s: %s; make it accessible, " STORE_ELSEWHERE,
			store->path, strerror(errno));
	if (!code)
		code = file->pMethods->xRead(file, header->bytes, sizeof header->bytes, 0);
	if (code && code != SQLITE_IOERR_SHORT_READ)
		return err_set(err, ERR_UNAVAILABLE,
			"%s: cannot read the store: %s; check the disk, " STORE_ELSEWHERE,
			store->path, sqlite3_errstr(code));
	header->file_size = status.st_size;
	return 0;
}

static int store_run(struct store *store, const char *sql, const char *doing, struct err *err)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) ? store_fail(store, doing, err) : 0;
}

/* The one value of a PRAGMA as text, into `text`. */
static int pragma_read(struct store *store, const char *sql, char text[200], struct err *err)
{
	sqlite3_stmt *statement = NULL;
	int status = 0;

	if (sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL) ||
		sqlite3_step(statement) != SQLITE_ROW)
		status = store_fail(store, "read the store", err);
	else
		snprintf(text, 200, "%s", (const char *)sqlite3_column_text(statement, 0));
	sqlite3_finalize(statement);
	return status;
}

static int content_check(struct store *store, struct err *err)
{
	char found[200];

	if (pragma_read(store, "PRAGMA quick_check(1)", found, err))
		return -1;
	if (strcmp(found, "ok"))
		return err_set(err, ERR_UNAVAILABLE,
			"%s: damaged: %s; move it away, " STORE_ELSEWHERE, store->path, found);
	return 0;
}

/* Whether the file is a store of ours, and whole; `*version` is its schema's. */
static int file_check(struct store *store, int *version, struct err *err)
{
	struct store_header header;
	int status = -1;

	/* Before SQLite looks at it: a foreign file's journal is not ours to play back. */
	if (header_read(store, &header, err) || store_file_version(&header, store->path, err) < 0)
		return -1;
	/* And again under a lock, when no other process is in the middle of a change. */
	if (store_run(store, "BEGIN; SELECT 1 FROM sqlite_schema", "read the store", err) ||
		header_read(store, &header, err))
		goto out;
	*version = store_file_version(&header, store->path, err);
	if (*version >= 0 && !store_file_whole(&header, store->path, err))
		status = content_check(store, err);
out:
	sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

/* A reader brings what is older up to date in a copy, for it never writes. */
static int move_to_memory(struct store *store, struct err *err)
{
	sqlite3 *file = store->db;
	sqlite3_backup *backup;
	int code;

	store->db = NULL;
	code = database_open(&store->db, ":memory:", SQLITE_OPEN_READWRITE);
	backup = code ? NULL : sqlite3_backup_init(store->db, "main", file, "main");
	if (backup) {
		sqlite3_backup_step(backup, -1);
		code = sqlite3_backup_finish(backup);
	}
	sqlite3_close(file);
	return !backup || code ? store_fail(store, "copy the store", err) : 0;
}

static int change_begin(struct store *store, struct err *err)
{
	return store_run(store, "BEGIN IMMEDIATE", "change the store", err);
}

/* Keeps the change when `status` is 0, else undoes it. */
static int change_end(struct store *store, int status, struct err *err)
{
	if (!status)
		status = store_run(store, "COMMIT", "change the store", err);
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
	return status;
}

static int store_migrate(struct store *store, struct err *err)
{
	char text[200], pragmas[100];
	int status;

	if (change_begin(store, err))
		return -1;
	/* Another process may have been quicker. */
	status = pragma_read(store, "PRAGMA user_version", text, err);
	for (int version = status ? 0 : atoi(text); !status && version < STORE_SCHEMA; version++) {
		snprintf(pragmas, sizeof pragmas,
			"PRAGMA application_id = %d; PRAGMA user_version = %d", STORE_APPLICATION,
			version + 1);
		status = store_run(store, store_steps[version], "make the schema", err);
		if (!status)
			status = store_run(store, pragmas, "make the schema", err);
	}
	return change_end(store, status, err);
}

/* Whether changes will be possible: better said now than after an hour of tuning. */
static int writable_check(const struct store *store, struct err *err)
{
	if (sqlite3_db_readonly(store->db, "main"))
		return err_set(err, ERR_UNAVAILABLE,
			"%s: read-only; make it writable, " STORE_ELSEWHERE, store->path);
	return folder_check(store->path, sqlite3_db_filename(store->db, "main"), err);
}

static int store_prepare(struct store *store, struct err *err)
{
	for (int i = 0; i < STATEMENT_COUNT; i++)
		if (sqlite3_prepare_v3(store->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT,
			    &store->statements[i], NULL))
			return store_fail(store, "use the schema", err);
	return 0;
}

static int store_start(struct store *store, enum store_mode mode, struct err *err)
{
	int version;

	if (path_check(store->path, mode, err) || file_open(store, mode, err) ||
		file_check(store, &version, err))
		return -1;
	if (mode == STORE_WRITE && writable_check(store, err))
		return -1;
	if (mode == STORE_READ && version < STORE_SCHEMA && move_to_memory(store, err))
		return -1;
	if (version < STORE_SCHEMA && store_migrate(store, err))
		return -1;
	if (store_run(store,
		    mode == STORE_READ ? "PRAGMA query_only = ON" : "PRAGMA synchronous = FULL",
		    "set up the store", err))
		return -1;
	return store_prepare(store, err);
}

struct store *store_open(const char *path, enum store_mode mode, struct err *err)
{
	struct store *store = mem_new(1, sizeof *store, "the store", err);

	if (!store)
		return NULL;
	store->path = str_copy(path);
	if (!store_start(store, mode, err))
		return store;
	store_close(store);
	return NULL;
}

void store_close(struct store *store)
{
	if (!store)
		return;
	for (int i = 0; i < STATEMENT_COUNT; i++)
		sqlite3_finalize(store->statements[i]);
	sqlite3_close(store->db);
	free(store->path);
	mem_free(store);
}

/* --- binding --- */

static sqlite3_stmt *statement_take(struct store *store, enum statement which)
{
	sqlite3_stmt *statement = store->statements[which];

	if (sqlite3_stmt_busy(statement))
		bug("a store's reading was started within itself");
	sqlite3_clear_bindings(statement);
	return statement;
}

static int slot(sqlite3_stmt *statement, const char *name)
{
	int index = sqlite3_bind_parameter_index(statement, name);

	if (!index)
		bug("no parameter %s", name);
	return index;
}

/* `text` must live until the statement has run. */
static void put_text(sqlite3_stmt *statement, const char *name, const char *text)
{
	sqlite3_bind_text(statement, slot(statement, name), text, -1, SQLITE_STATIC);
}

static void put_integer(sqlite3_stmt *statement, const char *name, int64_t value)
{
	sqlite3_bind_int64(statement, slot(statement, name), value);
}

/* What is not a number becomes NULL. */
static void put_real(sqlite3_stmt *statement, const char *name, double value)
{
	sqlite3_bind_double(statement, slot(statement, name), value);
}

static void put_key(sqlite3_stmt *statement, const struct key *key)
{
	put_text(statement, ":device", key->device);
	put_text(statement, ":pass", pass_name(key->pass));
	put_text(statement, ":dtype", dtype_name(key->dtype));
	put_integer(statement, ":heads", key->heads);
	put_integer(statement, ":dim", key->dim);
	put_integer(statement, ":window", key->window);
	put_integer(statement, ":tokens", key->tokens);
	put_integer(statement, ":longest", key->longest);
	put_text(statement, ":cache", key->cold ? "cold" : "hot");
}

/* Runs a statement that returns no rows. */
static int statement_run(struct store *store, sqlite3_stmt *statement, struct err *err)
{
	int status = 0;

	if (sqlite3_step(statement) != SQLITE_DONE)
		status = store_fail(store, "change the store", err);
	sqlite3_reset(statement);
	return status;
}

/* --- changing --- */

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

/* --- reading --- */

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

/* Ends a reading; `code` is what its last step said. */
static int rows_end(struct store *store, sqlite3_stmt *rows, int code, struct err *err)
{
	int status = code == SQLITE_ROW || code == SQLITE_DONE
			     ? 0
			     : store_fail(store, "read the store", err);

	sqlite3_reset(rows);
	return status;
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
