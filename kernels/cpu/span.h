/* Which rows of a sequence see which, and where a range of them begins in whole vectors. */
#ifndef KERNELS_CPU_SPAN_H
#define KERNELS_CPU_SPAN_H

#include <stdint.h>

#include "data/problem.h"

/* Rows [first, end). */
struct span {
	int64_t first, end;
};

static inline int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static inline int64_t most(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static inline int64_t round_down(int64_t x, int64_t step)
{
	return x / step * step;
}

static inline int64_t round_up(int64_t x, int64_t step)
{
	return (x + step - 1) / step * step;
}

/* The rows within `window` of any row of `of`, in a sequence of `length`. The relation is
 * symmetric: keys of queries, and queries of keys. */
static inline struct span span_in_reach(struct span of, int64_t window, int64_t length)
{
	if (window == NO_WINDOW || window >= length)
		return (struct span){0, length};
	return (struct span){most(0, of.first - window), least(length, of.end + window)};
}

static inline struct span span_within(struct span a, struct span b)
{
	return (struct span){most(a.first, b.first), least(a.end, b.end)};
}

/* Share `part` of `parts` of a sequence, each but the last a multiple of 64 rows. */
static inline struct span part_of(int64_t length, int64_t parts, int64_t part)
{
	int64_t step = round_up((length + parts - 1) / parts, 64);
	return (struct span){least(part * step, length), least((part + 1) * step, length)};
}

#endif
