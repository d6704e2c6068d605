/* Any file at all, opened as a store and imported into one: refused or read, never a crash, and
 * neither file written to. An input that starts as a SQLite file does is the file; any other is a
 * list of bytes to change in a store that has something in every table. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "tune/store.h"
#include "tune/store_checkpoint.h"
#include "tune/store_import.h"
#include "tune/store_miss.h"
#include "tune/store_nearest.h"
#include "tune/store_quarantine.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static char fuzzed[] = "/dev/shm/fuzz_store-XXXXXX", target[] = "/dev/shm/fuzz_target-XXXXXX";

static const struct device_info device = {
	.name = "cpu", .model = "model", .architecture = "avx2", .code = "c0de", .compiler = "gcc"};
static const struct problem problem = {.heads = 2, .window = 8, .tokens = 149, .longest = 70};
static const struct protocol protocol = {.cold = true, .seed = 1};
static const struct circumstances circumstances = {&device, &protocol, "5,40,1,33,70", "0"};

static void check(bool well, const struct err *err)
{
	if (!well)
		bug("%s", err->text);
}

static struct store *open_well(const char *path, enum store_mode mode)
{
	struct err err;
	struct store *store = store_open(path, mode, &err);

	check(store, &err);
	return store;
}

/* A store with a ranking, a failure, a miss and a checkpoint. */
static void fill(const char *path)
{
	struct store *store = open_well(path, STORE_WRITE);
	struct trial trials[3] = {{.schedule = &schedules[0], .outcome = OUTCOME_OK, .batch = 1},
		{.schedule = &schedules[1],
			.outcome = OUTCOME_OK,
			.judged = true,
			.verdict.count = 2},
		{.schedule = &schedules[2], .outcome = OUTCOME_RUN_FAILED, .why = "SIGSEGV"}};
	struct contest contest = {.problem = &problem,
		.trials = trials,
		.count = 3,
		.ranking = (int[]){1, 0},
		.ranked = 2,
		.decision = DECISION_TIE};
	struct key key;
	struct err err;

	trials[1].verdict.judgements[1].judged = JUDGED_LSE;
	for (int i = 0; i < 5; i++)
		trial_add_sample(&trials[i % 2], 1e-3 * i, (unsigned char)(i % 4));
	key_make(&key, &device, &problem, PASS_FORWARD, true);
	check(!store_add_contest(store, &key, &contest, &circumstances, true, &err), &err);
	key.tokens *= 2;
	check(!store_add_miss(store, &key, &problem, &circumstances, &err), &err);
	check(!store_save_checkpoint(store, &key, &contest, &circumstances, &err), &err);
	store_close(store);
	for (int i = 0; i < 2; i++)
		trial_release(&trials[i]);
}

static struct str template; /* the bytes of such a store */
static struct store *into;  /* the one at `target` */

static void remove_files(void)
{
	store_close(into);
	unlink(fuzzed);
	unlink(target);
}

static void files_make(void)
{
	struct err err;

	if (template.text)
		return;
	close(mkstemp(fuzzed));
	close(mkstemp(target));
	atexit(remove_files);
	fill(fuzzed);
	fill(target);
	check(!file_read(fuzzed, 1 << 24, &template, &err), &err);
	into = open_well(target, STORE_WRITE);
}

/* What was seen last. */
struct seen {
	struct key key;
	double sum;
};

static int touch_row(void *context, const struct stored *stored)
{
	struct seen *seen = context;

	seen->key = stored->key;
	for (int i = 0; i < stored->sample_count; i++)
		seen->sum += stored->samples[i] + stored->marks[i];
	return 0;
}

static int touch_miss(void *context, const struct miss *miss)
{
	struct seen *seen = context;

	seen->key = miss->key;
	seen->sum += (double)strlen(miss->lens);
	return 0;
}

static void read_all(struct store *store)
{
	struct err err;
	struct seen seen = {{.heads = 12, .dim = 64}, 0};
	struct key nearest;
	struct quarantine quarantine;

	store_each(store, true, touch_row, &seen, &err);
	store_look_up(store, &seen.key, &device, touch_row, &seen, &err);
	store_each_miss(store, touch_miss, &seen, &err);
	store_nearest(store, &seen.key, &nearest, &err);
	store_quarantine(store, &seen.key, &device, &schedules[2], &quarantine, &err);
}

/* Taking up what a file has is a change, to a file that is well. */
static void take_up(void)
{
	struct err err;
	struct store *store = store_open(fuzzed, STORE_WRITE, &err);
	struct trial trials[] = {{.schedule = &schedules[0], .outcome = OUTCOME_OK},
		{.schedule = &schedules[1], .outcome = OUTCOME_OK}};
	struct contest contest = {.problem = &problem, .trials = trials, .count = 2};
	struct key key;

	if (!store)
		return;
	key_make(&key, &device, &problem, PASS_FORWARD, true);
	key.tokens *= 2;
	store_load_checkpoint(store, &key, &contest, &circumstances, &err);
	for (int i = 0; i < 2; i++)
		trial_release(&trials[i]);
	store_close(store);
}

static uint64_t age_of(const char *path)
{
	struct stat status;

	if (stat(path, &status))
		bug("%s is gone", path);
	return (uint64_t)status.st_mtim.tv_sec * 1000000000 + (uint64_t)status.st_mtim.tv_nsec;
}

static void import(bool readable)
{
	struct import_counts counts;
	struct err err = {0};
	int failed = store_import(into, fuzzed, true, &counts, &err);

	if (failed && (err.kind != ERR_UNAVAILABLE || strncmp(err.text, fuzzed, strlen(fuzzed))))
		bug("not the file's fault: %s", err.text);
	if (!failed && !readable)
		bug("imported what cannot be opened");
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct err err = {0};
	struct str text = {0};
	struct store *store;
	uint64_t ages[2];
	bool readable;

	files_make();
	str_add_bytes(&text, template.text, template.length);
	if (size >= 6 && !memcmp(bytes, "SQLite", 6)) {
		text.length = 0;
		str_add_bytes(&text, (const char *)bytes, size);
	} else {
		for (size_t i = 0; i + 4 <= size; i += 4)
			text.text[(bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2]) %
				  text.length] = (char)bytes[i + 3];
	}
	check(!file_write(fuzzed, text.text, text.length, &err), &err);
	str_release(&text);
	ages[0] = age_of(fuzzed);
	ages[1] = age_of(target);
	store = store_open(fuzzed, STORE_READ, &err);
	if (!store && (err.kind != ERR_UNAVAILABLE || !*err.text))
		bug("refused without a word");
	readable = store;
	if (readable)
		read_all(store);
	store_close(store);
	import(readable);
	if (age_of(fuzzed) != ages[0] || age_of(target) != ages[1])
		bug("a reader changed a file");
	if (readable)
		take_up();
	return 0;
}
