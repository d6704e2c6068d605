#include "cmd/format.h"

#include <stdio.h>

const struct format formats[] = {
	{"json", json_write},
	{"csv", csv_write},
	{"md", md_write},
};

const int format_count = sizeof formats / sizeof *formats;

const char *place_name(const struct key *key, char text[64])
{
	char window[32];

	snprintf(text, 64, "%s, window %s, %s", dtype_name(key->dtype),
		window_name(key->window, window), pass_name(key->pass));
	return text;
}

const char *plural(int64_t count)
{
	return count == 1 ? "" : "s";
}

const char *mode_name(bool cold)
{
	return cold ? "cold" : "hot";
}

double stats_spread(const struct stats *stats)
{
	if (!(stats->median > 0))
		return 0;
	return (stats->third_quartile - stats->first_quartile) / stats->median;
}
