/* Attention and its gradient for a block of rows of one head of one sequence. */
#ifndef ORACLE_BLOCK_H
#define ORACLE_BLOCK_H

#include "oracle/lanes.h"
#include "oracle/rows.h"

/* A block's own rows lie along the lanes; the rows it meets stream by, a stretch at a time. */
#define BLOCK_ROWS   128
#define BLOCK_STREAM 64

struct block_scratch {
	const struct lanes *lanes;
	/* Inputs of the block's rows, transposed: (query, dout) or (key, value). */
	double mine[2][ROW_COUNT][BLOCK_ROWS];
	/* Those of the rows it meets: (key, value) or (query, dout). */
	double theirs[2][BLOCK_STREAM][LANES_COLUMNS + HEAD_DIM];
	/* By (their row, my row): scores, then probabilities; their gradients. */
	double scores[BLOCK_STREAM][BLOCK_ROWS], grads[BLOCK_STREAM][BLOCK_ROWS];
	/* What is being summed for each row of the block, and its softmax so far. */
	double sums[2][BLOCK_ROWS][HEAD_DIM];
	double top[BLOCK_ROWS], total[BLOCK_ROWS];
} __attribute__((aligned(64)));

/* Computes rows [first, first + count) of the sequence, count at most BLOCK_ROWS, and writes them:
 * out and lse of queries; dq of queries, after lse and out of the block; dk and dv of keys, after
 * lse and out of the sequence. False when a result is not a finite number. */
typedef bool block_job(
	struct block_scratch *scratch, const struct head *head, int64_t first, int count);
block_job block_attend, block_query_gradient, block_key_gradient;

#endif
