#include "tune/freshness.h"

#include <stdio.h>
#include <string.h>

const char *freshness_name(enum freshness freshness)
{
	static const char *const names[] = {"fresh", "due", "stale"};

	return names[freshness];
}

enum freshness freshness_judge(
	const struct stored *stored, const struct device_info *device, struct reason *why)
{
	/* The gravest first. */
	const struct {
		const char *stored, *now;
		enum freshness freshness; /* when they differ */
		const char *words;
		bool named; /* what is stored follows */
	} aspects[] = {
		{stored->architecture, device->architecture, STALE,
			"made for another architecture: ", true},
		{stored->code, device->code, STALE, "the kernels changed since", false},
		{stored->compiler, device->compiler, STALE, "made by another compiler: ", true},
		{stored->driver, device->driver, DUE, "measured with another driver: ", true},
	};

	*why->text = '\0';
	for (size_t i = 0; i < sizeof aspects / sizeof *aspects; i++) {
		if (!strcmp(aspects[i].stored, aspects[i].now))
			continue;
		snprintf(why->text, sizeof why->text, "%s%s", aspects[i].words,
			!aspects[i].named    ? ""
			: *aspects[i].stored ? aspects[i].stored
					     : "none");
		return aspects[i].freshness;
	}
	return FRESH;
}
