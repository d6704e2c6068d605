#include "base/str.h"

#include <ctype.h>
#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/err.h"

/* Room for `count` more bytes and the NUL. */
static void str_reserve(struct str *str, size_t count)
{
	size_t need = str->length + count + 1;
	size_t room = str->room ? str->room : 64;
	char *text;

	if (need <= str->room)
		return;
	while (room < need)
		room *= 2;
	text = realloc(str->text, room);
	if (!text)
		bug("no memory for %zu bytes of text", room);
	str->text = text;
	str->room = room;
}

void str_add_bytes(struct str *str, const char *bytes, size_t count)
{
	str_reserve(str, count);
	if (count)
		memcpy(str->text + str->length, bytes, count);
	str->length += count;
	str->text[str->length] = '\0';
}

void str_add(struct str *str, const char *text)
{
	str_add_bytes(str, text, strlen(text));
}

void str_addf(struct str *str, const char *format, ...)
{
	va_list args, again;
	int count;

	va_start(args, format);
	va_copy(again, args);
	count = vsnprintf(NULL, 0, format, args);
	if (count < 0)
		bug("format '%s' cannot be written", format);
	str_reserve(str, (size_t)count);
	vsnprintf(str->text + str->length, (size_t)count + 1, format, again);
	str->length += (size_t)count;
	va_end(again);
	va_end(args);
}

void str_release(struct str *str)
{
	free(str->text);
	*str = (struct str){0};
}

char *str_copy(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		bug("no memory for %zu bytes of text", strlen(text) + 1);
	return copy;
}

bool str_to_int(const char *text, int64_t *value)
{
	char *end;
	long long parsed;

	if (!isdigit((unsigned char)text[*text == '-']))
		return false;
	errno = 0;
	parsed = strtoll(text, &end, 10);
	if (errno || *end)
		return false;
	*value = parsed;
	return true;
}

bool str_to_double(const char *text, double *value)
{
	const char *first = text + (*text == '-');
	char *end;
	double parsed;

	/* strtod also reads white space, '+', hexadecimal, "inf" and "nan". */
	if (!isdigit((unsigned char)first[*first == '.']) || strpbrk(text, "xX"))
		return false;
	parsed = strtod(text, &end);
	if (*end || !isfinite(parsed))
		return false;
	*value = parsed;
	return true;
}

bool str_matches(const char *pattern, const char *text)
{
	return fnmatch(pattern, text, 0) == 0;
}

int str_each(const char *list, int (*item)(void *context, const char *piece), void *context)
{
	char *copy = str_copy(list), *rest = copy, *piece;
	int result = 0;

	while (!result && (piece = strsep(&rest, ",")))
		result = item(context, piece);
	free(copy);
	return result;
}

const char *str_bytes(int64_t bytes, char text[32])
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
	double value = (double)bytes;
	int unit = 0;

	/* 1023.95 would be written "1024.0". */
	for (; value >= (unit ? 1023.95 : 1024.0); unit++)
		value /= 1024.0;
	snprintf(text, 32, "%.*f %s", unit > 0, value, units[unit]);
	return text;
}
