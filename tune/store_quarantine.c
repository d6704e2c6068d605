#include "tune/store_quarantine.h"

#include <stdio.h>

#include "tune/store_sqlite.h"

int store_quarantine(struct store *store, const struct key *key, const struct device_info *device,
	const struct schedule *schedule, struct quarantine *quarantine, struct err *err)
{
	sqlite3_stmt *rows = statement_take(store, READ_FAILURE);
	int code;

	put_text(rows, ":device", key->device);
	put_text(rows, ":pass", pass_name(key->pass));
	put_text(rows, ":dtype", dtype_name(key->dtype));
	put_text(rows, ":schedule", schedule->name);
	put_build(rows, device);
	code = sqlite3_step(rows);
	if (code == SQLITE_ROW) {
		/* The statement asks for no other outcomes than these. */
		outcome_find(get_text(rows, 0), &quarantine->outcome);
		snprintf(quarantine->why, sizeof quarantine->why, "%s", get_text(rows, 1));
		snprintf(quarantine->created, sizeof quarantine->created, "%s", get_text(rows, 2));
	}
	return rows_end(store, rows, code, err) ? -1 : code == SQLITE_ROW;
}
