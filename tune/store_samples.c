#include "tune/store_samples.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define ALL_MARKS (MARK_CONTENDED | MARK_THROTTLED)

/* The shortest digits that read back as the same number. */
static void add_number(struct str *text, double value)
{
	char digits[32];

	for (int precision = 1; precision <= 17; precision++) {
		snprintf(digits, sizeof digits, "%.*g", precision, value);
		if (strtod(digits, NULL) == value)
			break;
	}
	str_add(text, digits);
}

void put_samples(sqlite3_stmt *statement, const struct trial *trial)
{
	struct str seconds = {0}, marks = {0};

	str_add(&seconds, "[");
	str_add(&marks, "");
	for (int i = 0; i < trial->sample_count; i++) {
		if (i)
			str_add(&seconds, ",");
		add_number(&seconds, trial->samples[i]);
		str_addf(&marks, "%d", trial->marks ? trial->marks[i] & ALL_MARKS : 0);
	}
	str_add(&seconds, "]");
	put_text(statement, ":samples", seconds.text);
	put_text(statement, ":marks", marks.text);
	put_integer(statement, ":sample_count", trial->sample_count);
	str_release(&seconds);
	str_release(&marks);
}

/* With strtod, since SQLite's numbers may be off in the last bit. */
static bool parse_seconds(const char *text, double *seconds, int count)
{
	for (int i = 0; i < count; i++) {
		char *end;

		text += strspn(text, "[, \t\r\n");
		seconds[i] = strtod(text, &end);
		if (end == text)
			return false;
		text = end;
	}
	return true;
}

static bool parse_marks(const char *text, unsigned char *marks, int count)
{
	for (int i = 0; i < count; i++) {
		if (text[i] < '0' || text[i] > '0' + ALL_MARKS)
			return false;
		marks[i] = (unsigned char)(text[i] - '0');
	}
	return !text[count];
}

int samples_read(const struct store *store, const char *whose, const char *seconds,
	const char *marks, int count, struct samples *samples, struct err *err)
{
	/* No more than there are digits for, whatever a damaged row says. */
	if (count < 0 || (size_t)count > strlen(seconds))
		return refuse_row(store, whose, "samples", seconds, err);
	samples->count = count;
	samples->seconds = mem_new(count, sizeof *samples->seconds, "samples", err);
	samples->marks = mem_new(count, sizeof *samples->marks, "samples", err);
	if (!samples->seconds || !samples->marks)
		return -1;
	if (!parse_seconds(seconds, samples->seconds, count))
		return refuse_row(store, whose, "samples", seconds, err);
	if (!parse_marks(marks, samples->marks, count))
		return refuse_row(store, whose, "marks", marks, err);
	return 0;
}

void samples_release(struct samples *samples)
{
	mem_free(samples->seconds);
	mem_free(samples->marks);
	*samples = (struct samples){0};
}
