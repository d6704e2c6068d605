#include "cmd/recall.h"

#include <stdio.h>

#include "tune/freshness.h"

struct search {
	struct recall *recall;
	struct report *report;
	const struct device *device;
	const struct problem *problem;
	bool stale_too;
};

/* Judges a row by the device it would be used on, and keeps what there is to say of it. */
static enum freshness judge(const struct search *search, const struct stored *stored)
{
	struct recall *recall = search->recall;
	struct reason reason;
	enum freshness freshness = freshness_judge(stored, &search->device->info, &reason);

	if (freshness == STALE)
		snprintf(recall->why, sizeof recall->why, "%s is stale, %s", stored->schedule_name,
			reason.text);
	if (freshness == DUE)
		snprintf(recall->due, sizeof recall->due, "%s", reason.text);
	return freshness;
}

static bool is_barred(const struct search *search, const struct stored *stored)
{
	const struct device *device = search->device;
	struct reason reason = {"unknown to this build"};

	if (stored->schedule &&
		device->backend->usable(device, stored->schedule, search->problem, &reason))
		return false;
	snprintf(search->recall->why, sizeof search->recall->why, "%s cannot run here: %s",
		stored->schedule_name, reason.text);
	return true;
}

static int visit(void *context, const struct stored *stored)
{
	struct search *search = context;
	struct recall *recall = search->recall;
	enum freshness freshness = judge(search, stored);

	if (stored->rank == 0)
		recall->incumbent = stored->schedule;
	if ((freshness == STALE && !search->stale_too) || is_barred(search, stored))
		return 0;
	recall->usable++;
	recall->stale |= freshness == STALE;
	if (search->report)
		report_add_stored(search->report, stored)->origin->freshness =
			freshness_name(freshness);
	return 0;
}

int recall(struct recall *recall, struct report *report, struct store *store, const struct key *key,
	const struct device *device, const struct problem *problem, bool stale_too, struct err *err)
{
	struct search search = {recall, report, device, problem, stale_too};

	*recall = (struct recall){0};
	return store_look_up(store, key, &device->info, visit, &search, err) < 0 ? -1 : 0;
}
