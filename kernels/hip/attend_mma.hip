/* Forward: `out` and `lse` of ROWS queries of one head, a wave to 16 of them. Scores are computed
 * turned, keys by queries, so that a lane has one query and what they leave is the next product's
 * operand. Queries are rotated in the registers they stay in; values lie turned in shared memory, so
 * that a lane's share of an operand is one load. The next tile is in registers on its way during this
 * one's products. */
#include "kernels/gpu/device_operand.h"
#include "kernels/gpu/device_softmax.h"

#define THREADS THREADS_attend_mma(ROWS, KEYS)

KERNEL(attend_mma)
{
	SHARED_BEGIN;
	SHARED(elem, keys, KEYS * ROW);
	SHARED(elem, values, KEYS / 8 * TURNED_GROUP);

	const struct tile tile = args.tiles[block_x()];
	const struct field field = field_of(args, tile);
	const struct span span = span_reached(field, tile.first, ROWS, KEYS);
	const int head = block_y(), row = tile.first + warp_row();
	const struct source source_k = source_qkv(args, tile, KEY, head);
	const struct source source_v = source_qkv(args, tile, VALUE, head);

	struct held<KEYS, THREADS> next_k;
	struct held_pairs<KEYS, THREADS> next_v;
	u32 queries[HEAD_DIM / 16][FRAGMENT];
	held_load(next_k, source_k, span.low);
	pairs_load(next_v, source_v, span.low);
	operand_load(queries, source_qkv(args, tile, QUERY, head), row);
	operand_rotate(queries, args, tile, row);

	float out[HEAD_DIM / STRIP][CELLS];
	struct softmax softmax;
	product_clear(out);
	softmax_begin(softmax);

	for (int j = span.low; j < span.high; j += KEYS) {
		const struct patch patch = {row, 16, j, KEYS};
		held_store(next_k, args, source_k, j, keys);
		pairs_store(next_v, values);
		barrier();
		if (j + KEYS < span.high) {
			held_load(next_k, source_k, j + KEYS);
			pairs_load(next_v, source_v, j + KEYS);
		}
		if (sees_some(field, patch)) {
			float scores[KEYS / STRIP][CELLS], shrink[LANE_ROWS];
			product_clear(scores);
			UNROLL
			for (int k = 0; k < HEAD_DIM / 16; k++)
				multiply_rows(scores, queries[k], keys + 16 * k, ROW);
			scores_mask<false>(scores, field, patch);
			softmax_weigh(softmax, scores, args.scale * LOG2_E, shrink);
			product_shrink(out, shrink);
			UNROLL
			for (int k = 0; k < KEYS / 16; k++) {
				u32 weights[FRAGMENT];
				a_from_product(weights, scores[k]);
				multiply_turned(out, weights, values, 16 * k);
			}
		}
		barrier();
	}
	softmax_finish(softmax, out, args, tile, row, head);
}
