/* Operands of NVIDIA's matrix unit from tiles in shared memory. */
#ifndef KERNELS_GPU_DEVICE_MMA_H
#define KERNELS_GPU_DEVICE_MMA_H

#include "kernels/gpu/device_elem.h"
#include "kernels/gpu/device_lanes.h"

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

#endif
