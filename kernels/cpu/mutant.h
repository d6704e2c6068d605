/* Deliberate faults that the tests plant with `make MUTANT=name`, to see `verify` catch them and
 * `tune` refuse them. No fault is compiled in otherwise. */
#ifndef KERNELS_CPU_MUTANT_H
#define KERNELS_CPU_MUTANT_H

#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

enum mutant {
	mutant_none,
	mutant_skipped_mask, /* pairs at a window's edge are not masked */
	mutant_nan_output,   /* one element of the output is not a number */
	mutant_unwritten,    /* the last row of a sequence is never written */
	mutant_far_key,      /* the window reaches one key too far */
	mutant_crash,        /* tiles of MUTANT_KEYS keys write to address 0 */
	mutant_hang,         /* and these never come to an end */
};

#ifndef MUTANT
#define MUTANT mutant_none
#endif

#define MUTANT_KEYS 16

/* What does not come back. */
static inline void mutant_strike(int64_t keys)
{
	if (MUTANT == mutant_crash && keys == MUTANT_KEYS)
		*(volatile int *)NULL = 0;
	while (MUTANT == mutant_hang && keys == MUTANT_KEYS)
		pause();
}

#endif
