/* The rows that others hang on: device, shape and workload. */
#ifndef TUNE_STORE_PLACE_H
#define TUNE_STORE_PLACE_H

#include "tune/store_sqlite.h"

/* Adds those of them that are missing. */
int place_add(struct store *store, const struct key *key, const struct problem *problem,
	const struct circumstances *circumstances, struct err *err);

/* Bind what names a shape, and a workload. */
void put_key(sqlite3_stmt *statement, const struct key *key);
void put_workload(sqlite3_stmt *statement, const char *lens, const struct problem *problem);

/* From the columns of a key, which come first in `row`. */
int key_read(const struct store *store, sqlite3_stmt *row, struct key *key, struct err *err);

#endif
