/* Rows of one head on their way from global memory to a tile in shared memory. */
#ifndef KERNELS_GPU_DEVICE_ROWS_H
#define KERNELS_GPU_DEVICE_ROWS_H

#include "kernels/gpu/device_elem.h"

/* One head's rows of one tensor, from the first of a sequence on. */
struct source {
	const elem *base;
	i64 stride; /* elements from row to row */
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
		(i64)PARTS * args.heads * HEAD_DIM, tile.length};
}

DEVICE struct source source_dout(const struct args &args, const struct tile &tile, int head)
{
	const elem *base = (const elem *)args.dout;
	return {base + head_offset(args, tile.start, 1, 0, head), (i64)args.heads * HEAD_DIM,
		tile.length};
}

#define QUADS_HALF (HALF_DIM / QUAD) /* quads of half a row: a rotation joins one with its like */
#define QUADS_ROW  (HEAD_DIM / QUAD)

/* The row of a tile that an item of rotation work is about. With four items a row, items of 8 lanes
 * take rows r and r + 4, whose halves lie in different banks. */
DEVICE int item_row(int item)
{
	int row = item / QUADS_HALF;
	return QUADS_HALF == 4 ? (row & ~7) | (row & 1) << 2 | (row >> 1 & 3) : row;
}

DEVICE int item_column(int item)
{
	return item % QUADS_HALF * QUAD;
}

DEVICE struct quad quad_zero()
{
	return {{0, 0, 0, 0}};
}

/* A thread's share of COUNT rows that are to be rotated, held in registers. */
template <int COUNT, int THREADS> struct held {
	static constexpr int SHARE = COUNT * QUADS_HALF / THREADS;
	struct quad low[SHARE], high[SHARE];
};

/* Begins to load rows `first` and on; rows past the sequence's are zero. */
template <int COUNT, int THREADS>
DEVICE void held_load(struct held<COUNT, THREADS> &held, const struct source &source, int first)
{
	UNROLL
	for (int i = 0; i < held.SHARE; i++) {
		int item = thread_index() + i * THREADS, row = first + item_row(item);
		held.low[i] = held.high[i] = quad_zero();
		if (row < source.length) {
			const elem *at = source.base + row * source.stride + item_column(item);
			held.low[i] = global_load(at);
			held.high[i] = global_load(at + HALF_DIM);
		}
	}
}

/* The angles of QUAD dimensions from `column` on, at a position. */
struct angles {
	float cos[QUAD], sin[QUAD];
};

DEVICE struct angles angles_load(const struct args &args, int position, int column)
{
	struct angles angles;
	i64 at = (i64)position * HALF_DIM + column;
	UNROLL
	for (int i = 0; i < QUAD; i += 4) {
		quad_floats(global_load(args.cos + at + i), angles.cos + i);
		quad_floats(global_load(args.sin + at + i), angles.sin + i);
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

/* Rotates what was loaded by each row's position and puts it into a tile. */
template <int COUNT, int THREADS>
DEVICE void held_store(const struct held<COUNT, THREADS> &held, const struct args &args,
	const struct source &source, int first, elem *tile)
{
	UNROLL
	for (int i = 0; i < held.SHARE; i++) {
		int item = thread_index() + i * THREADS;
		int row = item_row(item), column = item_column(item);
		struct quad low = held.low[i], high = held.high[i];
		if (first + row < source.length) {
			float x[QUAD], y[QUAD];
			quad_widen(low, x);
			quad_widen(high, y);
			rotate(x, y, angles_load(args, first + row, column));
			low = quad_narrow(x);
			high = quad_narrow(y);
		}
		shared_store(tile + row * ROW + column, low);
		shared_store(tile + row * ROW + column + HALF_DIM, high);
	}
}

/* Begins to copy COUNT rows as they are into a tile; rows past the sequence's become zero. */
template <int COUNT, int THREADS>
DEVICE void rows_copy(const struct source &source, int first, elem *tile)
{
	UNROLL
	for (int i = 0; i < COUNT * QUADS_ROW / THREADS; i++) {
		int item = thread_index() + i * THREADS;
		int row = item / QUADS_ROW, column = item % QUADS_ROW * QUAD;
		bool valid = first + row < source.length;
		const elem *from = source.base + (valid ? first + row : 0) * source.stride + column;
		copy(tile + row * ROW + column, from, valid);
	}
}

#endif
