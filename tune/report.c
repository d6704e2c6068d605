#include "tune/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

/* Makes room for one more item. Rows are small and few: without memory for them nothing goes on. */
static void *grow(void *items, int count, int *room, size_t size)
{
	if (count < *room)
		return items;
	*room = *room ? 2 * *room : 16;
	items = realloc(items, (size_t)*room * size);
	if (!items)
		bug("no memory for %d rows of a report", *room);
	return items;
}

static void finding_release(struct finding *finding)
{
	trial_release(&finding->trial);
	if (finding->origin)
		free(finding->origin->lens);
	free(finding->origin);
}

static void entry_release(struct entry *entry)
{
	for (int i = 0; i < entry->count; i++)
		finding_release(&entry->findings[i]);
	free(entry->findings);
}

void report_clear(struct report *report)
{
	for (int i = 0; i < report->count; i++)
		entry_release(&report->entries[i]);
	report->count = 0;
}

void report_release(struct report *report)
{
	report_clear(report);
	free(report->entries);
	*report = (struct report){0};
}

struct entry *report_add(struct report *report, const struct key *key)
{
	report->entries =
		grow(report->entries, report->count, &report->room, sizeof *report->entries);
	struct entry *entry = &report->entries[report->count++];
	*entry = (struct entry){.key = *key};
	return entry;
}

static struct finding *add_finding(struct entry *entry, const char *schedule)
{
	entry->findings =
		grow(entry->findings, entry->count, &entry->room, sizeof *entry->findings);
	struct finding *finding = &entry->findings[entry->count++];
	*finding = (struct finding){.rank = -1};
	snprintf(finding->schedule, sizeof finding->schedule, "%s", schedule);
	return finding;
}

void entry_take(struct entry *entry, struct contest *contest)
{
	entry->decision = contest->decision;
	for (int i = 0; i < contest->count; i++) {
		struct trial *trial = &contest->trials[i];
		struct finding *finding = add_finding(entry, trial->schedule->name);

		finding->tokens = contest->problem->tokens;
		finding->longest = contest->problem->longest;
		finding->floor_seconds = contest->floor_seconds;
		snprintf(finding->stop, sizeof finding->stop, "%s", contest->stop);
		finding->trial = *trial;
		*trial = (struct trial){.schedule = trial->schedule};
	}
	for (int rank = 0; rank < contest->ranked; rank++)
		entry->findings[contest->ranking[rank]].rank = rank;
}

static bool same_key(const struct key *a, const struct key *b)
{
	return !strcmp(a->device, b->device) && a->pass == b->pass && a->dtype == b->dtype &&
	       a->heads == b->heads && a->dim == b->dim && a->window == b->window &&
	       a->tokens == b->tokens && a->longest == b->longest && a->cold == b->cold;
}

static struct origin *origin_of(const struct stored *stored)
{
	struct origin *origin = calloc(1, sizeof *origin);

	if (!origin)
		bug("no memory for a row of a report");
	origin->trial = stored->trial;
	snprintf(origin->code, sizeof origin->code, "%s", stored->code);
	snprintf(origin->compiler, sizeof origin->compiler, "%s", stored->compiler);
	snprintf(origin->driver, sizeof origin->driver, "%s", stored->driver);
	snprintf(origin->version, sizeof origin->version, "%s", stored->version);
	snprintf(origin->created, sizeof origin->created, "%s", stored->created);
	origin->lens = str_copy(stored->lens);
	return origin;
}

static struct trial trial_of(const struct stored *stored)
{
	struct trial trial = {
		.schedule = stored->schedule,
		.outcome = stored->outcome,
		.judged = stored->judged,
		.verdict = stored->verdict,
		.scratch = stored->scratch,
		.sample_count = stored->sample_count,
		.batch = stored->batch,
		.stats = {.count = stored->sample_count,
			.median = stored->median,
			.first_quartile = stored->first_quartile,
			.third_quartile = stored->third_quartile,
			.min = stored->min,
			.max = stored->max},
		.flops = stored->flops,
		.bytes = stored->bytes,
		.fraction = stored->fraction,
	};
	struct err err;

	snprintf(trial.why, sizeof trial.why, "%s", stored->why);
	snprintf(trial.warning, sizeof trial.warning, "%s", stored->warning);
	trial.samples = mem_new(stored->sample_count, sizeof *trial.samples, "samples", &err);
	if (!trial.samples)
		bug("%s", err.text);
	memcpy(trial.samples, stored->samples,
		(size_t)stored->sample_count * sizeof *trial.samples);
	return trial;
}

void report_add_stored(struct report *report, const struct stored *stored)
{
	struct entry *entry = report->count ? &report->entries[report->count - 1] : NULL;

	if (!entry || !same_key(&entry->key, &stored->key))
		entry = report_add(report, &stored->key);
	entry->cached = true;
	if (stored->rank >= 0)
		entry->decision = stored->decision;

	struct finding *finding = add_finding(entry, stored->schedule_name);
	finding->rank = stored->rank;
	finding->tokens = stored->exact_tokens;
	finding->longest = stored->exact_longest;
	finding->floor_seconds = stored->floor_seconds;
	snprintf(finding->stop, sizeof finding->stop, "%s", stored->stop);
	finding->origin = origin_of(stored);
	finding->trial = trial_of(stored);
}

const struct finding *entry_ranked(const struct entry *entry, int rank)
{
	for (int i = 0; i < entry->count; i++)
		if (entry->findings[i].rank == rank)
			return &entry->findings[i];
	return NULL;
}
