/* The formats a report is written in, one file each. */
#ifndef CMD_FORMAT_H
#define CMD_FORMAT_H

#include "base/str.h"
#include "tune/report.h"

struct format {
	const char *name; /* what --format takes */
	void (*write)(const struct report *report, struct str *text);
};

extern const struct format formats[];
extern const int format_count;

void json_write(const struct report *report, struct str *text); /* data/report.schema.json */
void csv_write(const struct report *report, struct str *text);  /* RFC 4180, a row a finding */
void md_write(const struct report *report, struct str *text);   /* a Markdown table */

/* "f32, window 64, forward". Returns `text`. */
const char *place_name(const struct key *key, char text[64]);
/* What follows a noun that is counted: "" or "s". */
const char *plural(int64_t count);
/* "cold" or "hot". */
const char *mode_name(bool cold);
/* Interquartile range over the median; 0 when not timed. */
double stats_spread(const struct stats *stats);

#endif
