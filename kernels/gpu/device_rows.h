/* Rows of one head on their way from global memory to a tile in shared memory. */
#ifndef KERNELS_GPU_DEVICE_ROWS_H
#define KERNELS_GPU_DEVICE_ROWS_H

#include "kernels/gpu/device_elem.h"

/* One head's rows of one tensor, from the first of a sequence on. */
struct source {
	const elem *base;
	int stride; /* elements from row to row */
	int length; /* rows there are */
};

/* Of qkv (or, with `parts` 1, of a tensor of its output's shape) what `part` names. */
enum part { QUERY, KEY, VALUE };
#define PARTS 3

DEVICE i64 head_offset(const struct args &args, i64 token, int parts, int part, int head)
{
	return ((token * parts + part) * args.heads + head) * HEAD_DIM;
}

DEVICE struct source source_qkv(
	const struct args &args, const struct tile &tile, enum part part, int head)
{
	const elem *base = (const elem *)args.qkv;
	return {base + head_offset(args, tile.start, PARTS, part, head),
		PARTS * args.heads * HEAD_DIM, tile.length};
}

DEVICE struct source source_dout(const struct args &args, const struct tile &tile, int head)
{
	const elem *base = (const elem *)args.dout;
	return {base + head_offset(args, tile.start, 1, 0, head), args.heads * HEAD_DIM,
		tile.length};
}

#define QUADS_HALF (HALF_DIM / QUAD) /* quads of half a row: a rotation joins one with its like */
#define QUADS_ROW  (HEAD_DIM / QUAD)

/* A thread's place among rows that are to be rotated: its first row, and its column of both halves.
 * With four lanes a row, eight lanes take rows r and r + 4, which lie in different banks. */
struct place {
	int row, column;
};

DEVICE struct place place_half()
{
	int row = thread_index() / QUADS_HALF, column = thread_index() % QUADS_HALF * QUAD;
	if (QUADS_HALF == 4)
		row = (row & ~7) | (row & 1) << 2 | (row >> 1 & 3);
	return {row, column};
}

DEVICE struct place place_row()
{
	return {thread_index() / QUADS_ROW, thread_index() % QUADS_ROW * QUAD};
}

DEVICE struct quad quad_zero()
{
	return {{0, 0, 0, 0}};
}

/* A thread's share of COUNT rows that are to be rotated, held in registers. Where there are more
 * threads than that takes, those whose place is past the last row have none. */
template <int COUNT, int THREADS> struct held {
	static constexpr int STEP = THREADS / QUADS_HALF, SHARE = STEP < COUNT ? COUNT / STEP : 1;
	struct quad low[SHARE], high[SHARE];
};

/* Begins to load rows `first` and on; rows past the sequence's are zero. */
template <int COUNT, int THREADS>
DEVICE void held_load(struct held<COUNT, THREADS> &held, const struct source &source, int first)
{
	const struct place place = place_half();
	const elem *at = source.base + (i64)(first + place.row) * source.stride + place.column;
	const int end = held.STEP > COUNT && place.row >= COUNT ? 0 : source.length;
	UNROLL
	for (int i = 0; i < held.SHARE; i++, at += held.STEP * source.stride) {
		held.low[i] = held.high[i] = quad_zero();
		if (first + place.row + i * held.STEP < end) {
			held.low[i] = global_load(at);
			held.high[i] = global_load(at + HALF_DIM);
		}
	}
}

/* The angles of QUAD dimensions at a position. */
struct angles {
	float cos[QUAD], sin[QUAD];
};

DEVICE struct angles angles_load(const float *cos, const float *sin)
{
	struct angles angles;
	UNROLL
	for (int i = 0; i < QUAD; i += 4) {
		quad_floats(global_load(cos + i), angles.cos + i);
		quad_floats(global_load(sin + i), angles.sin + i);
	}
	return angles;
}

DEVICE void rotate(float (&x)[QUAD], float (&y)[QUAD], const struct angles &angles)
{
	UNROLL
	for (int i = 0; i < QUAD; i++) {
		float turned = x[i] * angles.cos[i] - y[i] * angles.sin[i];
		y[i] = x[i] * angles.sin[i] + y[i] * angles.cos[i];
		x[i] = turned;
	}
}

DEVICE void quads_rotate(struct quad &low, struct quad &high, const struct angles &angles)
{
	float x[QUAD], y[QUAD];
	quad_widen(low, x);
	quad_widen(high, y);
	rotate(x, y, angles);
	low = quad_narrow(x);
	high = quad_narrow(y);
}

/* Rotates what was loaded by each row's position and puts it into a tile. */
template <int COUNT, int THREADS>
DEVICE void held_store(struct held<COUNT, THREADS> &held, const struct args &args,
	const struct source &source, int first, elem *tile)
{
	const struct place place = place_half();
	const i64 angle = (i64)(first + place.row) * HALF_DIM + place.column;
	const float *cos = args.cos + angle, *sin = args.sin + angle;
	elem *to = tile + place.row * ROW + place.column;
	if (held.STEP > COUNT && place.row >= COUNT)
		return;
	UNROLL
	for (int i = 0; i < held.SHARE; i++) {
		const int row = i * held.STEP;
		if (first + place.row + row < source.length)
			quads_rotate(held.low[i], held.high[i],
				angles_load(cos + row * HALF_DIM, sin + row * HALF_DIM));
		shared_store(to + row * ROW, held.low[i]);
		shared_store(to + row * ROW + HALF_DIM, held.high[i]);
	}
}

/* Puts what was loaded into a tile as it is. */
template <int COUNT, int THREADS>
DEVICE void held_store_plain(const struct held<COUNT, THREADS> &held, elem *tile)
{
	const struct place place = place_half();
	elem *to = tile + place.row * ROW + place.column;
	if (held.STEP > COUNT && place.row >= COUNT)
		return;
	UNROLL
	for (int i = 0; i < held.SHARE; i++) {
		shared_store(to + i * held.STEP * ROW, held.low[i]);
		shared_store(to + i * held.STEP * ROW + HALF_DIM, held.high[i]);
	}
}

/* Rotates COUNT rows on their way into a tile. */
template <int COUNT, int THREADS>
DEVICE void rows_rotate(const struct args &args, const struct source &source, int first, elem *tile)
{
	struct held<COUNT, THREADS> held;
	held_load(held, source, first);
	held_store(held, args, source, first, tile);
}

#if GFX

/* Loads COUNT rows as they are into a tile; rows past the sequence's become zero. */
template <int COUNT, int THREADS>
DEVICE void rows_load(const struct source &source, int first, elem *tile)
{
	struct held<COUNT, THREADS> held;
	held_load(held, source, first);
	held_store_plain(held, tile);
}

#else

/* Begins to copy COUNT rows as they are into a tile; rows past the sequence's become zero. */
template <int COUNT, int THREADS>
DEVICE void rows_copy(const struct source &source, int first, elem *tile)
{
	constexpr int STEP = THREADS / QUADS_ROW;
	const struct place place = place_row();
	const elem *from = source.base + (i64)(first + place.row) * source.stride + place.column;
	elem *to = tile + place.row * ROW + place.column;
	UNROLL
	for (int i = 0; i < COUNT / STEP; i++, from += STEP * source.stride) {
		const bool valid = first + place.row + i * STEP < source.length;
		copy(to + i * STEP * ROW, valid ? from : source.base, valid);
	}
}

#endif

#endif
