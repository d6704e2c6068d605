/* Whole files. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

/* Reads all of `path` ("-": standard input) of at most `limit` bytes onto `text`. */
int file_read(const char *path, size_t limit, struct str *text, struct err *err);

/* Writes `count` bytes to `path` whole or not at all (a temporary file beside it, then rename);
 * "-" writes to standard output. Existing contents survive a failure. */
int file_write(const char *path, const void *bytes, size_t count, struct err *err);

/* Creates the directory `path` where it is missing (its parent must exist). */
int file_make_dir(const char *path, struct err *err);

#endif
