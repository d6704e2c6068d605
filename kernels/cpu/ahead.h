/* Rows of the item to come, asked of memory while this one is computed: a head's rows lie a page or
 * more apart, too far for the hardware to foresee, and waiting for them took a fifth of the pass.
 */

struct ahead {
	const char *rows[5]; /* of its tensors, at the next row to ask for; NULL at the end */
	int64_t stride[5];   /* bytes */
	int64_t left;        /* rows */
	int bytes;           /* a head's share of a row */
};

static struct ahead ahead_of(
	const struct cpu_pass *pass, const struct cpu_item *item, bool backward)
{
	struct ahead ahead = {.left = 0};
	if (!item)
		return ahead;
	const struct problem *p = pass->problem;
	int64_t size = dtype_size(p->dtype), width = p->heads * HEAD_DIM * size;
	int64_t token = p->cu[item->sequence] + item->first;
	int64_t head = item->head * HEAD_DIM * size;
	int count = 0;
	for (int part = 0; part < 3; part++, count++) {
		ahead.rows[count] =
			(const char *)pass->qkv + token * 3 * width + part * width + head;
		ahead.stride[count] = 3 * width;
	}
	for (int i = 0; backward && i < 2; i++, count++) {
		const char *tensor = i ? pass->out : pass->dout;
		ahead.rows[count] = tensor + token * width + head;
		ahead.stride[count] = width;
	}
	ahead.left = item->end - item->first;
	ahead.bytes = (int)(HEAD_DIM * size);
	return ahead;
}

static inline void ahead_step(struct ahead *ahead, int64_t rows)
{
	for (; rows > 0 && ahead->left > 0; rows--, ahead->left--)
		for (int i = 0; i < 5 && ahead->rows[i]; i++) {
			for (int byte = 0; byte < ahead->bytes; byte += 64)
				__builtin_prefetch(ahead->rows[i] + byte, 0, 2);
			ahead->rows[i] += ahead->stride[i];
		}
}
