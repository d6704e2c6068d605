/* Faults of kernels as failures of their launch. */
#ifndef KERNELS_EMU_SIMT_FAULT_H
#define KERNELS_EMU_SIMT_FAULT_H

#include <signal.h>

/* What a launch changed, to be put back. */
struct fault_trap {
	struct sigaction segv, bus;
};

/* From here to fault_release a kernel that touches memory it may not fails its launch; other code
 * faults as before. Nothing where a sanitizer reports faults itself. */
void fault_catch(struct fault_trap *trap);
void fault_release(const struct fault_trap *trap);

/* A stack for the calling OS thread's handler, as fibers' may be what ran out. */
void fault_stack(void *stack, size_t bytes); /* NULL: none any more */

#endif
