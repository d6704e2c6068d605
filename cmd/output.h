/* Standard output: data, and whether it arrived. */
#ifndef CMD_OUTPUT_H
#define CMD_OUTPUT_H

#include <stdbool.h>

#include "base/err.h"

/* Writes `text`; a failure is remembered until out_flush. */
void out(const char *text);
/* Hands over what was written; -1 and ERR_UNAVAILABLE when any of it could not be. */
int out_flush(struct err *err);
/* Whether standard output is a terminal that shows colours. */
bool out_has_colour(void);

/* Refuses what file_write could not write to, before there is anything to write. */
int out_check(const char *path, struct err *err);

#endif
