#include "oracle/block.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The rows of one side of the scores. */
struct side {
	row_reader *first, *second;
};
static const struct side queries = {query_row, dout_row};
static const struct side keys = {key_row, value_row};

/* Rows of the other side within reach of [first, first + count). */
static int64_t reach_begin(const struct head *head, int64_t first)
{
	return first > head->reach ? first - head->reach : 0;
}

static int64_t reach_end(const struct head *head, int64_t first, int count)
{
	return head->len - head->reach > first + count ? first + count + head->reach : head->len;
}

static void load_mine(struct block_scratch *scratch, const struct head *head,
	const struct side *side, int64_t first, int count)
{
	row_reader *readers[] = {side->first, side->second};
	double row[ROW_COUNT];

	for (int which = 0; which < 2; which++)
		for (int i = 0; i < count; i++) {
			readers[which](head, first + i, row);
			for (int d = 0; d < ROW_COUNT; d++)
				scratch->mine[which][d][i] = row[d];
		}
}

static void load_theirs(struct block_scratch *scratch, const struct head *head,
	const struct side *side, int64_t first, int count)
{
	for (int j = 0; j < count; j++) {
		side->first(head, first + j, scratch->theirs[0][j]);
		side->second(head, first + j, scratch->theirs[1][j]);
	}
}

/* to = theirs . mine over the first `inner` elements of the rows. */
static void multiply_rows(struct block_scratch *scratch, int which, double (*to)[BLOCK_ROWS],
	int their_count, int my_count, int inner)
{
	struct matrix c = {to[0], BLOCK_ROWS, 1};
	struct matrix a = {scratch->theirs[which][0], LANES_COLUMNS + HEAD_DIM, 1};
	struct matrix b = {scratch->mine[which][0], BLOCK_ROWS, 1};

	memset(to, 0, sizeof *to * BLOCK_STREAM);
	scratch->lanes->product_add(c, a, b, their_count, my_count, inner);
}

/* sums += weights^T . theirs */
static void gather_rows(struct block_scratch *scratch, int which, double (*weights)[BLOCK_ROWS],
	int their_count, int my_count)
{
	struct matrix c = {scratch->sums[which][0], HEAD_DIM, 1};
	struct matrix a = {weights[0], 1, BLOCK_ROWS};
	struct matrix b = {scratch->theirs[which][0], LANES_COLUMNS + HEAD_DIM, 1};

	scratch->lanes->product_add(c, a, b, my_count, HEAD_DIM, their_count);
}

/* Scores of pairs out of reach become -infinity. `offset` is the first of their rows less the
 * first of mine. */
static void hide(
	struct block_scratch *scratch, int64_t reach, int64_t offset, int their_count, int my_count)
{
	if (offset + their_count - 1 <= reach && my_count - 1 - offset <= reach)
		return;
	for (int j = 0; j < their_count; j++)
		for (int i = 0; i < my_count; i++)
			if (llabs(offset + j - i) > reach)
				scratch->scores[j][i] = -INFINITY;
}

/* Online softmax: scores become weights relative to the largest score so far, which the sums up to
 * here are shrunk to. */
static void soften(struct block_scratch *scratch, int their_count, int my_count)
{
	const struct lanes *lanes = scratch->lanes;
	double *total = scratch->total;
	double top[BLOCK_ROWS], shrink[BLOCK_ROWS];
	int padded = lanes_pad(my_count);

	memcpy(top, scratch->top, sizeof top);
	for (int j = 0; j < their_count; j++)
		lanes->max_each(top, scratch->scores[j], padded);
	for (int i = 0; i < padded; i++) {
		shrink[i] = scratch->top[i] - top[i];
		scratch->top[i] = top[i];
		if (top[i] == -INFINITY) /* nothing in reach so far */
			shrink[i] = top[i] = 0;
	}
	lanes->exp_each(shrink, padded);
	for (int i = 0; i < my_count; i++) {
		total[i] *= shrink[i];
		for (int d = 0; d < HEAD_DIM; d++)
			scratch->sums[1][i][d] *= shrink[i];
	}
	for (int j = 0; j < their_count; j++) {
		double *weights = scratch->scores[j];

		for (int i = 0; i < padded; i++)
			weights[i] -= top[i];
		lanes->exp_each(weights, padded);
		for (int i = 0; i < padded; i++)
			total[i] += weights[i];
	}
}

