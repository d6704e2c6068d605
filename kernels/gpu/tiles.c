#include "kernels/gpu/tiles.h"

#include <stdlib.h>

#include "base/mem.h"

int64_t tiles_count(const struct problem *problem, int rows)
{
	int64_t count = 0;

	for (int64_t i = 0; i < problem->count; i++)
		count += (problem->lens[i] + rows - 1) / rows;
	return count;
}

int tiles_window(const struct problem *problem)
{
	return problem->window >= problem->longest - 1 ? -1 : (int)problem->window;
}

struct ranking {
	int rows;
	int window;
};

/* Rows of the sequence that some row of the tile sees. */
static int reach(const struct tile *tile, const struct ranking *ranking)
{
	int64_t low = 0, high = tile->length;

	if (ranking->window >= 0) {
		if (tile->first > ranking->window)
			low = tile->first - ranking->window;
		if (high > (int64_t)tile->first + ranking->rows + ranking->window)
			high = tile->first + ranking->rows + ranking->window;
	}
	return (int)(high - low);
}

static int compare(const void *left, const void *right, void *context)
{
	const struct tile *a = left, *b = right;
	int reach_a = reach(a, context), reach_b = reach(b, context);

	if (reach_a != reach_b)
		return reach_a > reach_b ? -1 : 1;
	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	return (a->first > b->first) - (a->first < b->first);
}

struct tile *tiles_new(const struct problem *problem, int rows, struct err *err)
{
	struct ranking ranking = {.rows = rows, .window = tiles_window(problem)};
	int64_t count = tiles_count(problem, rows), at = 0;
	struct tile *tiles = mem_new(count, sizeof *tiles, "tiles", err);

	if (!tiles)
		return NULL;
	for (int64_t i = 0; i < problem->count; i++)
		for (int64_t first = 0; first < problem->lens[i]; first += rows)
			tiles[at++] = (struct tile){.start = problem->cu[i],
				.length = (int)problem->lens[i],
				.first = (int)first};
	qsort_r(tiles, (size_t)count, sizeof *tiles, compare, &ranking);
	return tiles;
}
