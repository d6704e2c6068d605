/* Which rows of a sequence see which: index and window arithmetic. */
#ifndef KERNELS_GPU_DEVICE_REACH_H
#define KERNELS_GPU_DEVICE_REACH_H

#include "kernels/gpu/device.h"

/* Query i sees key j when there is one and |i - j| <= window. */
struct field {
	int length, window;
};

DEVICE struct field field_of(const struct args &args, const struct tile &tile)
{
	return {tile.length, args.window < 0 ? tile.length : args.window};
}

/* A rectangle of pairs: `queries` from i on with `keys` from j on. */
struct patch {
	int i, queries, j, keys;
};

DEVICE bool sees(const struct field &field, int i, int j)
{
	return j < field.length && (u32)i - (u32)j + (u32)field.window <= 2u * field.window;
}

DEVICE int larger(int a, int b)
{
	return a > b ? a : b;
}

/* Whether some query that there is sees some key. */
DEVICE bool sees_some(const struct field &field, const struct patch &patch)
{
	int ahead = patch.j - (patch.i + patch.queries - 1);
	int behind = patch.i - (patch.j + patch.keys - 1);
	return patch.i < field.length && patch.j < field.length &&
	       larger(ahead, behind) <= field.window;
}

/* Whether all queries, be they there or not, see all keys. */
DEVICE bool sees_all(const struct field &field, const struct patch &patch)
{
	int ahead = patch.j + patch.keys - 1 - patch.i;
	int behind = patch.i + patch.queries - 1 - patch.j;
	return patch.j + patch.keys <= field.length && larger(ahead, behind) <= field.window;
}

/* Rows from `low` to before `high`. */
struct span {
	int low, high;
};

/* What the `count` rows from `first` on reach, from a multiple of `step` on. */
DEVICE struct span span_reached(const struct field &field, int first, int count, int step)
{
	struct span span = {0, field.length};
	if (first > field.window)
		span.low = (first - field.window) / step * step;
	if (field.length - first - count > field.window)
		span.high = first + count + field.window;
	return span;
}

#endif
