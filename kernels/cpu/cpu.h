/* The CPU backend. */
#ifndef KERNELS_CPU_CPU_H
#define KERNELS_CPU_CPU_H

#include "kernels/backend.h"

extern const struct backend cpu_backend;

/* The instruction-set ladder, best rung first; NULL past the end. */
const char *cpu_isa_name(int rung);
/* Whether this processor runs that rung. */
bool cpu_isa_runs(int rung);

#endif
