/* NumPy's .npy format, version 1.0
 * (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html). */
#ifndef DATA_NPY_H
#define DATA_NPY_H

#include <stdint.h>

#include "base/err.h"

enum npy_type { NPY_F32, NPY_F64, NPY_I32, NPY_I64 };

/* Writes a C-ordered little-endian array of `rank` dimensions `shape` to `path`, whole or not at
 * all. */
int npy_write(const char *path, enum npy_type type, const void *values, const int64_t *shape,
	int rank, struct err *err);

#endif
