/* What the first bytes of a file say: whether it is a store, of which version, and whole
 * (https://sqlite.org/fileformat2.html#the_database_header). */
#ifndef TUNE_STORE_FILE_H
#define TUNE_STORE_FILE_H

#include <stdint.h>

#include "base/err.h"

#define STORE_HEADER_SIZE 100
#define STORE_APPLICATION 0x5041544e /* "PATN", PRAGMA application_id */

/* The remedy that always works, last in every message about the file. */
#define STORE_ELSEWHERE "or name another file with --db"

/* The start of a file; bytes past its end are zero. */
struct store_header {
	unsigned char bytes[STORE_HEADER_SIZE];
	int64_t file_size;
};

/* The version of the store's schema, 0 for an empty file; -1 when this build must not touch it. */
int store_file_version(const struct store_header *header, const char *path, struct err *err);

/* Fails when the file is shorter than its header says. Between changes only: a change that
 * another process is writing looks like damage. */
int store_file_whole(const struct store_header *header, const char *path, struct err *err);

#endif
