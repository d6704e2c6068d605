#include "tune/store_import.h"

#include <string.h>

#include "tune/store_merge.h"
#include "tune/store_sqlite.h"

/* Of a failure of store_open, only what is wrong: its remedy is for the store of one's own. */
static int refuse_file(struct err *err)
{
	struct err why = *err;
	char *remedy = strrchr(why.text, ';');

	if (remedy)
		*remedy = '\0';
	return err_set(err, why.kind, "%s; nothing is imported", why.text);
}

static int refuse_content(const char *path, const char *what, struct err *err)
{
	return err_set(err, ERR_UNAVAILABLE, "%s: damaged: %s; nothing is imported", path, what);
}

static int pass_over(void *context, const struct stored *stored)
{
	(void)context;
	(void)stored;
	return 0;
}

/* Copies a store that is whole, every row of it understood, into memory as the database `source`
 * beside this one. */
static int source_attach(struct store *store, const char *path, struct err *err)
{
	struct store *file = store_open(path, STORE_READ, err);
	int status = -1;

	if (!file || store_each(file, true, pass_over, NULL, err) < 0) {
		refuse_file(err);
		goto out;
	}
	if (store_run(store, "ATTACH ':memory:' AS source", "import", err))
		goto out;
	if (database_copy(store->db, "source", file->db))
		store_fail(store, "import", err);
	else
		status = 0;
out:
	store_close(file);
	return status;
}

/* What cannot be taken over is the file's fault, what cannot be written the store's. */
static int step_fail(struct store *store, const char *path, struct err *err)
{
	switch (sqlite3_errcode(store->db) & 0xff) {
	case SQLITE_ERROR:
	case SQLITE_CONSTRAINT:
	case SQLITE_MISMATCH: return refuse_content(path, sqlite3_errmsg(store->db), err);
	default: return store_fail(store, "import", err);
	}
}

/* Runs one statement; `*count` becomes the rows it changed or the number it found. */
static int step_run(
	struct store *store, const char *sql, const char *path, int64_t *count, struct err *err)
{
	sqlite3_stmt *statement = NULL;
	int code = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);

	if (!code && sqlite3_bind_parameter_count(statement))
		put_text(statement, ":path", path);
	if (!code)
		code = sqlite3_step(statement);
	if (code == SQLITE_ROW)
		*count = sqlite3_column_int64(statement, 0);
	else if (code == SQLITE_DONE)
		*count = sqlite3_changes64(store->db);
	else
		step_fail(store, path, err);
	sqlite3_finalize(statement);
	return code == SQLITE_ROW || code == SQLITE_DONE ? 0 : -1;
}

/* Whether it makes sense, by itself and beside what is here. */
static int source_check(struct store *store, const char *path, struct err *err)
{
	sqlite3_stmt *faults = NULL;
	int code = sqlite3_prepare_v2(store->db, merge_check, -1, &faults, NULL);

	if (!code)
		code = sqlite3_step(faults);
	if (code == SQLITE_ROW)
		refuse_content(path, get_text(faults, 0), err);
	else if (code != SQLITE_DONE)
		step_fail(store, path, err);
	sqlite3_finalize(faults);
	return code == SQLITE_DONE ? 0 : -1;
}

static int source_merge(
	struct store *store, const char *path, struct import_counts *counts, struct err *err)
{
	int status = source_check(store, path, err);

	for (size_t i = 0; !status && i < sizeof merge_steps / sizeof *merge_steps; i++) {
		int64_t uncounted, *count = &uncounted;

		if (merge_steps[i].count != UNCOUNTED)
			count = (int64_t *)((char *)counts + merge_steps[i].count);
		status = step_run(store, merge_steps[i].sql, path, count, err);
	}
	return status;
}

int store_import(struct store *store, const char *path, bool dry_run, struct import_counts *counts,
	struct err *err)
{
	int status = source_attach(store, path, err);

	*counts = (struct import_counts){0};
	if (!status)
		status = change_begin(store, err);
	if (status)
		goto out;
	status = source_merge(store, path, counts, err);
	if (dry_run)
		change_undo(store);
	else
		status = change_end(store, status, err);
out:
	sqlite3_exec(store->db, "DETACH source", NULL, NULL, NULL);
	return status;
}
