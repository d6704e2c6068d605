#include "tune/sample.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LARGEST_TILE 128

static double oracle_flops(const struct problem *problem)
{
	return problem_flops(problem, PASS_FORWARD) + problem_flops(problem, PASS_BACKWARD);
}

bool sample_needed(const struct problem *problem)
{
	return oracle_flops(problem) > SAMPLE_ABOVE;
}

static int by_length(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
	return (a < b) - (a > b);
}

static int64_t cut(int64_t length)
{
	int64_t most = SAMPLE_CUT + length % LARGEST_TILE;
	return length > most ? most : length;
}

/* The rank, of `of`, of the sequence at `place` among `count` evenly spaced ones. */
static int64_t rank_of(int64_t place, int64_t count, int64_t of)
{
	return count > 1 ? place * (of - 1) / (count - 1) : 0;
}

static double sampled_flops(const struct problem *problem, const int64_t *sorted, int64_t count)
{
	double sum = 0;
	for (int64_t i = 0; i < count; i++) {
		double length = (double)cut(sorted[rank_of(i, count, problem->count)]);
		double seen =
			problem->window == NO_WINDOW ? length : 2 * (double)problem->window + 1;
		sum += length * (seen < length ? seen : length);
	}
	return sum * (double)problem->heads * 4 * HEAD_DIM * 3.5;
}

int sample_lens(struct lens *lens, const struct problem *problem, struct err *err)
{
	int64_t count = problem->count;
	int result = 0;
	int64_t *sorted = mem_new(count, sizeof *sorted, "lengths to sample", err);
	if (!sorted)
		return -1;
	memcpy(sorted, problem->lens, (size_t)count * sizeof *sorted);
	qsort(sorted, (size_t)count, sizeof *sorted, by_length);
	while (count > 1 && sampled_flops(problem, sorted, count) > SAMPLE_FLOPS)
		count = count > 2 ? (count + 1) / 2 : 1;
	for (int64_t i = 0; !result && i < count; i++)
		result = lens_add(lens, 1, cut(sorted[rank_of(i, count, problem->count)]), err);
	mem_free(sorted);
	return result;
}
