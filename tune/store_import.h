/* Merging another machine's store into this one. */
#ifndef TUNE_STORE_IMPORT_H
#define TUNE_STORE_IMPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "tune/store.h"

struct import_counts {
	int64_t trials_new, trials_known;
	/* Rankings: of shapes and builds without one, better than the one here, and not. */
	int64_t winners_new, winners_replaced, winners_kept;
};

/* Takes over the trials of the store at `path` that are not yet here, and its rankings where they
 * go before what is here (docs/store.md, "Merging"). The result does not depend on the order in
 * which files are imported. All or nothing: on failure, and with `dry_run`, which only counts,
 * `store` stays as it is. A file that store_open would refuse is refused the same way. */
int store_import(struct store *store, const char *path, bool dry_run, struct import_counts *counts,
	struct err *err);

#endif
