/* Backward: dK and dV of KEYS keys of one head, a wave to 16 of them, over the query tiles that
 * reach them; and what they add to dQ. Every operand comes from a tile in shared memory, of which
 * there is one each; P and then dS pass through the same one. Accumulators stay in registers. */
#include "kernels/gpu/device_gradient.h"

#define THREADS     THREADS_attend_back(ROWS, KEYS)
#define WEIGHTS_ROW PITCH(ROWS, (int)sizeof(elem))

static_assert(ROWS == KEYS, "a wave to 16 keys is a wave to 16 queries");

KERNEL(attend_back)
{
	SHARED_BEGIN;
	SHARED(elem, keys, KEYS * ROW);
	SHARED(elem, values, KEYS * ROW);
	SHARED(elem, queries, ROWS * ROW);
	SHARED(elem, douts, ROWS * ROW);
	SHARED(elem, weights, KEYS * WEIGHTS_ROW);
	SHARED(float, statistics, 2 * ROWS);

	const struct tile tile = args.tiles[block_x()];
	const struct field field = field_of(args, tile);
	const struct span span = span_reached(field, tile.first, KEYS, ROWS);
	const int head = block_y(), key = tile.first + warp_row();
	const struct source source_q = source_qkv(args, tile, QUERY, head);
	const struct source source_o = source_dout(args, tile, head);
	elem *own_weights = weights + warp_row() * WEIGHTS_ROW;

	float dk[HEAD_DIM / STRIP][CELLS], dv[HEAD_DIM / STRIP][CELLS];
	product_clear(dk);
	product_clear(dv);
	rows_load<KEYS, THREADS>(source_qkv(args, tile, VALUE, head), tile.first, values);
	rows_rotate<KEYS, THREADS>(args, source_qkv(args, tile, KEY, head), tile.first, keys);

	for (int i = span.low; i < span.high; i += ROWS) {
		const struct patch own_keys = {i, ROWS, key, 16};
		const struct patch own_queries = {i + warp_row(), 16, tile.first, KEYS};
		float p[ROWS / STRIP][CELLS], s[ROWS / STRIP][CELLS];
		product_clear(p);
		product_clear(s);
		rows_load<ROWS, THREADS>(source_o, i, douts);
		rows_rotate<ROWS, THREADS>(args, source_q, i, queries);
		statistic_store(statistic_load(args, tile, i, head), statistics);
		barrier();
		if (sees_some(field, own_keys)) {
			product_by_rows<ROWS / STRIP, HEAD_DIM>(
				p, keys + warp_row() * ROW, ROW, queries, ROW);
			product_by_rows<ROWS / STRIP, HEAD_DIM>(
				s, values + warp_row() * ROW, ROW, douts, ROW);
			scores_mask<true>(p, field, own_keys);
			weigh_keys(p, s, args.scale * LOG2_E, statistics);
			product_store(p, own_weights, WEIGHTS_ROW);
			warp_barrier();
			product_by_columns<HEAD_DIM / STRIP, ROWS>(
				dv, own_weights, WEIGHTS_ROW, douts, ROW);
			warp_barrier();
		}
		product_store(s, own_weights, WEIGHTS_ROW);
		barrier();
		if (sees_some(field, own_keys))
			product_by_columns<HEAD_DIM / STRIP, ROWS>(
				dk, own_weights, WEIGHTS_ROW, queries, ROW);
		if (sees_some(field, own_queries)) {
			float dq[HEAD_DIM / STRIP][CELLS];
			product_clear(dq);
			product_turned<HEAD_DIM / STRIP, KEYS>(
				dq, weights + warp_row(), WEIGHTS_ROW, keys, ROW);
			gradient_add(dq, args, tile, own_queries.i, head);
		}
		barrier();
	}
	gradient_turn_back(dk, args, tile, key);
	gradient_store(dk, args, tile, KEY, key, head);
	gradient_store(dv, args, tile, VALUE, key, head);
}
