/* Backward: dK and dV of KEYS keys of one head, a warp to 16 of them, over the query tiles that
 * reach them; and, unless SPLIT leaves that to attend_back_q, what they add to dQ. Keys, values, P
 * and dS stay in registers: P and dS of 16 queries are the next products' A operands as they lie.
 * dS goes through shared memory once for dQ, of which a warp takes 16 queries. Queries and dout
 * have two tiles each; the values pass through one before it is needed. */
#include "kernels/gpu/device_gradient.h"

#define THREADS THREADS_attend_back_mma(ROWS, KEYS)
#define TILE    (ROWS * ROW)
#define DS_ROW  PITCH(ROWS, (int)sizeof(elem))

static_assert(ROWS == KEYS, "a warp to 16 keys is a warp to 16 queries");

/* Where a query tile's operands lie. */
struct turn {
	elem *queries, *douts;
	float *statistics;
};

KERNEL(attend_back_mma)
{
	SHARED_BEGIN;
	SHARED(elem, keys, KEYS * ROW);
	SHARED(elem, operands, 4 * TILE);
	SHARED(elem, ds, KEYS * DS_ROW);
	SHARED(float, statistics, 4 * ROWS);

	const struct tile tile = args.tiles[block_x()];
	const int head = block_y(), key = tile.first + warp_row();
	const struct field field = field_of(args, tile);
	const struct span span = span_reached(field, tile.first, KEYS, ROWS);
	const float rate = args.scale * LOG2_E;
	const struct source source_q = source_qkv(args, tile, QUERY, head);
	const struct source source_o = source_dout(args, tile, head);
	struct turn now = {operands, operands + TILE, statistics};
	struct turn then = {operands + 2 * TILE, operands + 3 * TILE, statistics + 2 * ROWS};

	struct held<ROWS, THREADS> next_q;
	u32 own_keys[HEAD_DIM / 16][4], own_values[HEAD_DIM / 16][4];
	float statistic = statistic_load(args, tile, span.low, head);
	rows_copy<ROWS, THREADS>(source_o, span.low, now.douts);
	rows_copy<KEYS, THREADS>(source_qkv(args, tile, VALUE, head), tile.first, then.douts);
	{
		const struct source source_k = source_qkv(args, tile, KEY, head);
		struct held<KEYS, THREADS> held_k;
		held_load(held_k, source_k, tile.first);
		held_load(next_q, source_q, span.low);
		held_store(held_k, args, source_k, tile.first, keys);
		held_store(next_q, args, source_q, span.low, now.queries);
		statistic_store(statistic, now.statistics);
		copy_wait();
		barrier();
		UNROLL
		for (int k = 0; k < HEAD_DIM / 16; k++) {
			a_load(own_keys[k], keys + warp_row() * ROW + 16 * k, ROW);
			a_load(own_values[k], then.douts + warp_row() * ROW + 16 * k, ROW);
		}
	}

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
			rows_copy<ROWS, THREADS>(source_o, next, then.douts);
		}
		UNROLL
		for (int q = 0; q < ROWS; q += 16) {
			const struct patch patch = {i + q, 16, key, 16};
			float p[2][4], s[2][4];
			product_clear(p);
			product_clear(s);
			if (sees_some(field, patch)) {
				u32 weights[4];
				UNROLL
				for (int k = 0; k < HEAD_DIM / 16; k++) {
					const int at = q * ROW + 16 * k;
					multiply_rows(p, own_keys[k], now.queries + at, ROW);
					multiply_rows(s, own_values[k], now.douts + at, ROW);
				}
				scores_mask<true>(p, field, patch);
				weigh_keys(p, s, rate, now.statistics + q);
				a_from_products(weights, p[0], p[1]);
				multiply_columns(dv, weights, now.douts + q * ROW, ROW);
				a_from_products(weights, s[0], s[1]);
				multiply_columns(dk, weights, now.queries + q * ROW, ROW);
			}
			if (!SPLIT)
				product_store(s, ds + warp_row() * DS_ROW + q, DS_ROW);
		}
		if (!SPLIT) {
			const int query = i + warp_row();
			barrier();
			if (sees_some(field, {query, 16, tile.first, KEYS})) {
				float dq[HEAD_DIM / 8][4];
				product_clear(dq);
				product_turned<HEAD_DIM / 8, KEYS>(
					dq, ds + warp_row(), DS_ROW, keys, ROW);
				gradient_add(dq, args, tile, query, head);
			}
		}
		if (next < span.high) {
			held_store(next_q, args, source_q, next, then.queries);
			statistic_store(statistic, then.statistics);
		}
		struct turn swap = now;
		now = then;
		then = swap;
	}
	gradient_turn_back(dk, args, tile, key);
	gradient_store(dk, args, tile, KEY, key, head);
	gradient_store(dv, args, tile, VALUE, key, head);
}
