#include "tune/store_sqlite.h"

#include <stdbool.h>
#include <string.h>

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

int store_fail(const struct store *store, const char *doing, struct err *err)
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

int store_run(struct store *store, const char *sql, const char *doing, struct err *err)
{
	return sqlite3_exec(store->db, sql, NULL, NULL, NULL) ? store_fail(store, doing, err) : 0;
}

int change_begin(struct store *store, struct err *err)
{
	return store_run(store, "BEGIN IMMEDIATE", "change the store", err);
}

int change_end(struct store *store, int status, struct err *err)
{
	if (!status)
		status = store_run(store, "COMMIT", "change the store", err);
	if (!sqlite3_get_autocommit(store->db))
		sqlite3_exec(store->db, "ROLLBACK", NULL, NULL, NULL);
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
	sqlite3_bind_text(statement, slot(statement, name), text, -1, SQLITE_STATIC);
}

void put_integer(sqlite3_stmt *statement, const char *name, int64_t value)
{
	sqlite3_bind_int64(statement, slot(statement, name), value);
}

void put_real(sqlite3_stmt *statement, const char *name, double value)
{
	sqlite3_bind_double(statement, slot(statement, name), value);
}

void put_key(sqlite3_stmt *statement, const struct key *key)
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
