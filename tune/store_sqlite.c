#include "tune/store_sqlite.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"

/* What SQLite says, in words and with a remedy. */
struct ailment {
	int code; /* an extended code before its primary one */
	const char *words, *remedy;
};

#define NO_LOCKS "its file system cannot lock files", "keep it on a local disk"

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
	{SQLITE_PERM, NO_LOCKS},
	{SQLITE_IOERR_LOCK, NO_LOCKS},
	{SQLITE_IOERR_RDLOCK, NO_LOCKS},
	{SQLITE_IOERR_UNLOCK, NO_LOCKS},
	{SQLITE_IOERR_CHECKRESERVEDLOCK, NO_LOCKS},
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

int store_fail(const struct store *store, const char *doing, struct err *err)
{
	/* A lock server that is out of reach looks like a busy file to SQLite. */
	bool no_locks = errno == ENOLCK;
	int found = sqlite3_extended_errcode(store->db);
	int code = found == SQLITE_BUSY && no_locks ? SQLITE_IOERR_LOCK : found;
	const struct ailment *ailment = ailment_find(code);
	const char *words = ailment->words ? ailment->words : sqlite3_errmsg(store->db);
	/* SQLite keeps the system's reason for no other kind of failure dependably. */
	bool by_system = (code & 0xff) == SQLITE_CANTOPEN && sqlite3_system_errno(store->db);

	return err_set(err, ERR_UNAVAILABLE, "%s: cannot %s: %s%s%s%s; %s, " STORE_ELSEWHERE,
		store->path, doing, words, by_system ? " (" : "",
		by_system ? strerror(sqlite3_system_errno(store->db)) : "", by_system ? ")" : "",
		ailment->remedy);
}

int refuse_row(const struct store *store, const char *whose, const char *what, const char *found,
	struct err *err)
{
	return err_set(err, ERR_UNAVAILABLE,
		"%s: damaged: %s has the %s '%.60s'; move it away, " STORE_ELSEWHERE, store->path,
		whose, what, found);
}

int store_run(struct store *store, const char *sql, const char *doing, struct err *err)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) ? store_fail(store, doing, err) : 0;
}

int database_copy(sqlite3 *to, const char *name, sqlite3 *from)
{
	sqlite3_backup *backup = sqlite3_backup_init(to, name, from, "main");

	if (!backup)
		return sqlite3_errcode(to);
	sqlite3_backup_step(backup, -1);
	return sqlite3_backup_finish(backup);
}

int change_begin(struct store *store, struct err *err)
{
	return store_run(store, "BEGIN IMMEDIATE", "change the store", err);
}

void change_undo(struct store *store)
{
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
}

int change_end(struct store *store, int status, struct err *err)
{
	if (!status)
		status = store_run(store, "COMMIT", "change the store", err);
	change_undo(store);
	return status;
}

sqlite3_stmt *statement_take(struct store *store, enum statement which)
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

void put_text(sqlite3_stmt *statement, const char *name, const char *text)
{
	sqlite3_bind_text(statement, slot(statement, name), text, -1, SQLITE_TRANSIENT);
}

void put_integer(sqlite3_stmt *statement, const char *name, int64_t value)
{
	sqlite3_bind_int64(statement, slot(statement, name), value);
}

void put_real(sqlite3_stmt *statement, const char *name, double value)
{
	sqlite3_bind_double(statement, slot(statement, name), value);
}

void put_build(sqlite3_stmt *statement, const struct device_info *device)
{
	put_text(statement, ":code", device->code);
	put_text(statement, ":compiler", device->compiler);
}

void put_seed(sqlite3_stmt *statement, uint64_t seed)
{
	char text[24];

	snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
	put_text(statement, ":seed", text);
}

void put_now(sqlite3_stmt *statement, const char *name)
{
	char text[32];

	put_text(statement, name, clock_utc(text));
}

const char *get_text(sqlite3_stmt *row, int column)
{
	const unsigned char *text = sqlite3_column_text(row, column);

	return text ? (const char *)text : "";
}

double get_real(sqlite3_stmt *row, int column)
{
	return sqlite3_column_type(row, column) == SQLITE_NULL ? NAN
							       : sqlite3_column_double(row, column);
}

int name_find(const char *wanted, const char *const *names, int count)
{
	for (int i = 0; i < count; i++)
		if (!strcmp(names[i], wanted))
			return i;
	return -1;
}

int statement_run(struct store *store, sqlite3_stmt *statement, struct err *err)
{
	int status = 0;

	if (sqlite3_step(statement) != SQLITE_DONE)
		status = store_fail(store, "change the store", err);
	sqlite3_reset(statement);
	return status;
}

int rows_end(struct store *store, sqlite3_stmt *rows, int code, struct err *err)
{
	int status = code == SQLITE_ROW || code == SQLITE_DONE
			     ? 0
			     : store_fail(store, "read the store", err);

	sqlite3_reset(rows);
	return status;
}
