/* The gate before timing: a kernel is right against the oracle or it is not timed. */
#ifndef TUNE_GATE_H
#define TUNE_GATE_H

#include "tune/contest.h"

/* Runs `kernel` once over poisoned outputs and judges what it wrote: against the arena's oracle, or
 * where there is none by whether every element is a finite number, as those of finite inputs are.
 * Sets the trial's outcome to ok, wrong or run-failed with the reason; -1 and `err` only when the
 * host cannot go on. */
int gate_run(
	struct trial *trial, const struct arena *arena, struct kernel *kernel, struct err *err);

#endif
