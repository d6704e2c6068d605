/* AVX2 with FMA and F16C, which every processor with AVX2 has: eight lanes, sixteen registers. */
#include <immintrin.h>
#include <stdbool.h>

#define ISA   avx2
#define LANES 8
#define ROWS  6 /* register tile: 6 rows of 2 vectors, 12 accumulators */
#define VECS  2

static bool isa_runs(void)
{
	return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

#include "kernels/cpu/vec.h"

static inline vec vec_load_f16(const uint16_t *from)
{
	return (vec)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)from));
}

static inline void vec_store_f16(uint16_t *to, vec x)
{
	_mm_storeu_si128((__m128i *)to,
		_mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}

static inline vec vec_max(vec a, vec b)
{
	return (vec)_mm256_max_ps((__m256)a, (__m256)b);
}

static inline float vec_max_lanes(vec x)
{
	__m128 m =
		_mm_max_ps(_mm256_castps256_ps128((__m256)x), _mm256_extractf128_ps((__m256)x, 1));
	m = _mm_max_ps(m, _mm_movehl_ps(m, m));
	m = _mm_max_ss(m, _mm_movehdup_ps(m));
	return _mm_cvtss_f32(m);
}

static inline vec vec_exp2(vec x)
{
	return vec_exp2_portable(x);
}

#include "kernels/cpu/flush_x86.h"
