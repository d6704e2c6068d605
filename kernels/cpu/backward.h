/* Backward by key blocks (Dao, "FlashAttention-2", 2023, algorithm 2): probabilities recomputed
 * from lse, dK and dV of a block gathered over every query tile it reaches, dQ added up over the
 * blocks in order, so that the gradient repeats bit for bit. */

struct backward {
	const struct cpu_pass *pass;
	const struct cpu_item *item;
	int64_t length, window;
	struct span queries; /* what the item's keys reach: the rows packed */
	float *keys;         /* [keys][D] rotated */
	float *key_panels, *value_panels;
	float *query, *dout; /* [queries][D] */
	float *dq;           /* [queries][D], of the rotated queries, or the shared partial */
	float *lse, *delta;  /* [queries], lse in base 2 */
	float *p, *ds;       /* [tile][tile_keys] probabilities and score gradients */
	float *dk, *dv;      /* [tile_keys][D] */
	float *staged;       /* [LANES][D] */
	struct ahead ahead;
};

static int64_t backward_layout(
	struct backward *b, const struct cpu_pass *pass, int64_t rows, float *scratch)
{
	float *next = scratch;
	int64_t tile = pass->tile_keys;
	int64_t keys = round_up(least(rows, pass->problem->longest), LANES);
	int64_t queries = packed_keys(pass->problem, rows);
	b->keys = carve(&next, keys * HEAD_DIM);
	b->key_panels = carve(&next, keys * HEAD_DIM);
	b->value_panels = carve(&next, keys * HEAD_DIM);
	b->query = carve(&next, queries * HEAD_DIM);
	b->dout = carve(&next, queries * HEAD_DIM);
	b->dq = carve(&next, queries * HEAD_DIM);
	b->lse = carve(&next, queries);
	b->delta = carve(&next, queries);
	b->p = carve(&next, tile * tile);
	b->ds = carve(&next, tile * tile);
	b->dk = carve(&next, tile * HEAD_DIM);
	b->dv = carve(&next, tile * HEAD_DIM);
	b->staged = carve(&next, LANES * HEAD_DIM);
	return next - scratch;
}

static int64_t backward_scratch(const struct cpu_pass *pass, int64_t rows)
{
	struct backward b;
	static float nowhere[1];
	return backward_layout(&b, pass, rows, nowhere);
}

/* Rows `first` on of one head of out or dout. */
static struct rows out_rows(const struct backward *b, const void *tensor, int64_t first)
{
	const struct problem *p = b->pass->problem;
	int64_t width = p->heads * HEAD_DIM;
	return (struct rows){tensor,
		(p->cu[b->item->sequence] + first) * width + b->item->head * HEAD_DIM, width};
}

/* delta = sum over d of dO * O, row by row. */
static void pack_delta(struct backward *b)
{
	const struct problem *p = b->pass->problem;
	for (int64_t i = b->queries.first; i < b->queries.end; i += LANES) {
		int64_t count = least(LANES, b->queries.end - i), at = i - b->queries.first;
		pack_plain(p->dtype, out_rows(b, b->pass->out, i), count, b->staged);
		for (int64_t r = 0; r < count; r++) {
			vec sum = vec_set(0);
			for (int j = 0; j < HEAD_DIM; j += LANES)
				sum += vec_load(b->staged + r * HEAD_DIM + j) *
				       vec_load(b->dout + (at + r) * HEAD_DIM + j);
			b->delta[at + r] = vec_sum_lanes(sum);
		}
	}
}

static void backward_pack(struct backward *b)
{
	const struct cpu_pass *pass = b->pass;
	const struct cpu_item *item = b->item;
	enum dtype dtype = pass->problem->dtype;
	int64_t keys = item->end - item->first, i = b->queries.first;
	int64_t queries = b->queries.end - i;
	pack_rotated(dtype, head_rows(pass, item, 1, item->first), keys,
		pass->cos + item->first * HALF_DIM, pass->sin + item->first * HALF_DIM, 1, b->keys);
	pack_panels(b->keys, keys, b->key_panels);
	for (int64_t j = 0; j < keys; j += LANES) {
		int64_t count = least(LANES, keys - j);
		pack_plain(dtype, head_rows(pass, item, 2, item->first + j), count, b->staged);
		pack_panels(b->staged, count, b->value_panels + j * HEAD_DIM);
	}
	pack_rotated(dtype, head_rows(pass, item, 0, i), queries, pass->cos + i * HALF_DIM,
		pass->sin + i * HALF_DIM, LOG2_E / sqrtf(HEAD_DIM), b->query);
	pack_plain(dtype, out_rows(b, pass->dout, i), queries, b->dout);
	const float *lse = pass->lse + item->head * pass->problem->tokens +
			   pass->problem->cu[item->sequence] + i;
	for (int64_t r = 0; r < queries; r++)
		b->lse[r] = lse[r] * LOG2_E;
	pack_delta(b);
}

