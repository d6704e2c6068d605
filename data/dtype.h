/* Element types of the tensors, and conversion to and from f32. */
#ifndef DATA_DTYPE_H
#define DATA_DTYPE_H

#include <stdbool.h>
#include <stdint.h>

enum dtype { DTYPE_F32, DTYPE_BF16, DTYPE_F16 };
#define DTYPE_COUNT 3

const char *dtype_name(enum dtype dtype); /* "f32", "bf16", "f16" */
int dtype_size(enum dtype dtype);         /* bytes an element */
bool dtype_find(const char *name, enum dtype *dtype);

/* Round to nearest, ties to even; NaN stays NaN (quiet), overflow becomes infinity, subnormals are
 * kept. */
uint16_t bf16_from_f32(float value);
float bf16_to_f32(uint16_t bits);
uint16_t f16_from_f32(float value);
float f16_to_f32(uint16_t bits);

/* Element `index` of a tensor of `dtype`, widened to f32; and `value` rounded into it. */
float dtype_load(enum dtype dtype, const void *tensor, int64_t index);
void dtype_store(enum dtype dtype, void *tensor, int64_t index, float value);

#endif
