/* Packed attention in f64, forward and gradient: what every kernel is checked against.
 *
 * Computed from the rounded inputs the kernel saw, without contraction to fused multiply-add, and
 * the same to the last bit whatever the instruction set and the number of threads. */
#ifndef ORACLE_ORACLE_H
#define ORACLE_ORACLE_H

#include "base/err.h"
#include "base/team.h"
#include "data/problem.h"
#include "data/tensors.h"

/* Results; NULL where not asked for. */
struct oracle {
	double *out;  /* [T, H*D] */
	double *lse;  /* [H, T] */
	double *dqkv; /* [T, 3*H*D], of sum(out * dout) */
};

/* Computes out and lse, and dqkv too when `pass` is PASS_BACKWARD. Zero-initialise `oracle`;
 * oracle_release frees it, also after a failure. Fails with ERR_INTERRUPTED when a stop was asked
 * for. */
int oracle_run(struct oracle *oracle, const struct problem *problem, const struct tensors *tensors,
	enum pass pass, struct team *team, struct err *err);
void oracle_release(struct oracle *oracle);

#endif
