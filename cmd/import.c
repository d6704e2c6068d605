#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/options.h"
#include "cmd/output.h"
#include "tune/store_import.h"

/* An empty store in a folder of its own: what a dry run compares with where there is none. */
struct stand_in {
	char folder[PATH_MAX];
	char file[PATH_MAX + 16];
};

static struct store *stand_in_open(struct stand_in *stand_in, struct err *err)
{
	const char *place = getenv("TMPDIR");

	snprintf(stand_in->folder, sizeof stand_in->folder, "%s/pattn-XXXXXX",
		place && *place ? place : "/tmp");
	if (!mkdtemp(stand_in->folder)) {
		err_set(err, ERR_UNAVAILABLE, "cannot make %s: %s; name another place with TMPDIR",
			stand_in->folder, strerror(errno));
		*stand_in->folder = '\0';
		return NULL;
	}
	snprintf(stand_in->file, sizeof stand_in->file, "%s/tuning.db", stand_in->folder);
	return store_open(stand_in->file, STORE_WRITE, err);
}

static void stand_in_remove(const struct stand_in *stand_in)
{
	if (!*stand_in->folder)
		return;
	unlink(stand_in->file);
	rmdir(stand_in->folder);
}

static void show_counts(const char *path, const struct import_counts *counts)
{
	struct str text = {0};

	str_addf(&text,
		"%s: trials: %lld new, %lld known; winners: %lld new, %lld replaced, %lld kept\n",
		path, (long long)counts->trials_new, (long long)counts->trials_known,
		(long long)counts->winners_new, (long long)counts->winners_replaced,
		(long long)counts->winners_kept);
	out(text.text);
	str_release(&text);
}

static int import_each(struct store *store, const struct options *options, bool dry_run, bool shown,
	struct err *err)
{
	for (int i = 0; i < options->operand_count; i++) {
		struct import_counts counts;

		if (store_import(store, options->operands[i], dry_run, &counts, err))
			return -1;
		if (shown)
			show_counts(options->operands[i], &counts);
	}
	return 0;
}

int import_run(const struct options *options, struct err *err)
{
	bool stands_in = options->dry_run && access(options->db, F_OK) && errno == ENOENT;
	struct stand_in stand_in = {0};
	struct store *store = stands_in ? stand_in_open(&stand_in, err)
					: store_open(options->db, STORE_WRITE, err);
	int result = -1;

	/* All files are looked at before one of them changes anything. */
	if (store && !import_each(store, options, true, options->dry_run, err))
		result = options->dry_run ? 0 : import_each(store, options, false, true, err);
	store_close(store);
	stand_in_remove(&stand_in);
	return result;
}
