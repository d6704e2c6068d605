/* Which rows of a sequence see which: index and window arithmetic. */
#ifndef KERNELS_GPU_DEVICE_REACH_H
#define KERNELS_GPU_DEVICE_REACH_H

#include "kernels/gpu/device.h"

/* Rows i and j see each other when |i - j| <= window, or always when it is negative. */
struct field {
	int length, window;
};

/* A rectangle of pairs: `rows` rows from i on with `keys` rows from j on. */
struct patch {
	int i, rows, j, keys;
};

DEVICE bool sees(const struct field &field, int i, int j)
{
	int gap = i > j ? i - j : j - i;
	return i < field.length && j < field.length && (field.window < 0 || gap <= field.window);
}

DEVICE bool sees_some(const struct field &field, const struct patch &patch)
{
	int ahead = patch.j - (patch.i + patch.rows - 1);
	int behind = patch.i - (patch.j + patch.keys - 1);
	int gap = ahead > behind ? ahead : behind;
	return patch.i < field.length && patch.j < field.length &&
	       (field.window < 0 || gap <= field.window);
}

DEVICE bool sees_all(const struct field &field, const struct patch &patch)
{
	int ahead = patch.j + patch.keys - 1 - patch.i;
	int behind = patch.i + patch.rows - 1 - patch.j;
	int gap = ahead > behind ? ahead : behind;
	return patch.i + patch.rows <= field.length && patch.j + patch.keys <= field.length &&
	       (field.window < 0 || gap <= field.window);
}

/* Rows from `low` to before `high`. */
struct span {
	int low, high;
};

/* What rows `first` and `count - 1` more see, from a multiple of `step` on. */
DEVICE struct span span_seen(const struct field &field, int first, int count, int step)
{
	struct span span = {0, field.length};
	if (field.window < 0)
		return span;
	if (first > field.window)
		span.low = (first - field.window) / step * step;
	if (first + count + field.window < field.length)
		span.high = first + count + field.window;
	return span;
}

#endif
