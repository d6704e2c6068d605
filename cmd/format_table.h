/* Tables for people, at most 100 columns wide. */
#ifndef CMD_FORMAT_TABLE_H
#define CMD_FORMAT_TABLE_H

#include <stdbool.h>

#include "base/str.h"
#include "tune/report.h"

/* What everything below was measured on. */
void table_device(const struct device_info *device, bool colour, struct str *text);
/* The times of one contest, best first, then what was not timed and why. */
void table_entry(const struct entry *entry, bool colour, struct str *text);

/* Checks against the oracle: a head line, then a line a schedule, with the worst element of each
 * tensor that is wrong. */
void checks_head(bool colour, struct str *text);
void checks_trial(
	const struct problem *problem, const struct trial *trial, bool colour, struct str *text);

#endif
