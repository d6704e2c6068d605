/* Allocation and size arithmetic that cannot wrap. */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* `*product = a * b` (or `*sum = a + b`) for non-negative 64-bit sizes; false on overflow. */
bool mem_mul(int64_t a, int64_t b, int64_t *product);
bool mem_add(int64_t a, int64_t b, int64_t *sum);

/* `count` zeroed elements of `size` bytes, aligned to 64 bytes (large ones to huge pages).
 * Never NULL on success, even for a count of zero; NULL and a filled `err` on failure.
 * `what` names the buffer in the message. Owned by the caller; mem_free releases it. */
void *mem_new(int64_t count, int64_t size, const char *what, struct err *err);
void mem_free(void *memory);

/* Bytes this process may still allocate: the least of the machine's available memory, the control
 * group's head-room and RLIMIT_AS. */
int64_t mem_available(void);

#endif
