/* Backward: dQ of ROWS queries of one head, a wave to 16 of them, over the key tiles they reach:
 * scores and dP anew, so that nothing is added up across blocks and gradients repeat bit for bit.
 * Queries, dout, dS and dQ stay in registers, where the next keys and values are on their way too
 * during this tile's products. */
#include "kernels/gpu/device_gradient.h"
#include "kernels/gpu/device_operand.h"

#define THREADS THREADS_attend_back_q(ROWS, KEYS)

KERNEL(attend_back_q)
{
	SHARED_BEGIN;
	SHARED(elem, keys, KEYS * ROW);
	SHARED(elem, values, KEYS * ROW);

	const struct tile tile = args.tiles[block_x()];
	const struct field field = field_of(args, tile);
	const struct span span = span_reached(field, tile.first, ROWS, KEYS);
	const int head = block_y(), query = tile.first + warp_row(), row = query + lane_row();
	const struct source source_k = source_qkv(args, tile, KEY, head);
	const struct source source_v = source_qkv(args, tile, VALUE, head);

	struct held<KEYS, THREADS> next_k, next_v;
	u32 own_queries[HEAD_DIM / 16][FRAGMENT], own_douts[HEAD_DIM / 16][FRAGMENT];
	held_load(next_k, source_k, span.low);
	held_load(next_v, source_v, span.low);
	operand_load(own_douts, source_dout(args, tile, head), query);
	operand_load(own_queries, source_qkv(args, tile, QUERY, head), query);
	operand_rotate(own_queries, args, tile, query);

	const i64 token = tile.start + row;
	const float lse[1] = {row < tile.length ? load_lse(args, token, head) : 0};
	const float delta[1] = {row < tile.length ? load_delta(args, token, head) : 0};
	float dq[HEAD_DIM / STRIP][CELLS];
	product_clear(dq);

	for (int j = span.low; j < span.high; j += KEYS) {
		held_store(next_k, args, source_k, j, keys);
		held_store_plain(next_v, values);
		barrier();
		if (j + KEYS < span.high) {
			held_load(next_k, source_k, j + KEYS);
			held_load(next_v, source_v, j + KEYS);
		}
		UNROLL
		for (int n = 0; n < KEYS; n += 16) {
			const struct patch patch = {query, 16, j + n, 16};
			float p[1][CELLS], s[1][CELLS];
			u32 weights[FRAGMENT];
			if (!sees_some(field, patch))
				continue;
			product_clear(p);
			product_clear(s);
			UNROLL
			for (int k = 0; k < HEAD_DIM / 16; k++) {
				multiply_rows(p, own_queries[k], keys + n * ROW + 16 * k, ROW);
				multiply_rows(s, own_douts[k], values + n * ROW + 16 * k, ROW);
			}
			scores_mask<false>(p, field, patch);
			weigh_queries(p, s, args.scale * LOG2_E, lse, delta);
			a_from_product(weights, s[0]);
			multiply_columns(dq, weights, keys + n * ROW, ROW);
		}
		barrier();
	}
	gradient_turn_back(dq, args, tile, query);
	gradient_store(dq, args, tile, QUERY, query, head);
}
