/* Any file at all, opened as a store: refused or read, never a crash, never written to. Seeds are
 * stores, such as the tuning.db of the root. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tune/store.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char path[] = "/dev/shm/fuzz_store-XXXXXX";

static int touch_row(void *context, const struct stored *stored)
{
	double *sum = context;

	for (int i = 0; i < stored->sample_count; i++)
		*sum += stored->samples[i];
	return 0;
}

static void read_all(void)
{
	struct err err = {0};
	struct store *store = store_open(path, STORE_READ, &err);
	struct key key = {.heads = 12, .dim = 64};
	double sum = 0;

	if (!store && (err.kind != ERR_UNAVAILABLE || !*err.text))
		bug("refused without a word");
	if (store) {
		store_each(store, true, touch_row, &sum, &err);
		store_ranking(store, &key, touch_row, &sum, &err);
	}
	store_close(store);
}

static void remove_file(void)
{
	unlink(path);
}

/* One file for all inputs, in memory. */
static int file_take(void)
{
	static int file = -1;

	if (file < 0) {
		file = mkstemp(path);
		atexit(remove_file);
	}
	return file;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	int file = file_take();

	if (file < 0 || ftruncate(file, 0) || pwrite(file, bytes, size, 0) != (ssize_t)size)
		bug("cannot write %s", path);
	read_all();
	if (lseek(file, 0, SEEK_END) != (off_t)size)
		bug("a reader changed the file");
	return 0;
}
