/* Lengths from a file. */
#ifndef DATA_LENS_FILE_H
#define DATA_LENS_FILE_H

#include "data/lens.h"

/* Appends the lengths in the file `path` ("-": standard input), as data/lens.h describes it; at
 * least one. What is malformed fails with ERR_USAGE naming file and line. */
int lens_parse_file(struct lens *lens, const char *path, struct err *err);

#endif
