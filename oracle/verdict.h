/* How far a kernel's results are from the oracle's, and whether that is near enough. */
#ifndef ORACLE_VERDICT_H
#define ORACLE_VERDICT_H

#include <stdbool.h>

#include "data/problem.h"
#include "oracle/oracle.h"

/* What is judged; each has its own ceiling per type (oracle/ceilings.def). */
enum judged { JUDGED_OUT, JUDGED_LSE, JUDGED_DQ, JUDGED_DK, JUDGED_DV };
#define JUDGED_COUNT 5
const char *judged_name(enum judged judged); /* "out", "lse", "dq", "dk", "dv" */
double judged_ceiling(enum judged judged, enum dtype dtype);

/* The element with the largest error relative to its own sequence. */
struct worst {
	int64_t token, head, dimension; /* dimension is 0 for lse */
	int64_t sequence;
	double got, want;
};

/* Errors of one tensor. An element that is not a finite number where the oracle's is, or is one
 * where the oracle's is not, makes all three NaN and is the worst. */
struct judgement {
	enum judged judged;
	double ceiling;
	double rel;          /* max|a - b| / scale over the whole tensor */
	double sequence_rel; /* the largest such ratio of one sequence by its own scale */
	double nmse;         /* sum (a - b)^2 / sum b^2; scale^2 for b^2 where b has vanished */
	struct worst worst;
	bool right; /* both ratios at or under the ceiling, by !(err <= tol) */
};

struct verdict {
	int count;
	struct judgement judgements[JUDGED_COUNT];
	bool right; /* all of them */
};

/* What a pass wrote, in the problem's type; the pass decides which are set. */
struct results {
	const void *out;  /* [T, H*D] */
	const float *lse; /* [H, T] */
	const void *dqkv; /* [T, 3*H*D] */
};

/* Judges out and lse (forward) or dq, dk and dv (backward) of `results` against `oracle`.
 *
 * The scale of an error is the largest finite |b| of the tensor, or of the sequence. Three cases
 * have none of their own worth the name:
 * - dq and dk vanish by structure when every query sees only itself (dS = P (dP - delta) = 0), and
 *   b is the oracle's own rounding noise. A kernel's noise comes from terms of the size of the
 *   gradient that should cancel, so the largest |b| of dq, dk and dv is the scale.
 * - lse is a logarithm: near 0 it is the difference of larger numbers, and its scale at least 1.
 * - what is all zeros has the reference's least scale, 1e-6. */
void verdict_judge(struct verdict *verdict, const struct problem *problem, enum pass pass,
	const struct results *results, const struct oracle *oracle);

#endif
