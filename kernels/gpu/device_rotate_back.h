/* dQ of a tile's rows of one head, from its accumulator into dqkv: scaled and turned back. */
#ifndef KERNELS_GPU_DEVICE_ROTATE_BACK_H
#define KERNELS_GPU_DEVICE_ROTATE_BACK_H

#include "kernels/gpu/device_rows.h"

#define THREADS THREADS_rotate_back(ROWS, KEYS)

DEVICE void floats_load(const float *from, float (&x)[QUAD])
{
	UNROLL
	for (int i = 0; i < QUAD; i += 4)
		quad_floats(global_load(from + i), x + i);
}

KERNEL(rotate_back)
{
	const struct tile tile = args.tiles[block_x()];
	const int head = block_y();
	const struct place place = place_half();

	for (int row = place.row; row < args.tile_rows; row += THREADS / QUADS_HALF) {
		const int position = tile.first + row;
		if (position >= tile.length)
			continue;
		const i64 token = tile.start + position;
		const i64 angle = (i64)position * HALF_DIM + place.column;
		const float *from = args.dq + head_offset(args, token, 1, 0, head) + place.column;
		elem *to = (elem *)args.dqkv + head_offset(args, token, PARTS, QUERY, head) +
			   place.column;
		struct angles angles = angles_load(args.cos + angle, args.sin + angle);
		float x[QUAD], y[QUAD];
		floats_load(from, x);
		floats_load(from + HALF_DIM, y);
		UNROLL
		for (int i = 0; i < QUAD; i++) {
			angles.cos[i] *= args.scale;
			angles.sin[i] *= -args.scale;
		}
		rotate(x, y, angles);
		global_store(to, quad_narrow(x));
		global_store(to + HALF_DIM, quad_narrow(y));
	}
}

#endif
