/* Colours of a terminal. */
#ifndef CMD_PAINT_H
#define CMD_PAINT_H

#include <stdbool.h>

#include "base/str.h"

enum paint { PAINT_PLAIN, PAINT_BOLD, PAINT_DIM, PAINT_GOOD, PAINT_BAD };

/* Adds text in a colour, or as it is when there is no `colour`; widths are those of the text. */
void paint_add(struct str *str, bool colour, enum paint paint, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
