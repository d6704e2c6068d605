/* What the files of the store share: the open database, its statements, and failures in words. */
#ifndef TUNE_STORE_SQLITE_H
#define TUNE_STORE_SQLITE_H

#include <sqlite3.h>
#include <stdbool.h>
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

/* The same, -1 and ERR_UNAVAILABLE, for a value that no build wrote. */
int refuse_row(const struct store *store, const char *whose, const char *what, const char *found,
	struct err *err);

/* Runs `sql`, which may be several statements. */
int store_run(struct store *store, const char *sql, const char *doing, struct err *err);

/* A change is one transaction: change_end keeps it when `status` is 0, else undoes it. */
int change_begin(struct store *store, struct err *err);
int change_end(struct store *store, int status, struct err *err);
void change_undo(struct store *store);

/* A prepared statement without bindings, not to be taken again before it has ended. */
sqlite3_stmt *statement_take(struct store *store, enum statement which);

/* Copies a whole database over the one that `to` calls `name`; a code of SQLite's. */
int database_copy(sqlite3 *to, const char *name, sqlite3 *from);

/* Bind a parameter by name. A real that is not a number becomes NULL. */
void put_text(sqlite3_stmt *statement, const char *name, const char *text);
void put_integer(sqlite3_stmt *statement, const char *name, int64_t value);
void put_real(sqlite3_stmt *statement, const char *name, double value);
void put_build(sqlite3_stmt *statement, const struct device_info *device);
void put_seed(sqlite3_stmt *statement, uint64_t seed);
void put_now(sqlite3_stmt *statement, const char *name);

/* A column's value; NULL is "" and not a number. */
const char *get_text(sqlite3_stmt *row, int column);
double get_real(sqlite3_stmt *row, int column);

/* Which of `names` it is; -1 when none. */
int name_find(const char *wanted, const char *const *names, int count);

/* Drops what this process has in flight of `key`, and with `gone_too` what ended ones had. */
int checkpoints_drop(struct store *store, const struct key *key, bool gone_too, struct err *err);

/* Runs a statement that returns no rows, and ends it. */
int statement_run(struct store *store, sqlite3_stmt *statement, struct err *err);

/* Ends a statement that returns rows; `code` is what its last step said. */
int rows_end(struct store *store, sqlite3_stmt *rows, int code, struct err *err);

#endif
