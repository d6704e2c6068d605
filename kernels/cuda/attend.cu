/* Forward: `out` and `lse` of ROWS queries of one head, a warp to 16 of them. Every operand comes
 * from a tile in shared memory; scores and outputs stay in registers. */
#include "kernels/gpu/device_rows.h"
#include "kernels/gpu/device_softmax.h"

#define THREADS     THREADS_attend(ROWS, KEYS)
#define WEIGHTS_ROW PITCH(KEYS, (int)sizeof(elem))

KERNEL(attend)
{
	SHARED_BEGIN;
	SHARED(elem, queries, ROWS * ROW);
	SHARED(elem, keys, KEYS * ROW);
	SHARED(elem, values, 2 * KEYS * ROW);
	SHARED(elem, weights, ROWS * WEIGHTS_ROW);

	const struct tile tile = args.tiles[block_x()];
	const int head = block_y(), row = tile.first + warp_row();
	const struct field field = field_of(args, tile);
	const struct span span = span_reached(field, tile.first, ROWS, KEYS);
	const struct source source_k = source_qkv(args, tile, KEY, head);
	const struct source source_v = source_qkv(args, tile, VALUE, head);
	elem *own_queries = queries + warp_row() * ROW;
	elem *own_weights = weights + warp_row() * WEIGHTS_ROW;

	struct held<ROWS, THREADS> next_q;
	struct held<KEYS, THREADS> next_k;
	const struct source source_q = source_qkv(args, tile, QUERY, head);
	rows_copy<KEYS, THREADS>(source_v, span.low, values);
	held_load(next_q, source_q, tile.first);
	held_load(next_k, source_k, span.low);
	held_store(next_q, args, source_q, tile.first, queries);
	held_store(next_k, args, source_k, span.low, keys);

	float out[HEAD_DIM / 8][4];
	struct softmax softmax;
	product_clear(out);
	softmax_begin(softmax);

	for (int j = span.low, turn = 0; j < span.high; j += KEYS, turn ^= 1) {
		const int next = j + KEYS;
		const struct patch patch = {row, 16, j, KEYS};
		const elem *now_v = values + turn * KEYS * ROW;
		copy_wait();
		barrier();
		if (next < span.high) {
			held_load(next_k, source_k, next);
			rows_copy<KEYS, THREADS>(source_v, next, values + (turn ^ 1) * KEYS * ROW);
		}
		if (sees_some(field, patch)) {
			float scores[KEYS / 8][4], shrink[2];
			product_clear(scores);
			product_by_rows<KEYS / 8, HEAD_DIM>(scores, own_queries, ROW, keys, ROW);
			scores_mask<false>(scores, field, patch);
			softmax_weigh(softmax, scores, args.scale * LOG2_E, shrink);
			product_shrink(out, shrink);
			product_store(scores, own_weights, WEIGHTS_ROW);
			warp_barrier();
			product_by_columns<HEAD_DIM / 8, KEYS>(
				out, own_weights, WEIGHTS_ROW, now_v, ROW);
		}
		if (next < span.high) {
			barrier();
			held_store(next_k, args, source_k, next, keys);
		}
	}
	softmax_finish(softmax, out, args, tile, row, head);
}
