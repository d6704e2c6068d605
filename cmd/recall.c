#include "cmd/recall.h"

#include <stdio.h>

#include "tune/freshness.h"

struct search {
	struct recall *recall;
	struct report *report;
	const struct device *device;
	const struct problem *problem;
};

static bool is_stale(const struct search *search, const struct stored *stored)
{
	struct recall *recall = search->recall;
	struct reason reason;

	switch (freshness_judge(stored, &search->device->info, &reason)) {
	case STALE:
		snprintf(recall->why, sizeof recall->why, "%s is stale, %s", stored->schedule_name,
			reason.text);
		return true;
	case DUE: snprintf(recall->due, sizeof recall->due, "%s", reason.text); return false;
	case FRESH: return false;
	}
	bug("a freshness of its own");
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

	if (stored->rank == 0)
		search->recall->incumbent = stored->schedule;
	if (!is_stale(search, stored) && !is_barred(search, stored)) {
		search->recall->usable++;
		if (search->report)
			report_add_stored(search->report, stored);
	}
	return 0;
}

int recall(struct recall *recall, struct report *report, struct store *store, const struct key *key,
	const struct device *device, const struct problem *problem, struct err *err)
{
	struct search search = {recall, report, device, problem};

	*recall = (struct recall){0};
	return store_look_up(store, key, &device->info, visit, &search, err) < 0 ? -1 : 0;
}
