/* Lengths from a JSON array. */
#ifndef DATA_LENS_JSON_H
#define DATA_LENS_JSON_H

#include "data/lens.h"

/* Appends the whole, non-negative numbers of the one JSON array in `text`; anything else fails
 * with ERR_USAGE naming `path` and the element. */
int lens_parse_json(struct lens *lens, const char *text, const char *path, struct err *err);

#endif
