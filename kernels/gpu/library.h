/* Functions of a vendor's shared library, found by name. */
#ifndef KERNELS_GPU_LIBRARY_H
#define KERNELS_GPU_LIBRARY_H

#include <stddef.h>

struct library_symbol {
	const char *name; /* NULL behind the last */
	size_t offset;    /* of the pointer in the table of functions */
};

/* Fills the table `api`; returns the name of the first symbol `library` lacks, or NULL. */
const char *library_symbols(void *library, const struct library_symbol *symbols, void *api);

#endif
