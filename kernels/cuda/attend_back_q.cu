/* Backward: dQ of ROWS queries of one head, a warp to 16 of them, over the key tiles they reach:
 * scores and dP anew, so that nothing is added up across blocks and gradients repeat bit for bit.
 * Queries, dout, dS and dQ stay in registers. Keys and values have two tiles each; queries and dout
 * pass through the second pair before it is needed. */
#include "kernels/gpu/device_gradient.h"

#define THREADS THREADS_attend_back_q(ROWS, KEYS)
#define TILE    (KEYS * ROW)

static_assert(ROWS <= KEYS, "queries and dout fit where keys and values go");

KERNEL(attend_back_q)
{
	SHARED_BEGIN;
	SHARED(elem, operands, 4 * TILE);

	const struct tile tile = args.tiles[block_x()];
	const int head = block_y(), query = tile.first + warp_row();
	const struct field field = field_of(args, tile);
	const struct span span = span_reached(field, tile.first, ROWS, KEYS);
	const float rate = args.scale * LOG2_E;
	const struct source source_k = source_qkv(args, tile, KEY, head);
	const struct source source_v = source_qkv(args, tile, VALUE, head);
	elem *now_k = operands, *now_v = operands + TILE;
	elem *then_k = operands + 2 * TILE, *then_v = operands + 3 * TILE;

	struct held<KEYS, THREADS> next_k;
	u32 own_queries[HEAD_DIM / 16][4], own_douts[HEAD_DIM / 16][4];
	rows_copy<KEYS, THREADS>(source_v, span.low, now_v);
	rows_copy<ROWS, THREADS>(source_dout(args, tile, head), tile.first, then_v);
	{
		const struct source source_q = source_qkv(args, tile, QUERY, head);
		struct held<ROWS, THREADS> held_q;
		held_load(held_q, source_q, tile.first);
		held_load(next_k, source_k, span.low);
		held_store(held_q, args, source_q, tile.first, then_k);
		held_store(next_k, args, source_k, span.low, now_k);
		copy_wait();
		barrier();
		UNROLL
		for (int k = 0; k < HEAD_DIM / 16; k++) {
			a_load(own_queries[k], then_k + warp_row() * ROW + 16 * k, ROW);
			a_load(own_douts[k], then_v + warp_row() * ROW + 16 * k, ROW);
		}
	}

	float dq[HEAD_DIM / 8][4], lse[2], delta[2];
	product_clear(dq);
	UNROLL
	for (int r = 0; r < 2; r++) {
		const int i = query + lane_row() + 8 * r;
		lse[r] = i < tile.length ? load_lse(args, tile.start + i, head) : 0;
		delta[r] = i < tile.length ? load_delta(args, tile.start + i, head) : 0;
	}

	for (int j = span.low; j < span.high; j += KEYS) {
		const int next = j + KEYS;
		copy_wait();
		barrier();
		if (next < span.high) {
			held_load(next_k, source_k, next);
			rows_copy<KEYS, THREADS>(source_v, next, then_v);
		}
		UNROLL
		for (int n = 0; n < KEYS; n += 16) {
			const struct patch patch = {query, 16, j + n, 16};
			float p[2][4], s[2][4];
			u32 weights[4];
			if (!sees_some(field, patch))
				continue;
			product_clear(p);
			product_clear(s);
			UNROLL
			for (int k = 0; k < HEAD_DIM / 16; k++) {
				const int at = n * ROW + 16 * k;
				multiply_rows(p, own_queries[k], now_k + at, ROW);
				multiply_rows(s, own_douts[k], now_v + at, ROW);
			}
			scores_mask<false>(p, field, patch);
			weigh_queries(p, s, rate, lse, delta);
			a_from_products(weights, s[0], s[1]);
			multiply_columns(dq, weights, now_k + n * ROW, ROW);
		}
		if (next < span.high)
			held_store(next_k, args, source_k, next, then_k);
		elem *swap_k = now_k, *swap_v = now_v;
		now_k = then_k, now_v = then_v;
		then_k = swap_k, then_v = swap_v;
	}
	gradient_turn_back(dq, args, tile, query);
	gradient_store(dq, args, tile, QUERY, query, head);
}
