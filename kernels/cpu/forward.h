/* Forward by tiles with an online softmax (Dao, "FlashAttention-2", 2023, algorithm 1): the score
 * matrix exists ROWS rows by a key tile at a time. */

#define LOWEST (-3.0e38f) /* below every score, yet finite: LOWEST - LOWEST is 0 */

struct forward {
	const struct cpu_pass *pass;
	const struct cpu_item *item;
	int64_t length, window;
	int64_t base;          /* first packed key, a multiple of LANES */
	float *keys;           /* panels, rotated */
	float *values;         /* [keys][D] */
	float *staged;         /* [LANES][D] */
	float *queries, *sums; /* [tile_rows][D], rotated and scaled; the unnormalised output */
	float *scores;         /* [ROWS][tile_keys] */
	float *top;            /* [tile_rows] running maximum */
	float *weight;         /* [tile_rows][LANES] running sum of exponentials, by lane */
	struct ahead ahead;
};

static int64_t packed_keys(const struct problem *problem, int64_t rows)
{
	int64_t longest = problem->longest;
	int64_t reach = problem->window == NO_WINDOW || problem->window >= longest
				? longest
				: least(longest, rows + 2 * (problem->window + 1));
	return round_up(reach, LANES) + LANES;
}

static float *carve(float **scratch, int64_t floats)
{
	float *piece = *scratch;
	*scratch += round_up(floats, 16);
	return piece;
}

/* Hands out `scratch`; returns how many floats that takes. */
static int64_t forward_layout(
	struct forward *f, const struct cpu_pass *pass, int64_t rows, float *scratch)
{
	float *next = scratch;
	int64_t keys = packed_keys(pass->problem, rows);
	f->keys = carve(&next, keys * HEAD_DIM);
	f->values = carve(&next, keys * HEAD_DIM);
	f->staged = carve(&next, LANES * HEAD_DIM);
	f->queries = carve(&next, pass->tile_rows * HEAD_DIM);
	f->sums = carve(&next, pass->tile_rows * HEAD_DIM);
	f->scores = carve(&next, ROWS * pass->tile_keys);
	f->top = carve(&next, pass->tile_rows);
	f->weight = carve(&next, pass->tile_rows * LANES);
	return next - scratch;
}

static int64_t forward_scratch(const struct cpu_pass *pass, int64_t rows)
{
	struct forward f;
	static float nowhere[1];
	return forward_layout(&f, pass, rows, nowhere);
}

/* Rows `first` on of one head of qkv: part 0 is queries, 1 keys, 2 values. */
static struct rows head_rows(
	const struct cpu_pass *pass, const struct cpu_item *item, int part, int64_t first)
{
	const struct problem *p = pass->problem;
	int64_t width = p->heads * HEAD_DIM;
	return (struct rows){pass->qkv,
		(p->cu[item->sequence] + first) * 3 * width + part * width + item->head * HEAD_DIM,
		3 * width};
}

static int64_t reach_window(const struct problem *problem)
{
	bool widened = MUTANT == mutant_far_key && problem->window != NO_WINDOW;
	return problem->window + widened;
}

/* Keys [span) rotated into panels at `to`, a panel at a time through `staged`. */
static void pack_key_panels(const struct cpu_pass *pass, const struct cpu_item *item,
	struct span span, float *staged, float *to)
{
	for (int64_t j = span.first; j < span.end; j += LANES, to += LANES * HEAD_DIM) {
		int64_t count = least(LANES, span.end - j);
		pack_rotated(pass->problem->dtype, head_rows(pass, item, 1, j), count,
			pass->cos + j * HALF_DIM, pass->sin + j * HALF_DIM, 1, staged);
		pack_panels(staged, count, to);
	}
}

