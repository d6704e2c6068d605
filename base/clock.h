/* Time. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_ns(void);     /* monotonic nanoseconds */
double clock_seconds(void); /* the same in seconds */
/* Now, in UTC, as "2026-12-01T13:27:53Z". Returns `text`. */
const char *clock_utc(char text[32]);

#endif
