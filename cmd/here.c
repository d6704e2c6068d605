#include "cmd/here.h"

#include <stdio.h>
#include <string.h>

#include "tune/freshness.h"

void here_look(struct here *here)
{
	here->count = 0;
	for (int i = 0; i < backend_count; i++) {
		struct err ignored;
		/* Nothing is stored of an emulator. */
		int found = backends[i]->emulated ? 0 : backends[i]->probe(&ignored);

		for (int index = 0; index < found && here->count < MOST_DEVICES; index++) {
			struct device *device = backends[i]->open(
				&(struct device_options){.index = index}, &ignored);

			if (device)
				here->infos[here->count++] = device->info;
			device_close(device);
		}
	}
}

static bool is_of(const struct stored *stored, const struct device_info *info)
{
	char start[sizeof stored->key.device];
	int backend = (int)strcspn(info->name, ":");

	snprintf(start, sizeof start, "%.*s | %s | ", backend, info->name, info->model);
	return !strncmp(stored->key.device, start, strlen(start));
}

const char *here_freshness(const struct here *here, const struct stored *stored)
{
	for (int i = 0; i < here->count; i++) {
		struct device_info info = here->infos[i];
		struct reason ignored;

		if (!is_of(stored, &info))
			continue;
		snprintf(info.architecture, sizeof info.architecture, "%s", stored->architecture);
		return freshness_name(freshness_judge(stored, &info, &ignored));
	}
	return NULL;
}
