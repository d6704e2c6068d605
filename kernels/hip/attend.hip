/* Forward: `out` and `lse` of ROWS queries of one head, a wave to 16 of them. Every operand comes
 * from a tile in shared memory, of which there is one each: what a tile's arrival costs is hidden by
 * the other blocks that little memory leaves room for. */
#include "kernels/gpu/device_rows.h"
#include "kernels/gpu/device_softmax.h"

#define THREADS     THREADS_attend(ROWS, KEYS)
#define WEIGHTS_ROW PITCH(KEYS, (int)sizeof(elem))

KERNEL(attend)
{
	SHARED_BEGIN;
	SHARED(elem, queries, ROWS * ROW);
	SHARED(elem, keys, KEYS * ROW);
	SHARED(elem, values, KEYS * ROW);
	SHARED(elem, weights, ROWS * WEIGHTS_ROW);

	const struct tile tile = args.tiles[block_x()];
	const struct field field = field_of(args, tile);
	const struct span span = span_reached(field, tile.first, ROWS, KEYS);
	const int head = block_y(), row = tile.first + warp_row();
	const elem *own_queries = queries + warp_row() * ROW;
	elem *own_weights = weights + warp_row() * WEIGHTS_ROW;

	float out[HEAD_DIM / STRIP][CELLS];
	struct softmax softmax;
	product_clear(out);
	softmax_begin(softmax);
	rows_rotate<ROWS, THREADS>(args, source_qkv(args, tile, QUERY, head), tile.first, queries);

	for (int j = span.low; j < span.high; j += KEYS) {
		const struct patch patch = {row, 16, j, KEYS};
		rows_load<KEYS, THREADS>(source_qkv(args, tile, VALUE, head), j, values);
		rows_rotate<KEYS, THREADS>(args, source_qkv(args, tile, KEY, head), j, keys);
		barrier();
		if (sees_some(field, patch)) {
			float scores[KEYS / STRIP][CELLS], shrink[LANE_ROWS];
			product_clear(scores);
			product_by_rows<KEYS / STRIP, HEAD_DIM>(
				scores, own_queries, ROW, keys, ROW);
			scores_mask<false>(scores, field, patch);
			softmax_weigh(softmax, scores, args.scale * LOG2_E, shrink);
			product_store(scores, own_weights, WEIGHTS_ROW);
			product_shrink(out, shrink);
			warp_barrier();
			product_by_columns<HEAD_DIM / STRIP, KEYS>(
				out, own_weights, WEIGHTS_ROW, values, ROW);
		}
		barrier();
	}
	softmax_finish(softmax, out, args, tile, row, head);
}
