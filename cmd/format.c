#include "cmd/format.h"

const struct format formats[] = {
	{"json", json_write},
	{"csv", csv_write},
	{"md", md_write},
};

const int format_count = sizeof formats / sizeof *formats;

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
