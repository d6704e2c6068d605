#include "base/clock.h"

#include <time.h>

int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

double clock_seconds(void)
{
	return (double)clock_ns() * 1e-9;
}

const char *clock_utc(char text[32])
{
	time_t now = time(NULL);
	struct tm utc;

	strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	return text;
}
