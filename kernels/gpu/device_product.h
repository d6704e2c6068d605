/* Products of a warp: 16 rows of one operand with a tile of another, in the layout of mma's
 * accumulators (kernels/gpu/device.h) whatever the element type. `c[n]` has columns 8n to 8n + 7.
 *
 *   by_rows     c += a tileT: column n of c is row n of the tile
 *   by_columns  c += a tile
 *
 * and a is 16 rows of a tile, or, `turned`, 16 columns of one. */
#ifndef KERNELS_GPU_DEVICE_PRODUCT_H
#define KERNELS_GPU_DEVICE_PRODUCT_H

#include "kernels/gpu/device_elem.h"

#define WARP 32

DEVICE int lane_index()
{
	return thread_index() % WARP;
}

/* The first of the 16 rows that are this thread's warp's. */
DEVICE int warp_row()
{
	return thread_index() / WARP * 16;
}

/* Row and column of c[n][j] are those of c[0][0] and an offset that is a constant. */
DEVICE int lane_row()
{
	return lane_index() / 4;
}

DEVICE int lane_column()
{
	return lane_index() % 4 * 2;
}

#define ROW_OF(j)       (8 * ((j) / 2))
#define COLUMN_OF(n, j) (8 * (n) + (j) % 2)

template <int N> DEVICE void product_clear(float (&c)[N][4])
{
	UNROLL
	for (int n = 0; n < N; n++) {
		UNROLL
		for (int j = 0; j < 4; j++)
			c[n][j] = 0;
	}
}

#if ELEM == ELEM_F32

template <int N, int K>
DEVICE void product_by_rows(
	float (&c)[N][4], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	for (int k = 0; k < K; k += 4) {
		float x[2][4];
		UNROLL
		for (int i = 0; i < 2; i++)
			quad_floats(shared_load(a + (lane_row() + 8 * i) * a_pitch + k), x[i]);
		UNROLL
		for (int n = 0; n < N; n++) {
			UNROLL
			for (int j = 0; j < 2; j++) {
				float y[4];
				quad_floats(
					shared_load(tile + (8 * n + lane_column() + j) * pitch + k),
					y);
				UNROLL
				for (int e = 0; e < 4; e++) {
					c[n][j] += x[0][e] * y[e];
					c[n][2 + j] += x[1][e] * y[e];
				}
			}
		}
	}
}

/* `row` and `step` are the distances in a from row to row and from k to k + 1. */
template <int N, int K>
DEVICE void product_columns(
	float (&c)[N][4], const elem *a, int row, int step, const elem *tile, int pitch)
{
	for (int k = 0; k < K; k++) {
		float x = a[lane_row() * row + k * step];
		float y = a[(lane_row() + 8) * row + k * step];
		UNROLL
		for (int n = 0; n < N; n++) {
			const elem *at = tile + k * pitch + 8 * n + lane_column();
			c[n][0] += x * at[0];
			c[n][1] += x * at[1];
			c[n][2] += y * at[0];
			c[n][3] += y * at[1];
		}
	}
}

template <int N, int K>
DEVICE void product_by_columns(
	float (&c)[N][4], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	product_columns<N, K>(c, a, a_pitch, 1, tile, pitch);
}

template <int N, int K>
DEVICE void product_turned(
	float (&c)[N][4], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	product_columns<N, K>(c, a, 1, a_pitch, tile, pitch);
}

#else

/* The two ways 32 lanes point at the rows of a 16x16 square: its quarters in the order upper left,
 * lower left, upper right, lower right, or upper left, upper right, lower left, lower right. */
DEVICE const elem *square_down(const elem *square, int pitch)
{
	return square + lane_index() % 16 * pitch + lane_index() / 16 * 8;
}

DEVICE const elem *square_across(const elem *square, int pitch)
{
	int row = lane_index() % 8 + lane_index() / 16 * 8;
	return square + row * pitch + lane_index() / 8 % 2 * 8;
}

/* A operand: 16 rows, or 16 columns, of a tile. */
DEVICE void a_load(u32 (&a)[4], const elem *square, int pitch)
{
	ldmatrix(a, square_down(square, pitch));
}

DEVICE void a_load_turned(u32 (&a)[4], const elem *square, int pitch)
{
	ldmatrix_transposed(a, square_across(square, pitch));
}

/* c += a times 16 columns (from `tile` on) of a tile's rows. */
template <int N>
DEVICE void multiply_rows(float (&c)[N][4], const u32 (&a)[4], const elem *tile, int pitch)
{
	UNROLL
	for (int n = 0; n < N; n += 2) {
		u32 b[4];
		ldmatrix(b, square_across(tile + 8 * n * pitch, pitch));
		mma(c[n], a, b);
		mma(c[n + 1], a, b + 2);
	}
}

/* c += a times 16 rows (from `tile` on) of a tile's columns. */
template <int N>
DEVICE void multiply_columns(float (&c)[N][4], const u32 (&a)[4], const elem *tile, int pitch)
{
	UNROLL
	for (int n = 0; n < N; n += 2) {
		u32 b[4];
		ldmatrix_transposed(b, square_down(tile + 8 * n, pitch));
		mma(c[n], a, b);
		mma(c[n + 1], a, b + 2);
	}
}

/* c[0..2) and c[2..4) of 16 columns as the A operand of 16 k. */
DEVICE void a_from_products(u32 (&a)[4], const float (&low)[4], const float (&high)[4])
{
	a[0] = pair_narrow(low[0], low[1]);
	a[1] = pair_narrow(low[2], low[3]);
	a[2] = pair_narrow(high[0], high[1]);
	a[3] = pair_narrow(high[2], high[3]);
}

template <int N, int K>
DEVICE void product_by_rows(
	float (&c)[N][4], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	UNROLL
	for (int k = 0; k < K; k += 16) {
		u32 square[4];
		a_load(square, a + k, a_pitch);
		multiply_rows(c, square, tile + k, pitch);
	}
}

template <int N, int K>
DEVICE void product_by_columns(
	float (&c)[N][4], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	UNROLL
	for (int k = 0; k < K; k += 16) {
		u32 square[4];
		a_load(square, a + k, a_pitch);
		multiply_columns(c, square, tile + k * pitch, pitch);
	}
}

template <int N, int K>
DEVICE void product_turned(
	float (&c)[N][4], const elem *a, int a_pitch, const elem *tile, int pitch)
{
	UNROLL
	for (int k = 0; k < K; k += 16) {
		u32 square[4];
		a_load_turned(square, a + k * a_pitch, a_pitch);
		multiply_columns(c, square, tile + k * pitch, pitch);
	}
}

#endif

/* Puts a product into a tile as elements. */
template <int N> DEVICE void product_store(const float (&c)[N][4], elem *tile, int pitch)
{
	elem *at = tile + lane_row() * pitch + lane_column();
	UNROLL
	for (int n = 0; n < N; n++) {
		pair_store(at + 8 * n, c[n][0], c[n][1]);
		pair_store(at + 8 * pitch + 8 * n, c[n][2], c[n][3]);
	}
}

#endif
