/* Which process a row belongs to, and whether that one still lives. */
#ifndef TUNE_STORE_OWNER_H
#define TUNE_STORE_OWNER_H

#include <sqlite3.h>

#define OWNER_SIZE 128

/* This process in words: boot, number and start. No other has them. */
void owner_name(char text[OWNER_SIZE]);

/* Gives SQL on `db` is_gone(owner): whether that process has ended. One of another boot has, one in
 * another container may seem to. */
int owner_function(sqlite3 *db);

#endif
