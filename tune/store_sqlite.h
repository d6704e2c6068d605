/* What the files of the store share: the open database, its statements, and failures in words. */
#ifndef TUNE_STORE_SQLITE_H
#define TUNE_STORE_SQLITE_H

#include <sqlite3.h>
#include <stdint.h>

#include "base/err.h"
#include "tune/key.h"
#include "tune/store.h"
#include "tune/store_file.h"
#include "tune/store_statements.h"

struct store {
	char *path; /* as given */
	sqlite3 *db;
	sqlite3_stmt *statements[STATEMENT_COUNT];
};

/* Fills `err` for the failure of the last call into SQLite; -1. */
int store_fail(const struct store *store, const char *doing, struct err *err);

/* Runs `sql`, which may be several statements. */
int store_run(struct store *store, const char *sql, const char *doing, struct err *err);

/* A change is one transaction: change_end keeps it when `status` is 0, else undoes it. */
int change_begin(struct store *store, struct err *err);
int change_end(struct store *store, int status, struct err *err);

/* A prepared statement without bindings, not to be taken again before it has ended. */
sqlite3_stmt *statement_take(struct store *store, enum statement which);

/* Bind a parameter by name. `text` must live until the statement has run; a real that is not a
 * number becomes NULL. */
void put_text(sqlite3_stmt *statement, const char *name, const char *text);
void put_integer(sqlite3_stmt *statement, const char *name, int64_t value);
void put_real(sqlite3_stmt *statement, const char *name, double value);
void put_key(sqlite3_stmt *statement, const struct key *key);

/* Runs a statement that returns no rows, and ends it. */
int statement_run(struct store *store, sqlite3_stmt *statement, struct err *err);

/* Ends a statement that returns rows; `code` is what its last step said. */
int rows_end(struct store *store, sqlite3_stmt *rows, int code, struct err *err);

#endif
