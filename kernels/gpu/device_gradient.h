/* Steps of the backward pass, on products in the layout of device_product.h. */
#ifndef KERNELS_GPU_DEVICE_GRADIENT_H
#define KERNELS_GPU_DEVICE_GRADIENT_H

#include "kernels/gpu/device_rows.h"
#include "kernels/gpu/device_softmax.h"

/* The logarithm of a row's sum in powers of two, and delta: what P and dS need of a query. */
DEVICE float load_lse(const struct args &args, i64 token, int head)
{
	return args.lse[head * args.tokens + token] * LOG2_E;
}

DEVICE float load_delta(const struct args &args, i64 token, int head)
{
	return args.delta[head * args.tokens + token];
}

/* The two of ROWS queries on their way to shared memory, a number a thread: ROWS logarithms, then
 * ROWS deltas. Queries past the sequence's have zeros. */
DEVICE float statistic_load(const struct args &args, const struct tile &tile, int first, int head)
{
	int row = first + thread_index() % ROWS;
	if (thread_index() >= 2 * ROWS || row >= tile.length)
		return 0;
	return thread_index() < ROWS ? load_lse(args, tile.start + row, head)
				     : load_delta(args, tile.start + row, head);
}

DEVICE void statistic_store(float value, float *statistics)
{
	if (thread_index() < 2 * ROWS)
		statistics[thread_index()] = value;
}

/* Turns scores and dP of keys by queries into P and dS; `statistics` begins at the column 0. */
template <int N>
DEVICE void weigh_keys(
	float (&scores)[N][CELLS], float (&products)[N][CELLS], float rate, const float *statistics)
{
	UNROLL
	for (int n = 0; n < N; n++) {
		UNROLL
		for (int e = 0; e < CELLS; e++) {
			int column = lane_column() + COLUMN_OF(n, e);
			scores[n][e] = exp2_fast(scores[n][e] * rate - statistics[column]);
			products[n][e] =
				scores[n][e] * (products[n][e] - statistics[ROWS + column]);
		}
	}
}

/* The same of queries by keys; each of the lane's rows has a statistic of its own. */
template <int N>
DEVICE void weigh_queries(float (&scores)[N][CELLS], float (&products)[N][CELLS], float rate,
	const float (&lse)[LANE_ROWS], const float (&delta)[LANE_ROWS])
{
	UNROLL
	for (int n = 0; n < N; n++) {
		UNROLL
		for (int e = 0; e < CELLS; e++) {
			scores[n][e] = exp2_fast(scores[n][e] * rate - lse[ROW_INDEX(e)]);
			products[n][e] = scores[n][e] * (products[n][e] - delta[ROW_INDEX(e)]);
		}
	}
}

/* Adds a lane's cells of a row of a strip to numbers of which the first is at `at`. */
DEVICE void cells_add(float *at, const float *x)
{
	UNROLL
	for (int e = 0; e < ROW_CELLS; e += 2) {
		if (COLUMN_STEP == 1) {
			atomic_add2(at + e, x[e], x[e + 1]);
		} else {
			atomic_add(at + COLUMN_STEP * e, x[e]);
			atomic_add(at + COLUMN_STEP * (e + 1), x[e + 1]);
		}
	}
}

/* Adds dQ of the warp's queries, row `row` and on, into the accumulator. */
template <int N>
DEVICE void gradient_add(const float (&c)[N][CELLS], const struct args &args,
	const struct tile &tile, int row, int head)
{
	UNROLL
	for (int r = 0; r < LANE_ROWS; r++) {
		int i = row + lane_row() + ROW_OF(r);
		if (i >= tile.length)
			continue;
		float *at = args.dq + head_offset(args, tile.start + i, 1, 0, head) + lane_column();
		UNROLL
		for (int n = 0; n < N; n++)
			cells_add(at + STRIP * n, c[n] + r * ROW_CELLS);
	}
}

/* Writes a part of dqkv of the warp's rows. */
template <int N>
DEVICE void gradient_store(const float (&c)[N][CELLS], const struct args &args,
	const struct tile &tile, enum part part, int row, int head)
{
	UNROLL
	for (int r = 0; r < LANE_ROWS; r++) {
		int i = row + lane_row() + ROW_OF(r);
		if (i >= tile.length)
			continue;
		elem *at = (elem *)args.dqkv + lane_column() +
			   head_offset(args, tile.start + i, PARTS, part, head);
		UNROLL
		for (int n = 0; n < N; n++)
			cells_store(at + STRIP * n, c[n] + r * ROW_CELLS);
	}
}

/* Scales a gradient and turns it back by each row's position. Dimensions d and d + D/2 lie in the
 * same lane, N/2 products apart. */
template <int N>
DEVICE void gradient_turn_back(
	float (&c)[N][CELLS], const struct args &args, const struct tile &tile, int row)
{
	UNROLL
	for (int r = 0; r < LANE_ROWS; r++) {
		int i = row + lane_row() + ROW_OF(r);
		if (i >= tile.length)
			continue;
		i64 at = (i64)i * HALF_DIM + lane_column();
		UNROLL
		for (int n = 0; n < N / 2; n++) {
			UNROLL
			for (int e = r * ROW_CELLS; e < (r + 1) * ROW_CELLS; e++) {
				float cos = args.cos[at + COLUMN_OF(n, e)] * args.scale;
				float sin = args.sin[at + COLUMN_OF(n, e)] * args.scale;
				float x = c[n][e], y = c[n + N / 2][e];
				c[n][e] = x * cos + y * sin;
				c[n + N / 2][e] = y * cos - x * sin;
			}
		}
	}
}

#endif
