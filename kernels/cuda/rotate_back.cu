/* dQ of a tile's rows of one head, from its accumulator into dqkv: scaled and turned back. */
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
	const int items = args.tile_rows * QUADS_HALF;

	for (int item = thread_index(); item < items; item += THREADS) {
		const int position = tile.first + item / QUADS_HALF;
		const int column = item_column(item);
		if (position >= tile.length)
			return;
		const i64 token = tile.start + position;
		const float *from = args.dq + head_offset(args, token, 1, 0, head) + column;
		elem *to =
			(elem *)args.dqkv + head_offset(args, token, PARTS, QUERY, head) + column;
		struct angles angles = angles_load(args, position, column);
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
