/* Softmax over key tiles as they come: each of a lane's rows is shared by the lanes whose indices
 * differ in some bits alone (kernels/gpu/device_layout.h). */
#ifndef KERNELS_GPU_DEVICE_SOFTMAX_H
#define KERNELS_GPU_DEVICE_SOFTMAX_H

#include "kernels/gpu/device_product.h"
#include "kernels/gpu/device_reach.h"

#define LOG2_E  1.44269504088896341f
#define LN_2    0.693147180559945309f
#define NOTHING word_float(0xff800000u) /* minus infinity: the score of what is not seen */

DEVICE float larger(float x, float y)
{
	return y > x ? y : x;
}

/* `top` is the largest score so far, `sum` this lane's part of the sum of exp(score - top). */
struct softmax {
	float top[LANE_ROWS], sum[LANE_ROWS];
};

DEVICE void softmax_begin(struct softmax &softmax)
{
	UNROLL
	for (int r = 0; r < LANE_ROWS; r++) {
		softmax.top[r] = NOTHING;
		softmax.sum[r] = 0;
	}
}

/* Only a patch at an edge has pairs that do not see each other. Scores are of queries by keys, or,
 * TURNED, of keys by queries. */
template <bool TURNED, int N>
DEVICE void scores_mask(
	float (&scores)[N][CELLS], const struct field &field, const struct patch &patch)
{
	if (sees_all(field, patch))
		return;
	UNROLL
	for (int n = 0; n < N; n++) {
		UNROLL
		for (int e = 0; e < CELLS; e++) {
			int row = lane_row() + ROW_OF(ROW_INDEX(e));
			int column = lane_column() + COLUMN_OF(n, e);
			int i = patch.i + (TURNED ? column : row);
			int j = patch.j + (TURNED ? row : column);
			if (!sees(field, i, j))
				scores[n][e] = NOTHING;
		}
	}
}

DEVICE float row_largest(float x)
{
	UNROLL
	for (int mask = SHARE_FROM; mask < SHARE_TO; mask *= 2)
		x = larger(x, shuffle_xor(x, mask));
	return x;
}

DEVICE float row_sum(float x)
{
	UNROLL
	for (int mask = SHARE_FROM; mask < SHARE_TO; mask *= 2)
		x += shuffle_xor(x, mask);
	return x;
}

/* Turns a tile's scores into weights exp(rate (score - top)), `rate` being in powers of two, and
 * gives by how much what was weighed before must shrink. A row that has seen nothing yet has no
 * top: zero stands in, and its weights are zero. */
template <int N>
DEVICE void softmax_weigh(
	struct softmax &softmax, float (&scores)[N][CELLS], float rate, float (&shrink)[LANE_ROWS])
{
	UNROLL
	for (int r = 0; r < LANE_ROWS; r++) {
		float top = softmax.top[r], sum = 0;
		UNROLL
		for (int n = 0; n < N; n++) {
			UNROLL
			for (int e = r * ROW_CELLS; e < (r + 1) * ROW_CELLS; e++)
				top = larger(top, scores[n][e]);
		}
		top = row_largest(top);
		float shift = top == NOTHING ? 0 : top * rate;
		UNROLL
		for (int n = 0; n < N; n++) {
			UNROLL
			for (int e = r * ROW_CELLS; e < (r + 1) * ROW_CELLS; e++) {
				scores[n][e] = exp2_fast(scores[n][e] * rate - shift);
				sum += scores[n][e];
			}
		}
		shrink[r] = exp2_fast(softmax.top[r] * rate - shift);
		softmax.sum[r] = softmax.sum[r] * shrink[r] + sum;
		softmax.top[r] = top;
	}
}

template <int N> DEVICE void product_shrink(float (&c)[N][CELLS], const float (&shrink)[LANE_ROWS])
{
	UNROLL
	for (int n = 0; n < N; n++) {
		UNROLL
		for (int e = 0; e < CELLS; e++)
			c[n][e] *= shrink[ROW_INDEX(e)];
	}
}

/* Writes the rows of `out` and `lse` that the sequence has. */
template <int N>
DEVICE void softmax_finish(const struct softmax &softmax, const float (&out)[N][CELLS],
	const struct args &args, const struct tile &tile, int row, int head)
{
	float rate = args.scale * LOG2_E;
	UNROLL
	for (int r = 0; r < LANE_ROWS; r++) {
		float sum = row_sum(softmax.sum[r]), share = 1 / sum;
		int i = row + lane_row() + ROW_OF(r);
		if (i >= tile.length)
			continue;
		i64 token = tile.start + i;
		elem *at =
			(elem *)args.out + (token * args.heads + head) * HEAD_DIM + lane_column();
		UNROLL
		for (int n = 0; n < N; n++) {
			float cells[ROW_CELLS];
			UNROLL
			for (int e = 0; e < ROW_CELLS; e++)
				cells[e] = out[n][r * ROW_CELLS + e] * share;
			cells_store(at + STRIP * n, cells);
		}
		if (lane_column() == 0)
			args.lse[head * args.tokens + token] =
				(softmax.top[r] * rate + log2_fast(sum)) * LN_2;
	}
}

#endif
