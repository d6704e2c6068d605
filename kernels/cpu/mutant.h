/* Deliberate faults that the tests plant with `make MUTANT=name`, to see `verify` catch them and
 * `tune` refuse them. No fault is compiled in otherwise. */
#ifndef KERNELS_CPU_MUTANT_H
#define KERNELS_CPU_MUTANT_H

enum mutant {
	mutant_none,
	mutant_skipped_mask, /* pairs at a window's edge are not masked */
	mutant_nan_output,   /* one element of the output is not a number */
	mutant_unwritten,    /* the last row of a sequence is never written */
	mutant_far_key,      /* the window reaches one key too far */
};

#ifndef MUTANT
#define MUTANT mutant_none
#endif

#endif
