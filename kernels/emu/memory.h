/* Memory of the emulated device, with bounds that hold while kernels run. */
#ifndef KERNELS_EMU_MEMORY_H
#define KERNELS_EMU_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct buffer;

/* The buffers of a device; zero-initialise. */
struct memory {
	struct buffer *first;
};

/* As the slots of struct gpu_driver say. */
void *memory_alloc(struct memory *memory, int64_t bytes, int64_t guard, struct err *err);
void memory_free(struct memory *memory, void *address);

/* Takes guards from kernels, or gives them back to the host. What a kernel touches beyond them
 * faults, or is reported where AddressSanitizer watches. */
void memory_guard(struct memory *memory, bool kernels);

#endif