/* Rows of p and ds: P = exp2(S - lse), dS = P (dP - delta) in vectors [from, to), 0 elsewhere. */
static inline void gradient_rows(
	struct backward *b, float *p, float *ds, int count, int64_t query, int from, int to)
{
	int64_t stride = b->pass->tile_keys;
	int vecs = (int)(stride / LANES);
	for (int r = 0; r < count; r++, p += stride, ds += stride) {
		vec lse = vec_set(b->lse[query + r]), delta = vec_set(b->delta[query + r]);
		for (int v = 0; v < vecs; v++) {
			vec weight = vec_set(0), slope = vec_set(0);
			if (v >= from && v < to) {
				weight = vec_exp2(vec_load(p + v * LANES) - lse);
				slope = weight * (vec_load(ds + v * LANES) - delta);
			}
			vec_store(p + v * LANES, weight);
			vec_store(ds + v * LANES, slope);
		}
	}
}

/* Query rows i .. i + count (`at` within the tile) against the key block: P, dS, and their dQ. */
static void backward_rows(struct backward *b, int64_t i, int64_t at, int count, struct span block)
{
	int64_t stride = b->pass->tile_keys, query = i - b->queries.first;
	struct span keys = span_within(
		span_in_reach((struct span){i, i + count}, b->window, b->length), block);
	int64_t aligned = block.first + round_down(keys.first - block.first, LANES);
	int64_t packed = (aligned - b->item->first) * HEAD_DIM;
	int from = (int)((aligned - block.first) / LANES);
	int vecs = (int)((keys.end - aligned + LANES - 1) / LANES);
	float *p = b->p + at * stride, *ds = b->ds + at * stride;
	int64_t column = from * LANES;
	struct operands scores = {.a = b->query + query * HEAD_DIM,
		.a_row = HEAD_DIM,
		.a_step = 1,
		.b = b->key_panels + packed,
		.b_vec = HEAD_DIM * LANES,
		.b_step = LANES,
		.depth = HEAD_DIM};
	struct operands slopes = scores;
	slopes.a = b->dout + query * HEAD_DIM;
	slopes.b = b->value_panels + packed;
	product(count, vecs, START_ZERO, scores, p + column, stride, NULL);
	product(count, vecs, START_ZERO, slopes, ds + column, stride, NULL);
	mask_block(p + column, stride, i, count, (struct span){aligned, keys.end}, b->window,
		b->length);
	gradient_rows(b, p, ds, count, query, from, from + vecs);
	product(count, HEAD_VECS, START_ADD,
		(struct operands){.a = ds + column,
			.a_row = stride,
			.a_step = 1,
			.b = b->keys + packed,
			.b_vec = LANES,
			.b_step = HEAD_DIM,
			.depth = keys.end - aligned},
		b->dq + query * HEAD_DIM, HEAD_DIM, NULL);
}

/* dV += Pᵀ dO and dK += dSᵀ Q for keys j .. j + count (`at` within the block). */
static void backward_keys(struct backward *b, int64_t j, int64_t at, int count, struct span tile)
{
	int64_t stride = b->pass->tile_keys;
	struct span rows =
		span_within(span_in_reach((struct span){j, j + count}, b->window, b->length), tile);
	if (rows.first >= rows.end)
		return;
	int64_t offset = (rows.first - tile.first) * stride + at;
	int64_t query = (rows.first - b->queries.first) * HEAD_DIM;
	struct operands values = {.a = b->p + offset,
		.a_row = 1,
		.a_step = stride,
		.b = b->dout + query,
		.b_vec = LANES,
		.b_step = HEAD_DIM,
		.depth = rows.end - rows.first};
	struct operands keys = values;
	keys.a = b->ds + offset;
	keys.b = b->query + query;
	product(count, HEAD_VECS, START_ADD, values, b->dv + at * HEAD_DIM, HEAD_DIM, NULL);
	product(count, HEAD_VECS, START_ADD, keys, b->dk + at * HEAD_DIM, HEAD_DIM, NULL);
}

/* dK rotated back, and dV, of the block's keys. The queries carried scale * log2(e); dK wants scale
 * alone. */
