/* Forward: `out` and `lse` of ROWS queries of one head, a warp to 16 of them. Queries, scores and
 * outputs stay in registers: the scores of 16 keys, weighed, are the next product's A operand as
 * they lie. Keys and values have two tiles each, so that one barrier a step suffices; the queries
 * pass through the second pair before it is needed. */
#include "kernels/gpu/device_rows.h"
#include "kernels/gpu/device_softmax.h"

#define THREADS THREADS_attend_mma(ROWS, KEYS)
#define TILE    (KEYS * ROW)

static_assert(ROWS <= 2 * KEYS, "the queries fit where a pair of tiles goes");

KERNEL(attend_mma)
{
	SHARED_BEGIN;
	SHARED(elem, operands, 4 * TILE);

	const struct tile tile = args.tiles[block_x()];
	const int head = block_y(), row = tile.first + warp_row();
	const struct field field = field_of(args, tile);
	const struct span span = span_reached(field, tile.first, ROWS, KEYS);
	const struct source source_k = source_qkv(args, tile, KEY, head);
	const struct source source_v = source_qkv(args, tile, VALUE, head);

	struct held<KEYS, THREADS> next_k;
	u32 queries[HEAD_DIM / 16][4];
	rows_copy<KEYS, THREADS>(source_v, span.low, operands + TILE);
	{
		const struct source source_q = source_qkv(args, tile, QUERY, head);
		struct held<ROWS, THREADS> held_q;
		held_load(held_q, source_q, tile.first);
		held_load(next_k, source_k, span.low);
		held_store(held_q, args, source_q, tile.first, operands + 2 * TILE);
		held_store(next_k, args, source_k, span.low, operands);
		barrier();
		UNROLL
		for (int k = 0; k < HEAD_DIM / 16; k++)
			a_load(queries[k], operands + 2 * TILE + warp_row() * ROW + 16 * k, ROW);
	}

	float out[HEAD_DIM / 8][4];
	struct softmax softmax;
	product_clear(out);
	softmax_begin(softmax);

	for (int j = span.low, turn = 0; j < span.high; j += KEYS, turn ^= 2) {
		const int next = j + KEYS;
		const struct patch patch = {row, 16, j, KEYS};
		elem *now = operands + turn * TILE, *then = operands + (turn ^ 2) * TILE;
		copy_wait();
		barrier();
		if (next < span.high) {
			held_load(next_k, source_k, next);
			rows_copy<KEYS, THREADS>(source_v, next, then + TILE);
		}
		if (sees_some(field, patch)) {
			float scores[KEYS / 8][4], shrink[2];
			product_clear(scores);
			UNROLL
			for (int k = 0; k < HEAD_DIM / 16; k++)
				multiply_rows(scores, queries[k], now + 16 * k, ROW);
			scores_mask<false>(scores, field, patch);
			softmax_weigh(softmax, scores, args.scale * LOG2_E, shrink);
			product_shrink(out, shrink);
			UNROLL
			for (int k = 0; k < KEYS / 16; k++) {
				u32 weights[4];
				a_from_products(weights, scores[2 * k], scores[2 * k + 1]);
				multiply_columns(out, weights, now + TILE + 16 * k * ROW, ROW);
			}
		}
		if (next < span.high)
			held_store(next_k, args, source_k, next, then);
	}
	softmax_finish(softmax, out, args, tile, row, head);
}