static void start(struct block_scratch *scratch)
{
	memset(scratch->sums, 0, sizeof scratch->sums);
	memset(scratch->total, 0, sizeof scratch->total);
	for (int i = 0; i < BLOCK_ROWS; i++)
		scratch->top[i] = -INFINITY;
}

/* Writes a row and says whether all of it is finite. */
static bool write_row(
	row_writer *write, const struct head *head, int64_t i, const double row[HEAD_DIM])
{
	bool finite = true;

	write(head, i, row);
	for (int d = 0; d < HEAD_DIM; d++)
		finite &= isfinite(row[d]);
	return finite;
}

bool block_attend(struct block_scratch *scratch, const struct head *head, int64_t first, int count)
{
	int64_t end = reach_end(head, first, count);
	bool finite = true;

	start(scratch);
	load_mine(scratch, head, &queries, first, count);
	for (int64_t at = reach_begin(head, first); at < end; at += BLOCK_STREAM) {
		int met = end - at < BLOCK_STREAM ? (int)(end - at) : BLOCK_STREAM;

		load_theirs(scratch, head, &keys, at, met);
		multiply_rows(scratch, 0, scratch->scores, met, count, HEAD_DIM);
		hide(scratch, head->reach, at - first, met, count);
		soften(scratch, met, count);
		gather_rows(scratch, 1, scratch->scores, met, count);
	}
	for (int i = 0; i < count; i++) {
		double *row = scratch->sums[1][i];

		for (int d = 0; d < HEAD_DIM; d++)
			row[d] /= scratch->total[i];
		finite &= write_row(out_row_write, head, first + i, row);
		lse_write(head, first + i, scratch->top[i] + lanes_log(scratch->total[i]));
	}
	return finite;
}

/* Sums, for each row of the block, dS . theirs first and P . theirs second. */
static void gradient(struct block_scratch *scratch, const struct head *head,
	const struct side *mine, const struct side *theirs, int64_t first, int count)
{
	int64_t end = reach_end(head, first, count);
	int padded = lanes_pad(count);

	start(scratch);
	load_mine(scratch, head, mine, first, count);
	for (int64_t at = reach_begin(head, first); at < end; at += BLOCK_STREAM) {
		int met = end - at < BLOCK_STREAM ? (int)(end - at) : BLOCK_STREAM;

		load_theirs(scratch, head, theirs, at, met);
		multiply_rows(scratch, 0, scratch->scores, met, count, ROW_COUNT);
		multiply_rows(scratch, 1, scratch->grads, met, count, ROW_COUNT);
		hide(scratch, head->reach, at - first, met, count);
		for (int j = 0; j < met; j++) {
			scratch->lanes->exp_each(scratch->scores[j], padded);
			for (int i = 0; i < padded; i++)
				scratch->grads[j][i] *= scratch->scores[j][i];
		}
		gather_rows(scratch, 0, scratch->grads, met, count);
		if (mine == &keys)
			gather_rows(scratch, 1, scratch->scores, met, count);
	}
}

bool block_query_gradient(
	struct block_scratch *scratch, const struct head *head, int64_t first, int count)
{
	bool finite = true;

	gradient(scratch, head, &queries, &keys, first, count);
	for (int i = 0; i < count; i++)
		finite &= write_row(dq_row_write, head, first + i, scratch->sums[0][i]);
	return finite;
}

bool block_key_gradient(
	struct block_scratch *scratch, const struct head *head, int64_t first, int count)
{
	bool finite = true;

	gradient(scratch, head, &keys, &queries, first, count);
	for (int i = 0; i < count; i++) {
		finite &= write_row(dk_row_write, head, first + i, scratch->sums[0][i]);
		finite &= write_row(dv_row_write, head, first + i, scratch->sums[1][i]);
	}
	return finite;
}
