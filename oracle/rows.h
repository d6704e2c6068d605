/* The rows of one head of one sequence, read into f64 and written back. */
#ifndef ORACLE_ROWS_H
#define ORACLE_ROWS_H

#include "oracle/oracle.h"

struct head {
	const struct problem *problem;
	const struct tensors *tensors;
	const struct oracle *oracle;
	int64_t start, len; /* the sequence: its first token and its tokens */
	int64_t index;      /* of the head */
	int64_t reach;      /* a query sees |i - j| <= reach, at most len */
};

/* A row has one element more than the head: a query carries -lse and a key 1, a row of dout
 * -delta and a value 1. So the same product that gives q k gives q k - lse, and dout v - delta. */
#define ROW_COUNT (HEAD_DIM + 1)

/* Row `i` of the sequence: rotated (the query scaled too), or as it is. */
typedef void row_reader(const struct head *head, int64_t i, double row[ROW_COUNT]);
row_reader query_row, key_row, value_row, dout_row;

/* Row `i` of the results, from HEAD_DIM elements; dq and dk are rotated back. */
typedef void row_writer(const struct head *head, int64_t i, const double row[HEAD_DIM]);
row_writer out_row_write, dq_row_write, dk_row_write, dv_row_write;
void lse_write(const struct head *head, int64_t i, double lse);

#endif
