/* Backward: dK and dV of KEYS keys of one head, a wave to 16 of them, over the query tiles that
 * reach them; and, unless SPLIT leaves that to attend_back_q, what they add to dQ. Keys, values, P
 * and dS stay in registers: P and dS of 16 queries are the next products' operands. dS goes through
 * shared memory once for dQ, of which a wave takes 16 queries. The next queries, and where there are
 * registers for it dout, are on their way during this tile's products. */
#include "kernels/gpu/device_gradient.h"
#include "kernels/gpu/device_operand.h"

#define THREADS THREADS_attend_back_mma(ROWS, KEYS)
#define DS_ROW  PITCH(ROWS, (int)sizeof(elem))
#define AHEAD   (GFX != 11) /* of dout: gfx11's fragments leave no room */

static_assert(ROWS == KEYS, "a wave to 16 keys is a wave to 16 queries");

KERNEL(attend_back_mma)
{
	SHARED_BEGIN;
	SHARED(elem, keys, KEYS * ROW);
	SHARED(elem, queries, ROWS * ROW);
	SHARED(elem, douts, ROWS * ROW);
	SHARED(elem, ds, KEYS * DS_ROW);
	SHARED(float, statistics, 2 * ROWS);

	const struct tile tile = args.tiles[block_x()];
	const struct field field = field_of(args, tile);
	const struct span span = span_reached(field, tile.first, KEYS, ROWS);
	const int head = block_y(), key = tile.first + warp_row();
	const struct source source_q = source_qkv(args, tile, QUERY, head);
	const struct source source_o = source_dout(args, tile, head);

	struct held<ROWS, THREADS> next_q, next_o;
	u32 own_keys[HEAD_DIM / 16][FRAGMENT], own_values[HEAD_DIM / 16][FRAGMENT];
	float statistic = statistic_load(args, tile, span.low, head);
	held_load(next_q, source_q, span.low);
	if (AHEAD)
		held_load(next_o, source_o, span.low);
	operand_load(own_values, source_qkv(args, tile, VALUE, head), key);
	operand_load(own_keys, source_qkv(args, tile, KEY, head), key);
	operand_rotate(own_keys, args, tile, key);
	if (!SPLIT)
		operand_store(own_keys, keys + warp_row() * ROW, ROW);

	float dk[HEAD_DIM / STRIP][CELLS], dv[HEAD_DIM / STRIP][CELLS];
	product_clear(dk);
	product_clear(dv);

	for (int i = span.low; i < span.high; i += ROWS) {
		held_store(next_q, args, source_q, i, queries);
		if (AHEAD)
			held_store_plain(next_o, douts);
		else
			rows_load<ROWS, THREADS>(source_o, i, douts);
		statistic_store(statistic, statistics);
		barrier();
		if (i + ROWS < span.high) {
			held_load(next_q, source_q, i + ROWS);
			if (AHEAD)
				held_load(next_o, source_o, i + ROWS);
			statistic = statistic_load(args, tile, i + ROWS, head);
		}
		ROLLED
		for (int q = 0; q < ROWS; q += 16) {
			const struct patch patch = {i + q, 16, key, 16};
			const elem *some_queries = queries + q * ROW, *some_douts = douts + q * ROW;
			float p[1][CELLS], s[1][CELLS];
			product_clear(p);
			product_clear(s);
			if (sees_some(field, patch)) {
				u32 weights[FRAGMENT];
				UNROLL
				for (int k = 0; k < HEAD_DIM / 16; k++) {
					multiply_rows(p, own_keys[k], some_queries + 16 * k, ROW);
					multiply_rows(s, own_values[k], some_douts + 16 * k, ROW);
				}
				scores_mask<true>(p, field, patch);
				weigh_keys(p, s, args.scale * LOG2_E, statistics + q);
				a_from_product(weights, p[0]);
				multiply_columns(dv, weights, some_douts, ROW);
				a_from_product(weights, s[0]);
				multiply_columns(dk, weights, some_queries, ROW);
			}
			if (!SPLIT)
				product_store(s, ds + warp_row() * DS_ROW + q, DS_ROW);
		}
		barrier();
		const struct patch own_queries = {i + warp_row(), 16, tile.first, KEYS};
		if (!SPLIT && sees_some(field, own_queries)) {
			float dq[HEAD_DIM / STRIP][CELLS];
			product_clear(dq);
			product_turned<HEAD_DIM / STRIP, KEYS>(
				dq, ds + warp_row(), DS_ROW, keys, ROW);
			gradient_add(dq, args, tile, own_queries.i, head);
		}
	}
	gradient_turn_back(dk, args, tile, key);
	gradient_store(dk, args, tile, KEY, key, head);
	gradient_store(dv, args, tile, VALUE, key, head);
}
