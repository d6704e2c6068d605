#include "tune/store.h"

#include <errno.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"
#include "tune/store_file.h"
#include "tune/store_owner.h"
#include "tune/store_schema.h"
#include "tune/store_sqlite.h"

_Static_assert(SQLITE_VERSION_NUMBER >= 3037000, "STRICT tables need SQLite 3.37");

#define BUSY_MS 10000

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
	int code;

	store->db = NULL;
	code = database_open(&store->db, ":memory:", SQLITE_OPEN_READWRITE);
	if (!code)
		code = database_copy(store->db, "main", file);
	sqlite3_close(file);
	return code ? store_fail(store, "copy the store", err) : 0;
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
	if (owner_function(store->db))
		return store_fail(store, "set up the store", err);
	for (int i = 0; i < STATEMENT_COUNT; i++)
		if (sqlite3_prepare_v3(store->db, store_statements[i], -1,
			    SQLITE_PREPARE_PERSISTENT, &store->statements[i], NULL))
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
