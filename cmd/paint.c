#include "cmd/paint.h"

#include <stdarg.h>
#include <stdio.h>

static const char *const codes[] = {
	[PAINT_PLAIN] = "",
	[PAINT_BOLD] = "\033[1m",
	[PAINT_DIM] = "\033[2m",
	[PAINT_GOOD] = "\033[32m",
	[PAINT_BAD] = "\033[31m",
};

void paint_add(struct str *str, bool colour, enum paint paint, const char *format, ...)
{
	bool painted = colour && paint != PAINT_PLAIN;
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	if (painted)
		str_add(str, codes[paint]);
	str_add(str, text);
	if (painted)
		str_add(str, "\033[0m");
}
