#include "oracle/lanes.h"

#include <math.h>

/* ln 2, and in two pieces: the first has 32 bits, so that an exponent times it is exact. */
#define LN2      0x1.62e42fefa39efp-1
#define LN2_HIGH 0x1.62e42feep-1
#define LN2_LOW  0x1.a39ef35793c76p-33

/* Taylor's series of e^r: r is at most half of ln 2, where the first term left out is 5e-18. */
#define EXP_DEGREE 13
static const double exp_terms[EXP_DEGREE + 1] = {1, 1, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120,
	1.0 / 720, 1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800,
	1.0 / 479001600, 1.0 / 6227020800};

/* 128 bits: SSE2, NEON, or what the compiler makes of it. */
#define WIDTH   2
#define RUNG(x) x##_128
#define TARGET
#include "oracle/lanes_body.h"

static bool always(void)
{
	return true;
}

#ifdef __x86_64__
#define WIDTH   4
#define RUNG(x) x##_avx2
#define TARGET  __attribute__((target("avx2")))
#include "oracle/lanes_body.h"

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

#define WIDTH   8
#define RUNG(x) x##_avx512
#define TARGET  __attribute__((target("avx512f")))
#include "oracle/lanes_body.h"

static bool has_avx512(void)
{
	return __builtin_cpu_supports("avx512f");
}
#endif

const struct lanes lanes_ladder[] = {
	{"128 bits", always, product_add_128, exp_each_128, max_each_128},
#ifdef __x86_64__
	{"avx2", has_avx2, product_add_avx2, exp_each_avx2, max_each_avx2},
	{"avx512f", has_avx512, product_add_avx512, exp_each_avx512, max_each_avx512},
#endif
};
const int lanes_rungs = sizeof lanes_ladder / sizeof *lanes_ladder;

const struct lanes *lanes_best(void)
{
	int rung = lanes_rungs - 1;

	while (!lanes_ladder[rung].usable())
		rung--;
	return &lanes_ladder[rung];
}

double lanes_log(double x)
{
	int exponent;
	double fraction = frexp(x, &exponent);
	double z, square, series = 0;

	if (fraction < M_SQRT1_2) { /* around 1 the logarithm is near 0 and the series short */
		fraction *= 2;
		exponent--;
	}
	/* ln f = 2 artanh z = 2 (z + z^3 / 3 + z^5 / 5 + ...) */
	z = (fraction - 1) / (fraction + 1);
	square = z * z;
	for (int power = 21; power > 1; power -= 2)
		series = (series + 1.0 / power) * square;
	return exponent * LN2_HIGH + (exponent * LN2_LOW + (2 * z + 2 * z * series));
}
