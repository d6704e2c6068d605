/* The arithmetic that takes the oracle's time, in vectors as wide as the processor has them.
 *
 * Every version does the same IEEE operations on an element in the same order, nothing fused, so
 * that all give the same bits. The C library's exp and log do not: they choose by processor
 * whether to fuse multiply and add. */
#ifndef ORACLE_LANES_H
#define ORACLE_LANES_H

#include <stdbool.h>
#include <stdint.h>

/* A matrix of doubles: element (i, j) is at[i * down + j * across]. */
struct matrix {
	double *at;
	int64_t down, across;
};

/* The tile of a product that is held in registers: what matrices are padded to. LANES_COLUMNS is
 * also the widest vector, which counts of elements are padded to. */
#define LANES_ROWS    4
#define LANES_COLUMNS 8

/* `count` up to the next multiple of LANES_COLUMNS. */
static inline int lanes_pad(int count)
{
	return (count + LANES_COLUMNS - 1) / LANES_COLUMNS * LANES_COLUMNS;
}

struct lanes {
	const char *isa;
	bool (*usable)(void);

	/* C += A B, with A `rows` by `inner` and B `inner` by `columns`; each element of C adds
	 * its terms one by one by ascending inner index. C and B have across = 1. What the padding
	 * of the rows of A and C and of the columns of B and C holds is free, and changes. */
	void (*product_add)(struct matrix c, struct matrix a, struct matrix b, int rows,
		int columns, int inner);

	/* x = e^x, within 1 ulp or so; 0 below -708.9, infinite from 709.4. */
	void (*exp_each)(double *x, int count);

	/* top = x where x > top. */
	void (*max_each)(double *top, const double *x, int count);
};

/* Narrowest first; the first is usable everywhere. */
extern const struct lanes lanes_ladder[];
extern const int lanes_rungs;
/* The widest usable. */
const struct lanes *lanes_best(void);

/* ln x within 2 ulp for a positive normal x; NaN stays NaN. */
double lanes_log(double x);

#endif
