/* Plain C, one lane: the rung that runs anywhere and that the others are compared with. */
#include <stdbool.h>

#define ISA   scalar
#define LANES 1
#define ROWS  4
#define VECS  2

static bool isa_runs(void)
{
	return true;
}

#include "kernels/cpu/vec.h"

static inline vec vec_load_f16(const uint16_t *from)
{
	return vec_set(f16_to_f32(*from));
}

static inline void vec_store_f16(uint16_t *to, vec x)
{
	*to = f16_from_f32(x[0]);
}

static inline vec vec_max(vec a, vec b)
{
	return vec_set(a[0] > b[0] ? a[0] : b[0]);
}

static inline float vec_max_lanes(vec x)
{
	return x[0];
}

static inline vec vec_exp2(vec x)
{
	return vec_exp2_portable(x);
}

/* Subnormals are handled at the processor's own pace here. */
static inline unsigned subnormals_flush(void)
{
	return 0;
}

static inline void subnormals_restore(unsigned saved)
{
	(void)saved;
}
