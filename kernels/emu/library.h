/* pattn-emu.so: the machine that emulated kernels run on, and the kernels compiled with it. */
#ifndef KERNELS_EMU_LIBRARY_H
#define KERNELS_EMU_LIBRARY_H

#include "base/err.h"
#include "kernels/emu/simt/simt.h"

typedef void emu_kernel(struct args args);

struct emu_library {
	void *handle;
	int (*run)(struct simt_launch *launch, char *error, size_t room);
};

/* Loads it once; it lies beside the executable, or a folder above it. NULL and a filled `err` where
 * there is none. */
const struct emu_library *emu_library(struct err *err);

/* The kernel instance of that name in a library; NULL where there is none. */
emu_kernel *emu_kernel_find(void *handle, const char *instance);

#endif
