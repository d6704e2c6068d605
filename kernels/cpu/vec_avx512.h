/* AVX-512 (F, BW, DQ, VL): sixteen lanes, thirty-two registers. */
#include <immintrin.h>
#include <stdbool.h>

#define ISA   avx512
#define LANES 16
#define ROWS  6 /* register tile: 6 rows of 4 vectors, 24 accumulators */
#define VECS  4

static bool isa_runs(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
	       __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

#include "kernels/cpu/vec.h"

static inline vec vec_load_f16(const uint16_t *from)
{
	return (vec)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)from));
}

static inline void vec_store_f16(uint16_t *to, vec x)
{
	_mm256_storeu_si256((__m256i *)to,
		_mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

static inline float vec_max_lanes(vec x)
{
	return _mm512_reduce_max_ps((__m512)x);
}

static inline vec vec_max(vec a, vec b)
{
	return (vec)_mm512_max_ps((__m512)a, (__m512)b);
}

/* 2^x = 2^n * 2^f with n = round(x), f in [-1/2, 1/2]: minimax of degree 5 with relative error
 * 9e-8 before rounding. Exactly 1 at 0: what a row's sums are scaled by while its maximum stands,
 * hundreds of times in a long sequence. -inf gives 0, NaN stays. */
static inline vec vec_exp2(vec x)
{
	vec f = (vec)_mm512_reduce_ps((__m512)x, _MM_FROUND_TO_NEAREST_INT);
	vec p = vec_set(1.326472707e-3f);
	p = p * f + 9.671512649e-3f;
	p = p * f + 5.550733744e-2f;
	p = p * f + 2.402224209e-1f;
	p = p * f + 6.931469776e-1f;
	p = p * f + 1.0f;
	return (vec)_mm512_scalef_ps((__m512)p, (__m512)(x - f));
}

#include "kernels/cpu/flush_x86.h"
