#include "base/err.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* `text` is a copy: the arguments it was made of may point into `err->text`. */
static void err_write(struct err *err, const char *text)
{
	size_t i = 0;

	for (; text[i] && i < sizeof err->text - 1; i++)
		err->text[i] = iscntrl((unsigned char)text[i]) ? '?' : text[i];
	err->text[i] = '\0';
}

int err_set(struct err *err, enum err_kind kind, const char *format, ...)
{
	char text[sizeof err->text];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof text, format, args);
	va_end(args);
	err_write(err, text);
	err->kind = kind;
	return -1;
}

int err_prefix(struct err *err, const char *format, ...)
{
	char text[2 * sizeof err->text + 2];
	va_list args;
	size_t length;

	va_start(args, format);
	vsnprintf(text, sizeof err->text, format, args);
	va_end(args);
	length = strlen(text);
	snprintf(text + length, sizeof text - length, ": %s", err->text);
	err_write(err, text);
	return -1;
}

void bug_at(const char *file, int line, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	fprintf(stderr, "%s:%d: bug: ", file, line);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
	va_end(args);
	abort();
}
