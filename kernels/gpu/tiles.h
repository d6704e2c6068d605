/* How a problem is cut into the tiles that blocks take. */
#ifndef KERNELS_GPU_TILES_H
#define KERNELS_GPU_TILES_H

#include <stdint.h>

#include "base/err.h"
#include "data/problem.h"
#include "kernels/gpu/args.h"

/* Tiles of `rows` rows over all sequences. */
int64_t tiles_count(const struct problem *problem, int rows);

/* All of them, those with the most within their window first: blocks start in that order, and a
 * long one started last would leave the device idle. mem_free releases it; NULL and a filled `err`
 * on failure. */
struct tile *tiles_new(const struct problem *problem, int rows, struct err *err);

/* The window as kernels take it: -1 where every sequence lies within it. */
int tiles_window(const struct problem *problem);

#endif