static void backward_write(struct backward *b, struct span block)
{
	mutant_strike(b->pass->tile_keys);
	for (int64_t j = block.first; j < block.end; j++) {
		float *dk = b->dk + (j - block.first) * HEAD_DIM;
		float *dv = b->dv + (j - block.first) * HEAD_DIM;
		struct rows key = head_rows(b->pass, b->item, 1, j);
		struct rows value = head_rows(b->pass, b->item, 2, j);
		if (MUTANT == mutant_unwritten && j == b->length - 1)
			continue;
		if (MUTANT == mutant_nan_output && j == b->length / 2)
			dv[0] = NAN;
		rotate_back(dk, b->pass->cos + j * HALF_DIM, b->pass->sin + j * HALF_DIM);
		unpack_row(b->pass->problem->dtype, b->pass->dqkv, key.at, dk, LN_2);
		unpack_row(b->pass->problem->dtype, b->pass->dqkv, value.at, dv, 1);
	}
}

/* One block of keys against every query tile it reaches. */
static void backward_block(struct backward *b, struct span block)
{
	int64_t tile_rows = b->pass->tile_rows;
	struct span reach = span_in_reach(block, b->window, b->length);
	memset(b->dk, 0, (size_t)((block.end - block.first) * HEAD_DIM) * sizeof *b->dk);
	memset(b->dv, 0, (size_t)((block.end - block.first) * HEAD_DIM) * sizeof *b->dv);
	for (int64_t i0 = reach.first; i0 < reach.end; i0 += tile_rows) {
		struct span tile = {i0, least(i0 + tile_rows, reach.end)};
		for (int64_t i = tile.first; i < tile.end;) {
			int count = next_share(tile.end - i);
			ahead_step(&b->ahead, count);
			backward_rows(b, i, i - tile.first, count, block);
			i += count;
		}
		for (int64_t j = block.first; j < block.end;) {
			int count = next_share(block.end - j);
			backward_keys(b, j, j - block.first, count, tile);
			j += count;
		}
	}
	backward_write(b, block);
}

/* The head's dQ for row i: the partial sums of the parts that reach it, in their order. */
static void gather_dq(struct backward *b, int64_t i, float row[HEAD_DIM])
{
	const struct cpu_item *item = b->item;
	memset(row, 0, HEAD_DIM * sizeof *row);
	for (int64_t part = 0; part < item->parts; part++) {
		struct span keys = part_of(b->length, item->parts, part);
		struct span reach = span_in_reach(keys, b->window, b->length);
		const float *dq =
			b->pass->partials + item->partial + (part * b->length + i) * HEAD_DIM;
		if (i < reach.first || i >= reach.end)
			continue;
		for (int j = 0; j < HEAD_DIM; j += LANES)
			vec_store(row + j, vec_load(row + j) + vec_load(dq + j));
	}
}

/* dQ rotated back and scaled, once every part of the head is done: the last one to finish does
 * it. */
static void backward_finish(struct backward *b)
{
	const struct cpu_item *item = b->item;
	if (item->parts > 1 && atomic_fetch_sub(&b->pass->pending[item->group], 1) > 1)
		return;
	for (int64_t i = 0; i < b->length; i++) {
		float row[HEAD_DIM];
		if (item->parts > 1)
			gather_dq(b, i, row);
		else
			memcpy(row, b->dq + i * HEAD_DIM, sizeof row);
		rotate_back(row, b->pass->cos + i * HALF_DIM, b->pass->sin + i * HALF_DIM);
		unpack_row(b->pass->problem->dtype, b->pass->dqkv,
			head_rows(b->pass, item, 0, i).at, row, 1 / sqrtf(HEAD_DIM));
	}
}

static void backward(const struct cpu_pass *pass, const struct cpu_item *item,
	const struct cpu_item *next, float *scratch)
{
	unsigned saved = subnormals_flush();
	struct backward b = {.pass = pass,
		.item = item,
		.length = pass->problem->lens[item->sequence],
		.window = reach_window(pass->problem),
		.ahead = ahead_of(pass, next, true)};
	b.queries = span_in_reach((struct span){item->first, item->end}, b.window, b.length);
	backward_layout(&b, pass, item->end - item->first, scratch);
	if (item->parts > 1)
		b.dq = pass->partials + item->partial +
		       (item->part * b.length + b.queries.first) * HEAD_DIM;
	memset(b.dq, 0, (size_t)((b.queries.end - b.queries.first) * HEAD_DIM) * sizeof *b.dq);
	backward_pack(&b);
	for (int64_t j = item->first; j < item->end; j += pass->tile_keys)
		backward_block(&b, (struct span){j, least(j + pass->tile_keys, item->end)});
	backward_finish(&b);
	subnormals_restore(saved);
}
