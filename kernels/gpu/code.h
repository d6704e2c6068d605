/* From the name of a kernel to a function that can be launched. */
#ifndef KERNELS_GPU_CODE_H
#define KERNELS_GPU_CODE_H

#include "kernels/gpu/gpu.h"
#include "kernels/gpu/plan.h"

struct gpu_code_loaded {
	struct gpu_module *module;
	struct gpu_function *function;
};

/* Code from the tool itself, from the cache or from the compiler, the first that has it, loaded
 * and allowed `shared` bytes of shared memory. code_unload undoes it, also after a failure. */
int code_load(const struct gpu *gpu, const char *entry, const struct gpu_instance *instance,
	int64_t shared, struct gpu_code_loaded *loaded, struct err *err);
void code_unload(const struct gpu *gpu, struct gpu_code_loaded *loaded);

#endif
