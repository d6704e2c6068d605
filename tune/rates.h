/* What a median amounts to: rates, the floor, and what to warn of. */
#ifndef TUNE_RATES_H
#define TUNE_RATES_H

#include "tune/contest.h"

/* The least seconds of a pass by the arena's ceilings; 0 when they are unknown. */
double floor_seconds(const struct arena *arena, enum pass pass);

/* Fills in flops, bytes, fraction and warning of a timed trial. */
void trial_rate(struct trial *trial, const struct contest *contest);

#endif
