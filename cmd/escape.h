/* One character that a format gives a meaning, written so that it has none. */
#ifndef CMD_ESCAPE_H
#define CMD_ESCAPE_H

#include "base/str.h"

/* Adds `text` with `instead` for each `special`. */
void escape_add(struct str *str, const char *text, char special, const char *instead);

#endif
