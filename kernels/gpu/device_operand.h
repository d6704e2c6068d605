/* Operands of AMD's matrix units on their way from global memory: to registers as they stay there,
 * or to a tile that lies turned in shared memory (kernels/gpu/shared_hip.h). */
#ifndef KERNELS_GPU_DEVICE_OPERAND_H
#define KERNELS_GPU_DEVICE_OPERAND_H

#include "kernels/gpu/device_product.h"
#include "kernels/gpu/device_rows.h"

/* SLOTS elements of a row. */
DEVICE void slots_load_global(u32 (&a)[FRAGMENT], const elem *from)
{
	if (FRAGMENT == 2) {
		const struct half_quad half = *(const struct half_quad *)from;
		a[0] = half.words[0];
		a[1] = half.words[1];
		return;
	}
	UNROLL
	for (int i = 0; i < FRAGMENT; i += 4) {
		const struct quad quad = global_load(from + 2 * i);
		UNROLL
		for (int word = 0; word < 4; word++)
			a[i + word] = quad.words[word];
	}
}

/* The warp's 16 rows from `row` on, all columns; rows past the sequence's are zero. */
DEVICE void operand_load(u32 (&a)[HEAD_DIM / 16][FRAGMENT], const struct source &source, int row)
{
	const int i = row + lane_row();
	const elem *at = source.base + (i64)i * source.stride + lane_slot();
	UNROLL
	for (int k = 0; k < HEAD_DIM / 16; k++) {
		UNROLL
		for (int word = 0; word < FRAGMENT; word++)
			a[k][word] = 0;
		if (i < source.length)
			slots_load_global(a[k], at + 16 * k);
	}
}

/* Rotates them by their positions. Dimensions d and d + D/2 lie in the same lane and slot. */
DEVICE void operand_rotate(u32 (&a)[HEAD_DIM / 16][FRAGMENT], const struct args &args,
	const struct tile &tile, int row)
{
	const int i = row + lane_row();
	const i64 angle = (i64)i * HALF_DIM + lane_slot();
	if (i >= tile.length)
		return;
	UNROLL
	for (int k = 0; k < HALF_DIM / 16; k++) {
		UNROLL
		for (int word = 0; word < FRAGMENT; word++) {
			const float *cos = args.cos + angle + 16 * k + 2 * word;
			const float *sin = args.sin + angle + 16 * k + 2 * word;
			u32 &low = a[k][word], &high = a[k + HALF_DIM / 16][word];
			float x[2], y[2], turned[4];
			pair_widen(low, &x[0], &x[1]);
			pair_widen(high, &y[0], &y[1]);
			UNROLL
			for (int e = 0; e < 2; e++) {
				turned[e] = x[e] * cos[e] - y[e] * sin[e];
				turned[2 + e] = x[e] * sin[e] + y[e] * cos[e];
			}
			low = pair_narrow(turned[0], turned[1]);
			high = pair_narrow(turned[2], turned[3]);
		}
	}
}

/* Puts them into a tile. On gfx11 both halves of the wave have the same to put, so one does. */
DEVICE void operand_store(const u32 (&a)[HEAD_DIM / 16][FRAGMENT], elem *rows, int pitch)
{
	elem *at = rows + lane_row() * pitch + lane_slot();
	if (lane_slot() == 0 && lane_index() >= 16)
		return;
	UNROLL
	for (int k = 0; k < HEAD_DIM / 16; k++) {
		UNROLL
		for (int word = 0; word < FRAGMENT; word++)
			*(u32 *)(at + 16 * k + 2 * word) = a[k][word];
	}
}

/* A thread's share of COUNT rows that are to be turned: QUAD columns of pairs of rows. Sixteen
 * pairs side by side are stored in as many banks. */
template <int COUNT, int THREADS> struct held_pairs {
	static_assert(THREADS % (16 * QUADS_ROW) == 0, "sixteen pairs of all columns at once");
	static constexpr int STEP = 2 * THREADS / QUADS_ROW,
			     SHARE = STEP < COUNT ? COUNT / STEP : 1;
	struct quad upper[SHARE], lower[SHARE];
};

DEVICE struct place place_pair()
{
	const int pair = thread_index() % 16 + thread_index() / (16 * QUADS_ROW) * 16;
	return {2 * pair, thread_index() / 16 % QUADS_ROW * QUAD};
}

/* Begins to load rows `first` and on; rows past the sequence's are zero. */
template <int COUNT, int THREADS>
DEVICE void pairs_load(
	struct held_pairs<COUNT, THREADS> &held, const struct source &source, int first)
{
	const struct place place = place_pair();
	const int end = held.STEP > COUNT && place.row >= COUNT ? 0 : source.length;
	UNROLL
	for (int i = 0; i < held.SHARE; i++) {
		const int row = first + place.row + i * held.STEP;
		const elem *at = source.base + (i64)row * source.stride + place.column;
		held.upper[i] = held.lower[i] = quad_zero();
		if (row < end)
			held.upper[i] = global_load(at);
		if (row + 1 < end)
			held.lower[i] = global_load(at + source.stride);
	}
}

/* Puts what was loaded into a turned tile. */
template <int COUNT, int THREADS>
DEVICE void pairs_store(struct held_pairs<COUNT, THREADS> &held, elem *tile)
{
	const struct place place = place_pair();
	if (held.STEP > COUNT && place.row >= COUNT)
		return;
	UNROLL
	for (int i = 0; i < held.SHARE; i++) {
		const int row = place.row + i * held.STEP;
		elem *to = tile + row / 8 * TURNED_GROUP + place.column * 8 + row % 8;
		UNROLL
		for (int word = 0; word < 4; word++) {
			const u32 upper = held.upper[i].words[word];
			const u32 lower = held.lower[i].words[word];
			*(u32 *)(to + 16 * word) = (upper & 0xffffu) | lower << 16;
			*(u32 *)(to + 16 * word + 8) = upper >> 16 | (lower & 0xffff0000u);
		}
	}
}

#endif
