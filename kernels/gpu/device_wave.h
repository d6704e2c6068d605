/* Operands of AMD's matrix units from tiles in shared memory. Rows of its A and columns of its B
 * lie alike, so that one fragment serves as either; which 16 of a sum a slot stands for is free as
 * long as both operands agree, and is here the order in memory. */
#ifndef KERNELS_GPU_DEVICE_WAVE_H
#define KERNELS_GPU_DEVICE_WAVE_H

#include "kernels/gpu/device_elem.h"
#include "kernels/gpu/device_lanes.h"

#define SLOTS (2 * FRAGMENT) /* elements of a fragment */

/* The first of 16 columns that is in this lane's slots. */
DEVICE int lane_slot()
{
	return GFX == 11 ? 0 : lane_index() / 16 * SLOTS;
}

struct alignas(8) half_quad {
	u32 words[2];
};

/* SLOTS elements: four, eight, or eight and as many `apart`. */
DEVICE void slots_load(u32 (&a)[FRAGMENT], const elem *from, int apart)
{
	if (FRAGMENT == 2) {
		const struct half_quad half = *(const struct half_quad *)from;
		a[0] = half.words[0];
		a[1] = half.words[1];
		return;
	}
	UNROLL
	for (int i = 0; i < FRAGMENT; i += 4) {
		const struct quad quad = shared_load(from + i / 4 * apart);
		UNROLL
		for (int word = 0; word < 4; word++)
			a[i + word] = quad.words[word];
	}
}

/* 16 rows of a tile. */
DEVICE void a_load(u32 (&a)[FRAGMENT], const elem *square, int pitch)
{
	slots_load(a, square + lane_row() * pitch + lane_slot(), 8);
}

/* 16 columns of a tile, element by element. */
DEVICE void a_load_turned(u32 (&a)[FRAGMENT], const elem *square, int pitch)
{
	const elem *at = square + lane_slot() * pitch + lane_row();
	UNROLL
	for (int i = 0; i < FRAGMENT; i++, at += 2 * pitch)
		a[i] = at[0] | (u32)at[pitch] << 16;
}

/* c += a times 16 columns (from `tile` on) of a tile's rows. */
template <int N>
DEVICE void multiply_rows(
	float (&c)[N][CELLS], const u32 (&a)[FRAGMENT], const elem *tile, int pitch)
{
	UNROLL
	for (int n = 0; n < N; n++) {
		u32 b[FRAGMENT];
		a_load(b, tile + STRIP * n * pitch, pitch);
		mma(c[n], b, a);
		settle();
	}
}

/* c += a times 16 rows (from `tile` on) of a tile's columns. */
template <int N>
DEVICE void multiply_columns(
	float (&c)[N][CELLS], const u32 (&a)[FRAGMENT], const elem *tile, int pitch)
{
	UNROLL
	for (int n = 0; n < N; n++) {
		u32 b[FRAGMENT];
		a_load_turned(b, tile + STRIP * n, pitch);
		mma(c[n], b, a);
		settle();
	}
}

/* The same, from row `row` on of a tile that is stored turned (kernels/gpu/shared_hip.h): its
 * columns' elements lie side by side as a fragment wants them. */
template <int N>
DEVICE void multiply_turned(
	float (&c)[N][CELLS], const u32 (&a)[FRAGMENT], const elem *tile, int row)
{
	const int first = row + lane_slot();
	const elem *at = tile + first / 8 * TURNED_GROUP + lane_row() * 8 + first % 8;
	UNROLL
	for (int n = 0; n < N; n++) {
		u32 b[FRAGMENT];
		slots_load(b, at + STRIP * 8 * n, TURNED_GROUP);
		mma(c[n], b, a);
	}
}

/* A strip of a product as an operand. On gfx11 a lane has every other column and is to have all. */
DEVICE void a_from_product(u32 (&a)[FRAGMENT], const float (&c)[CELLS])
{
	u32 own[CELLS / 2];
	UNROLL
	for (int i = 0; i < CELLS / 2; i++)
		own[i] = pair_narrow(c[2 * i], c[2 * i + 1]);
	UNROLL
	for (int i = 0; i < CELLS / 2; i++) {
		if (GFX != 11) {
			a[i] = own[i];
			continue;
		}
		const u32 other = float_word(shuffle_xor(word_float(own[i]), 16));
		const u32 even = lane_index() < 16 ? own[i] : other;
		const u32 odd = lane_index() < 16 ? other : own[i];
		a[2 * i % FRAGMENT] = (even & 0xffffu) | odd << 16;
		a[(2 * i + 1) % FRAGMENT] = even >> 16 | (odd & 0xffff0000u);
	}
}

#endif
