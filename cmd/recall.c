#include "cmd/recall.h"

#include <stdio.h>
#include <string.h>

struct search {
	struct recall *recall;
	struct report *report;
	const struct device *device;
	const struct problem *problem;
};

static bool is_stale(const struct search *search, const struct stored *stored)
{
	const struct device_info *info = &search->device->info;
	bool code = strcmp(stored->code, info->code),
	     compiler = strcmp(stored->compiler, info->compiler);

	if (code || compiler)
		snprintf(search->recall->why, sizeof search->recall->why,
			"%s is stale, made by another %s", stored->schedule_name,
			code ? "build of the kernels" : "compiler");
	return code || compiler;
}

static bool is_barred(const struct search *search, const struct stored *stored)
{
	struct reason reason = {"unknown to this build"};

	if (stored->schedule && search->device->backend->usable(
					search->device, stored->schedule, search->problem, &reason))
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
		search->recall->due |= !!strcmp(stored->driver, search->device->info.driver);
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
	return store_ranking(store, key, visit, &search, err) < 0 ? -1 : 0;
}
