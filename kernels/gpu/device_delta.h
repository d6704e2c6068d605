/* delta of a tile's rows of one head, sum of dO O; and zeroes for dQ to be added to. */
#ifndef KERNELS_GPU_DEVICE_DELTA_H
#define KERNELS_GPU_DEVICE_DELTA_H

#include "kernels/gpu/device_rows.h"

#define THREADS THREADS_delta(ROWS, KEYS)
#define LANES   QUADS_ROW /* of a row */

DEVICE float quad_dot(struct quad left, struct quad right)
{
	float x[QUAD], y[QUAD], sum = 0;
	quad_widen(left, x);
	quad_widen(right, y);
	UNROLL
	for (int i = 0; i < QUAD; i++)
		sum += x[i] * y[i];
	return sum;
}

DEVICE float lanes_sum(float x)
{
	UNROLL
	for (int mask = 1; mask < LANES; mask *= 2)
		x += shuffle_xor(x, mask);
	return x;
}

KERNEL(delta)
{
	const struct tile tile = args.tiles[block_x()];
	const int head = block_y(), lane = thread_index() % LANES;

	for (int base = 0; base < args.tile_rows; base += THREADS / LANES) {
		const int row = base + thread_index() / LANES;
		const bool valid = row < args.tile_rows && tile.first + row < tile.length;
		const i64 token = tile.start + tile.first + row;
		const i64 at = head_offset(args, token, 1, 0, head);
		float sum = 0;
		if (valid)
			sum = quad_dot(global_load((const elem *)args.out + at + lane * QUAD),
				global_load((const elem *)args.dout + at + lane * QUAD));
		sum = lanes_sum(sum);
		if (!valid)
			continue;
		if (lane == 0)
			args.delta[head * args.tokens + token] = sum;
		for (int column = lane * 4; args.dq && column < HEAD_DIM; column += LANES * 4)
			global_store(args.dq + at + column, quad_zero());
	}
}

#endif
