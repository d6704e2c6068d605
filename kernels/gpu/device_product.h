/* Products of a warp: 16 rows of one operand with a tile of another, as kernels/gpu/device_layout.h
 * lays them out, whatever the element type.
 *
 *   by_rows     c += a tileT: column n of c is row n of the tile
 *   by_columns  c += a tile
 *
 * and a is 16 rows of a tile, or, `turned`, 16 columns of one. */
#ifndef KERNELS_GPU_DEVICE_PRODUCT_H
#define KERNELS_GPU_DEVICE_PRODUCT_H

#include "kernels/gpu/device_elem.h"
#include "kernels/gpu/device_lanes.h"

template <int N> DEVICE void product_clear(float (&c)[N][CELLS])
{
	UNROLL
	for (int n = 0; n < N; n++) {
		UNROLL
		for (int e = 0; e < CELLS; e++)
			c[n][e] = 0;
	}
}

#if ELEM == ELEM_F32

template <int N, int K>
DEVICE void product_by_rows(
	float (&c)[N][CELLS], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	ROLLED
	for (int k = 0; k < K; k += 4) {
		float x[LANE_ROWS][4];
		UNROLL
		for (int r = 0; r < LANE_ROWS; r++)
			quad_floats(shared_load(a + (lane_row() + ROW_OF(r)) * a_pitch + k), x[r]);
		UNROLL
		for (int n = 0; n < N; n++) {
			UNROLL
			for (int j = 0; j < ROW_CELLS; j++) {
				const elem *at = tile + (lane_column() + COLUMN_OF(n, j)) * pitch;
				float y[4];
				quad_floats(shared_load(at + k), y);
				UNROLL
				for (int i = 0; i < 4; i++) {
					UNROLL
					for (int r = 0; r < LANE_ROWS; r++)
						c[n][r * ROW_CELLS + j] += x[r][i] * y[i];
				}
			}
		}
	}
}

/* `row` and `step` are the distances in a from row to row and from k to k + 1. */
template <int N, int K>
DEVICE void product_columns(
	float (&c)[N][CELLS], const elem *a, int row, int step, const elem *tile, int pitch)
{
	ROLLED
	for (int k = 0; k < K; k++) {
		float x[LANE_ROWS];
		UNROLL
		for (int r = 0; r < LANE_ROWS; r++)
			x[r] = a[(lane_row() + ROW_OF(r)) * row + k * step];
		UNROLL
		for (int n = 0; n < N; n++) {
			UNROLL
			for (int e = 0; e < CELLS; e++)
				c[n][e] += x[ROW_INDEX(e)] *
					   tile[k * pitch + lane_column() + COLUMN_OF(n, e)];
		}
	}
}

template <int N, int K>
DEVICE void product_by_columns(
	float (&c)[N][CELLS], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	product_columns<N, K>(c, a, a_pitch, 1, tile, pitch);
}

template <int N, int K>
DEVICE void product_turned(
	float (&c)[N][CELLS], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	product_columns<N, K>(c, a, 1, a_pitch, tile, pitch);
}

#else

#if GFX
#include "kernels/gpu/device_wave.h"
#else
#include "kernels/gpu/device_mma.h"
#endif

/* gfx11 has no registers for the large fragments of several steps at once. */
#if GFX == 11
#define SUM_LOOP ROLLED
#else
#define SUM_LOOP UNROLL
#endif

template <int N, int K>
DEVICE void product_by_rows(
	float (&c)[N][CELLS], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	SUM_LOOP
	for (int k = 0; k < K; k += 16) {
		u32 square[FRAGMENT];
		a_load(square, a + k, a_pitch);
		multiply_rows(c, square, tile + k, pitch);
	}
}

template <int N, int K>
DEVICE void product_by_columns(
	float (&c)[N][CELLS], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	SUM_LOOP
	for (int k = 0; k < K; k += 16) {
		u32 square[FRAGMENT];
		a_load(square, a + k, a_pitch);
		multiply_columns(c, square, tile + k * pitch, pitch);
	}
}

template <int N, int K>
DEVICE void product_turned(
	float (&c)[N][CELLS], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	SUM_LOOP
	for (int k = 0; k < K; k += 16) {
		u32 square[FRAGMENT];
		a_load_turned(square, a + k * a_pitch, a_pitch);
		multiply_columns(c, square, tile + k * pitch, pitch);
	}
}

#endif

/* Puts a lane's cells of a row of a strip where they belong; `at` is where the first does. */
DEVICE void cells_store(elem *at, const float *x)
{
	UNROLL
	for (int e = 0; e < ROW_CELLS; e += 2) {
		if (COLUMN_STEP == 1) {
			pair_store(at + e, x[e], x[e + 1]);
		} else {
			elem_store(at + COLUMN_STEP * e, x[e]);
			elem_store(at + COLUMN_STEP * (e + 1), x[e + 1]);
		}
	}
}

/* Puts a product into a tile as elements. */
template <int N> DEVICE void product_store(const float (&c)[N][CELLS], elem *tile, int pitch)
{
	UNROLL
	for (int r = 0; r < LANE_ROWS; r++) {
		elem *at = tile + (lane_row() + ROW_OF(r)) * pitch + lane_column();
		UNROLL
		for (int n = 0; n < N; n++)
			cells_store(at + STRIP * n, c[n] + r * ROW_CELLS);
	}
}

#endif
