#include "tune/host.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "base/team.h"

#define MOST_BYTES (1 << 20)

/* The whole of a file below `root`; false where there is none. */
static bool read_below(struct str *text, const char *root, const char *path)
{
	struct str whole = {0};
	struct err err;

	str_addf(&whole, "%s%s", root, path);
	bool found = !file_read(whole.text, MOST_BYTES, text, &err) && text->text;
	str_release(&whole);
	return found;
}

/* Ticks of all processors since the machine started
 * (https://man7.org/linux/man-pages/man5/proc_stat.5.html). */
static bool read_ticks(const char *root, double *stolen, double *spent)
{
	enum { COUNTED = 8, STEAL = 7 };
	struct str text = {0};
	double ticks[COUNTED];
	bool known = read_below(&text, root, "/proc/stat") && !strncmp(text.text, "cpu ", 4);
	char *at = known ? text.text + 4 : NULL;

	*spent = 0;
	for (int i = 0; known && i < COUNTED; i++) {
		char *end;

		ticks[i] = strtod(at, &end);
		known = end != at;
		at = end;
		*spent += ticks[i];
	}
	if (known)
		*stolen = ticks[STEAL];
	str_release(&text);
	return known;
}

static double read_load(const char *root)
{
	struct str text = {0};
	double load = NAN;

	if (read_below(&text, root, "/proc/loadavg"))
		load = strtod(text.text, NULL);
	str_release(&text);
	return load;
}

/* The one of all processors, or "mixed". */
static void read_governor(const char *root, int online, char governor[32])
{
	*governor = '\0';
	for (int i = 0; i < online; i++) {
		struct str text = {0};
		char path[96], here[32];

		snprintf(path, sizeof path,
			"/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", i);
		if (read_below(&text, root, path)) {
			snprintf(here, sizeof here, "%.*s", (int)strcspn(text.text, "\n"),
				text.text);
			snprintf(governor, 32, "%s",
				*governor && strcmp(governor, here) ? "mixed" : here);
		}
		str_release(&text);
	}
}

void host_begin(struct host *host, const char *root)
{
	*host = (struct host){
		.processors = team_processors(),
		.online = (int)sysconf(_SC_NPROCESSORS_ONLN),
		.load = read_load(root),
		.steal = NAN,
		.stolen = NAN,
	};
	read_governor(root, host->online, host->governor);
	read_ticks(root, &host->stolen, &host->spent);
}

void host_end(struct host *host, const char *root)
{
	double stolen, spent;

	if (read_ticks(root, &stolen, &spent) && spent > host->spent)
		host->steal = (stolen - host->stolen) / (spent - host->spent);
}