/* Columns of a score row outside [low, high) become -inf. */
static inline void mask_row(float *row, int vecs, int64_t low, int64_t high)
{
	static const int32_t lanes[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
	ivec lane;
	memcpy(&lane, lanes, sizeof lane);
	for (int v = 0; v < vecs; v++) {
		if (low <= v * LANES && high >= (v + 1) * LANES)
			continue;
		ivec column = lane + v * LANES;
		ivec outside = (column < (int32_t)low) | (column >= (int32_t)high);
		ivec masked = ((ivec)vec_load(row + v * LANES) & ~outside) |
			      (outside & (ivec)vec_set(-INFINITY));
		vec_store(row + v * LANES, (vec)masked);
	}
}

/* Masks what rows i .. i + count of a block of keys [keys) may not see. Blocks inside every row's
 * window, whose keys fill their vectors, need none and are left alone. */
static inline void mask_block(float *scores, int64_t stride, int64_t i, int count, struct span keys,
	int64_t window, int64_t length)
{
	int vecs = (int)((keys.end - keys.first + LANES - 1) / LANES);
	bool inside = window == NO_WINDOW ||
		      (i + count - 1 - window <= keys.first && i + window + 1 >= keys.end);
	if (MUTANT == mutant_skipped_mask || (inside && (keys.end - keys.first) % LANES == 0))
		return;
	for (int r = 0; r < count; r++) {
		struct span seen = span_in_reach((struct span){i + r, i + r + 1}, window, length);
		seen = span_within(seen, keys);
		mask_row(scores + r * stride, vecs, most(0, seen.first - keys.first),
			most(0, seen.end - keys.first));
	}
}

/* Scores become exp2(score - top); `top` and `weight` take them in, and `decay` is what earlier
 * sums must be multiplied by. */
static inline void softmax_block(int count, int vecs, bool first, float *scores, int64_t stride,
	float *top, float *weight, float *decay)
{
	float change[16] = {0};
	for (int r = 0; r < count; r++) {
		const float *row = scores + r * stride;
		vec m = vec_set(first ? LOWEST : top[r]);
		for (int v = 0; v < vecs; v++)
			m = vec_max(vec_load(row + v * LANES), m);
		float now = vec_max_lanes(m);
		change[r] = top[r] - now;
		top[r] = now;
	}
	for (int r = 0; r < ROWS; r += LANES)
		vec_store(decay + r, vec_exp2(vec_load(change + r)));
	for (int r = 0; r < count; r++) {
		float *row = scores + r * stride;
		vec m = vec_set(top[r]);
		vec sum = first ? vec_set(0) : vec_load(weight + r * LANES) * decay[r];
		for (int v = 0; v < vecs; v++) {
			vec e = vec_exp2(vec_load(row + v * LANES) - m);
			vec_store(row + v * LANES, e);
			sum += e;
		}
		vec_store(weight + r * LANES, sum);
	}
}

/* Query rows i .. i + count (`at` within the tile) against the key tile. */
static void forward_block(struct forward *f, int64_t i, int at, int count, struct span tile)
{
	int64_t stride = f->pass->tile_keys;
	struct span reach = span_in_reach((struct span){i, i + count}, f->window, f->length);
	struct span keys = span_within(reach, tile);
	bool first = reach.first >= tile.first;
	if (keys.first >= keys.end)
		return;
	keys.first = round_down(keys.first, LANES);
	int vecs = (int)((keys.end - keys.first + LANES - 1) / LANES);
	int64_t packed = (keys.first - f->base) * HEAD_DIM;

	product(count, vecs, START_ZERO,
		(struct operands){.a = f->queries + at * HEAD_DIM,
			.a_row = HEAD_DIM,
			.a_step = 1,
			.b = f->keys + packed,
			.b_vec = HEAD_DIM * LANES,
			.b_step = LANES,
			.depth = HEAD_DIM},
		f->scores, stride, NULL);
	mask_block(f->scores, stride, i, count, keys, f->window, f->length);
	float decay[16];
	softmax_block(
		count, vecs, first, f->scores, stride, f->top + at, f->weight + at * LANES, decay);
	struct operands weights_values = {.a = f->scores,
		.a_row = stride,
		.a_step = 1,
		.b = f->values + packed,
		.b_vec = LANES,
		.b_step = HEAD_DIM,
		.depth = keys.end - keys.first};
	float *sums = f->sums + at * HEAD_DIM;
	if (first)
		product(count, HEAD_VECS, START_ZERO, weights_values, sums, HEAD_DIM, NULL);
	else
		product(count, HEAD_VECS, START_SCALE, weights_values, sums, HEAD_DIM, decay);
}

/* out = sums / weight, lse = ln of the weight at the row's own scale. */
static void forward_finish(struct forward *f, struct span rows)
{
	const struct problem *p = f->pass->problem;
	int64_t start = p->cu[f->item->sequence];
	mutant_strike(f->pass->tile_keys);
	for (int64_t i = rows.first; i < rows.end; i++) {
		int64_t at = i - rows.first;
		float weight = vec_sum_lanes(vec_load(f->weight + at * LANES));
		if (MUTANT == mutant_unwritten && i == f->length - 1)
			continue;
		if (MUTANT == mutant_nan_output && i == f->length / 2)
			f->sums[at * HEAD_DIM] = NAN;
		unpack_row(p->dtype, f->pass->out_written,
			((start + i) * p->heads + f->item->head) * HEAD_DIM,
			f->sums + at * HEAD_DIM, 1 / weight);
		f->pass->lse[f->item->head * p->tokens + start + i] =
			(f->top[at] + log2f(weight)) * LN_2;
	}
}

/* `left` rows in equal shares of at most ROWS: the size of the next one. */
static inline int next_share(int64_t left)
{
	int64_t shares = (left + ROWS - 1) / ROWS;
	return (int)((left + shares - 1) / shares);
}

/* One tile of queries against every key tile it reaches. */
static void forward_tile(struct forward *f, struct span rows)
{
	const struct cpu_pass *pass = f->pass;
	struct span reach = span_in_reach(rows, f->window, f->length);
	pack_rotated(pass->problem->dtype, head_rows(pass, f->item, 0, rows.first),
		rows.end - rows.first, pass->cos + rows.first * HALF_DIM,
		pass->sin + rows.first * HALF_DIM, LOG2_E / sqrtf(HEAD_DIM), f->queries);
	for (int64_t at = 0; at < rows.end - rows.first; at++)
		f->top[at] = LOWEST;
	for (int64_t j = round_down(reach.first, LANES); j < reach.end; j += pass->tile_keys) {
		struct span tile = {j, least(j + pass->tile_keys, reach.end)};
		for (int64_t i = rows.first; i < rows.end;) {
			int count = next_share(rows.end - i);
			ahead_step(&f->ahead, count);
			forward_block(f, i, (int)(i - rows.first), count, tile);
			i += count;
		}
	}
	forward_finish(f, rows);
}

static void forward(const struct cpu_pass *pass, const struct cpu_item *item,
	const struct cpu_item *next, float *scratch)
{
	unsigned saved = subnormals_flush();
	struct forward f = {.pass = pass,
		.item = item,
		.length = pass->problem->lens[item->sequence],
		.window = reach_window(pass->problem),
		.ahead = ahead_of(pass, next, false)};
	forward_layout(&f, pass, item->end - item->first, scratch);
	struct span keys = span_in_reach((struct span){item->first, item->end}, f.window, f.length);
	keys.first = round_down(keys.first, LANES);
	f.base = keys.first;
	pack_key_panels(pass, item, keys, f.staged, f.keys);
	pack_plain(pass->problem->dtype, head_rows(pass, item, 2, keys.first),
		keys.end - keys.first, f.values);
	for (int64_t i = item->first; i < item->end; i += pass->tile_rows)
		forward_tile(&f, (struct span){i, least(i + pass->tile_rows, item->end)});
	subnormals_restore(saved);
}
