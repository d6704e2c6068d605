/* Backward: dK and dV of KEYS keys of one head, a warp to 16 of them, over the query tiles that
 * reach them; and what they add to dQ. Every operand comes from a tile in shared memory, P and dS
 * too, 16 queries at a time; accumulators stay in registers. dS of the whole query tile is kept for
 * dQ, of which a warp takes 16 queries. */
#include "kernels/gpu/device_gradient.h"

#define THREADS     THREADS_attend_back(ROWS, KEYS)
#define DS_ROW      PITCH(ROWS, (int)sizeof(elem))
#define WEIGHTS_ROW PITCH(16, (int)sizeof(elem))

static_assert(ROWS == KEYS, "a warp to 16 keys is a warp to 16 queries");

KERNEL(attend_back)
{
	SHARED_BEGIN;
	SHARED(elem, keys, KEYS * ROW);
	SHARED(elem, values, KEYS * ROW);
	SHARED(elem, queries, ROWS * ROW);
	SHARED(elem, douts, ROWS * ROW);
	SHARED(elem, ds, KEYS * DS_ROW);
	SHARED(elem, weights, KEYS * WEIGHTS_ROW);
	SHARED(float, statistics, 2 * ROWS);

	const struct tile tile = args.tiles[block_x()];
	const int head = block_y(), key = tile.first + warp_row();
	const struct field field = field_of(args, tile);
	const struct span span = span_reached(field, tile.first, KEYS, ROWS);
	const float rate = args.scale * LOG2_E;
	const struct source source_q = source_qkv(args, tile, QUERY, head);
	const struct source source_k = source_qkv(args, tile, KEY, head);
	const struct source source_o = source_dout(args, tile, head);
	const elem *own_keys = keys + warp_row() * ROW, *own_values = values + warp_row() * ROW;
	elem *own_ds = ds + warp_row() * DS_ROW, *own_weights = weights + warp_row() * WEIGHTS_ROW;

	struct held<ROWS, THREADS> next_q;
	struct held<KEYS, THREADS> held_k;
	rows_copy<KEYS, THREADS>(source_qkv(args, tile, VALUE, head), tile.first, values);
	rows_copy<ROWS, THREADS>(source_o, span.low, douts);
	held_load(held_k, source_k, tile.first);
	held_load(next_q, source_q, span.low);
	float statistic = statistic_load(args, tile, span.low, head);
	held_store(held_k, args, source_k, tile.first, keys);
	held_store(next_q, args, source_q, span.low, queries);
	statistic_store(statistic, statistics);

	float dk[HEAD_DIM / 8][4], dv[HEAD_DIM / 8][4];
	product_clear(dk);
	product_clear(dv);

	for (int i = span.low; i < span.high; i += ROWS) {
		const int next = i + ROWS;
		copy_wait();
		barrier();
		if (next < span.high) {
			held_load(next_q, source_q, next);
			statistic = statistic_load(args, tile, next, head);
		}
		for (int q = 0; q < ROWS; q += 16) {
			const struct patch patch = {i + q, 16, key, 16};
			float p[2][4], s[2][4];
			product_clear(p);
			product_clear(s);
			if (sees_some(field, patch)) {
				product_by_rows<2, HEAD_DIM>(
					p, own_keys, ROW, queries + q * ROW, ROW);
				product_by_rows<2, HEAD_DIM>(
					s, own_values, ROW, douts + q * ROW, ROW);
				scores_mask<true>(p, field, patch);
				weigh_keys(p, s, rate, statistics + q);
			}
			product_store(p, own_weights, WEIGHTS_ROW);
			product_store(s, own_ds + q, DS_ROW);
			warp_barrier();
			product_by_columns<HEAD_DIM / 8, 16>(
				dv, own_weights, WEIGHTS_ROW, douts + q * ROW, ROW);
			product_by_columns<HEAD_DIM / 8, 16>(
				dk, own_ds + q, DS_ROW, queries + q * ROW, ROW);
			warp_barrier();
		}
		barrier();
		if (next < span.high)
			rows_copy<ROWS, THREADS>(source_o, next, douts);
		const int query = i + warp_row();
		if (sees_some(field, {query, 16, tile.first, KEYS})) {
			float dq[HEAD_DIM / 8][4];
			product_clear(dq);
			product_turned<HEAD_DIM / 8, KEYS>(dq, ds + warp_row(), DS_ROW, keys, ROW);
			gradient_add(dq, args, tile, query, head);
		}
		if (next < span.high) {
			held_store(next_q, args, source_q, next, queries);
			statistic_store(statistic, statistics);
		}
	}
	gradient_turn_back(dk, args, tile, key);
	gradient_store(dk, args, tile, KEY, key, head);
	gradient_store(dv, args, tile, VALUE, key, head);
}
