#include "oracle/rows.h"

#include <math.h>

/* The three parts of a row of qkv, each of all heads. */
enum part { QUERY, KEY, VALUE };

static int64_t out_at(const struct head *head, int64_t i)
{
	return ((head->start + i) * head->problem->heads + head->index) * HEAD_DIM;
}

static int64_t qkv_at(const struct head *head, int64_t i, enum part part)
{
	return (((head->start + i) * 3 + part) * head->problem->heads + head->index) * HEAD_DIM;
}

static int64_t lse_at(const struct head *head, int64_t i)
{
	return head->index * head->problem->tokens + head->start + i;
}

static void widen(const struct head *head, const void *tensor, int64_t at, double *row)
{
	for (int d = 0; d < HEAD_DIM; d++)
		row[d] = dtype_load(head->problem->dtype, tensor, at + d);
}

/* to = R(i) from, by minus the angle when `direction` is -1. */
static void rotate(
	const struct head *head, int64_t i, int direction, const double *from, double *to)
{
	const float *cosines = head->tensors->cos + i * HALF_DIM;
	const float *sines = head->tensors->sin + i * HALF_DIM;

	for (int j = 0; j < HALF_DIM; j++) {
		double c = cosines[j], s = direction * (double)sines[j];
		double x = from[j], y = from[j + HALF_DIM];

		to[j] = x * c - y * s;
		to[j + HALF_DIM] = x * s + y * c;
	}
}

static void scale(const double *from, double *to)
{
	const double factor = 1 / sqrt(HEAD_DIM);

	for (int d = 0; d < HEAD_DIM; d++)
		to[d] = from[d] * factor;
}

void query_row(const struct head *head, int64_t i, double *row)
{
	widen(head, head->tensors->qkv, qkv_at(head, i, QUERY), row);
	rotate(head, i, 1, row, row);
	scale(row, row);
	row[HEAD_DIM] = -head->oracle->lse[lse_at(head, i)];
}

void key_row(const struct head *head, int64_t i, double *row)
{
	widen(head, head->tensors->qkv, qkv_at(head, i, KEY), row);
	rotate(head, i, 1, row, row);
	row[HEAD_DIM] = 1;
}

void value_row(const struct head *head, int64_t i, double *row)
{
	widen(head, head->tensors->qkv, qkv_at(head, i, VALUE), row);
	row[HEAD_DIM] = 1;
}

void dout_row(const struct head *head, int64_t i, double *row)
{
	const double *out = head->oracle->out + out_at(head, i);
	double delta = 0;

	widen(head, head->tensors->dout, out_at(head, i), row);
	for (int d = 0; d < HEAD_DIM; d++)
		delta += row[d] * out[d];
	row[HEAD_DIM] = -delta;
}

static void write(double *to, const double *row)
{
	for (int d = 0; d < HEAD_DIM; d++)
		to[d] = row[d];
}

void out_row_write(const struct head *head, int64_t i, const double *row)
{
	write(head->oracle->out + out_at(head, i), row);
}

void dq_row_write(const struct head *head, int64_t i, const double *row)
{
	double *dq = head->oracle->dqkv + qkv_at(head, i, QUERY);

	rotate(head, i, -1, row, dq);
	scale(dq, dq);
}

void dk_row_write(const struct head *head, int64_t i, const double *row)
{
	rotate(head, i, -1, row, head->oracle->dqkv + qkv_at(head, i, KEY));
}

void dv_row_write(const struct head *head, int64_t i, const double *row)
{
	write(head->oracle->dqkv + qkv_at(head, i, VALUE), row);
}

void lse_write(const struct head *head, int64_t i, double lse)
{
	head->oracle->lse[lse_at(head, i)] = lse;
}
