/* Compiled code kept on disk, so that a kernel is compiled once a machine and not once a run.
 * The cache only ever saves time: what cannot be read or is damaged is compiled again, what cannot
 * be written is not kept. */
#ifndef KERNELS_GPU_CACHE_H
#define KERNELS_GPU_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "kernels/gpu/gpu_driver.h"

/* $PATTN_CACHE, $XDG_CACHE_HOME/pattn or ~/.cache/pattn, onto `path`; false when PATTN_CACHE is
 * set to nothing or there is no home. */
bool cache_folder(struct str *path);

/* All that makes the code what it is. */
uint64_t cache_key(const struct gpu_source *source, const char *const *options,
	const char *architecture, const char *compiler);

bool cache_read(const char *folder, const char *instance, uint64_t key, struct gpu_code *code);
void cache_write(
	const char *folder, const char *instance, uint64_t key, const struct gpu_code *code);

#endif
