/* How a pass is shared out between threads. */
#ifndef KERNELS_CPU_ITEMS_H
#define KERNELS_CPU_ITEMS_H

#include "base/err.h"
#include "kernels/cpu/isa.h"

struct cpu_items {
	struct cpu_item *items; /* [count], most work first */
	int64_t count;
	int64_t longest;  /* rows of the largest item */
	int64_t partials; /* floats of partial dQ that the split heads need */
	int64_t groups;   /* split heads */
};

/* One item a (sequence, head), cut into several where one alone would keep the other threads
 * waiting. Zero-initialise `items`; items_release frees it, also after a failure. */
int items_make(struct cpu_items *items, const struct problem *problem, enum pass pass, int threads,
	struct err *err);
void items_release(struct cpu_items *items);

#endif
