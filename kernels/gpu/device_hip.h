/* kernels/gpu/device.h for AMD's compilers: builtins, and no header of theirs. */
#ifndef KERNELS_GPU_DEVICE_HIP_H
#define KERNELS_GPU_DEVICE_HIP_H

#define DEVICE static __attribute__((device)) inline __attribute__((always_inline))
#define UNROLL _Pragma("unroll")
#define ROLLED _Pragma("clang loop unroll(disable)")
#define KERNEL(entry)                                                                              \
	extern "C" __attribute__((global)) __attribute__((amdgpu_flat_work_group_size(             \
		THREADS_##entry(ROWS, KEYS), THREADS_##entry(ROWS, KEYS)))) void                   \
	entry(const struct args args)

#define SHARED_BEGIN                                                                               \
	extern __attribute__((shared, aligned(16))) unsigned char shared_memory[];                 \
	unsigned char *shared_next = shared_memory
#define SHARED(type, name, count)                                                                  \
	type *const name = (type *)shared_next;                                                    \
	shared_next += (count) * sizeof(type)

struct alignas(16) quad {
	u32 words[4];
};

#define GLOBAL __attribute__((address_space(1)))
#define LOCAL  __attribute__((address_space(3)))

typedef u32 words4 __attribute__((ext_vector_type(4)));
typedef float cells __attribute__((ext_vector_type(CELLS)));

DEVICE int thread_index()
{
	return (int)__builtin_amdgcn_workitem_id_x();
}

DEVICE i64 block_x()
{
	return __builtin_amdgcn_workgroup_id_x();
}

DEVICE int block_y()
{
	return (int)__builtin_amdgcn_workgroup_id_y();
}

/* A fence of shared memory alone leaves loads from global memory in flight. */
#if __clang_major__ >= 20
#define FENCE(order, scope) __builtin_amdgcn_fence(order, scope, "local")
#else
#define FENCE(order, scope) __builtin_amdgcn_fence(order, scope)
#endif

DEVICE void barrier()
{
	FENCE(__ATOMIC_RELEASE, "workgroup");
	__builtin_amdgcn_s_barrier();
	FENCE(__ATOMIC_ACQUIRE, "workgroup");
}

DEVICE void warp_barrier()
{
	FENCE(__ATOMIC_RELEASE, "wavefront");
	__builtin_amdgcn_wave_barrier();
	FENCE(__ATOMIC_ACQUIRE, "wavefront");
}

DEVICE void settle()
{
#if GFX == 11
	__builtin_amdgcn_sched_barrier(0);
#endif
}

DEVICE float word_float(u32 word)
{
	return __builtin_bit_cast(float, word);
}

DEVICE u32 float_word(float x)
{
	return __builtin_bit_cast(u32, x);
}

DEVICE float shuffle_xor(float x, int mask)
{
#if GFX >= 11
	if (mask == 16)
		return word_float(__builtin_amdgcn_permlanex16(
			float_word(x), float_word(x), 0x76543210, 0xfedcba98, true, false));
#endif
	const int lane = (thread_index() ^ mask) % WARP;
	return word_float((u32)__builtin_amdgcn_ds_bpermute(lane * 4, (int)float_word(x)));
}

DEVICE struct quad quad_of(words4 words)
{
	return {{words.x, words.y, words.z, words.w}};
}

DEVICE words4 words_of(struct quad quad)
{
	return {quad.words[0], quad.words[1], quad.words[2], quad.words[3]};
}

DEVICE struct quad global_load(const void *from)
{
	return quad_of(*(const GLOBAL words4 *)from);
}

DEVICE void global_store(void *to, struct quad quad)
{
	*(GLOBAL words4 *)to = words_of(quad);
}

DEVICE struct quad shared_load(const void *from)
{
	return quad_of(*(const LOCAL words4 *)from);
}

DEVICE void shared_store(void *to, struct quad quad)
{
	*(LOCAL words4 *)to = words_of(quad);
}

DEVICE void atomic_add(float *at, float x)
{
	__hip_atomic_fetch_add((GLOBAL float *)at, x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}

DEVICE void atomic_add2(float *at, float x, float y)
{
	atomic_add(at, x);
	atomic_add(at + 1, y);
}

#if __has_builtin(__builtin_amdgcn_exp2f)
#define exp2_fast(x) __builtin_amdgcn_exp2f(x)
#else
#define exp2_fast(x) __builtin_exp2f(x)
#endif
#if __has_builtin(__builtin_amdgcn_logf)
#define log2_fast(x) __builtin_amdgcn_logf(x)
#else
#define log2_fast(x) __builtin_log2f(x)
#endif

DEVICE void bf16_widen(u32 pair, float *lo, float *hi)
{
	*lo = word_float(pair << 16);
	*hi = word_float(pair & 0xffff0000u);
}

#ifdef __gfx950__
DEVICE u32 bf16_narrow(float lo, float hi)
{
	typedef float floats __attribute__((ext_vector_type(2)));
	typedef __bf16 halves __attribute__((ext_vector_type(2)));
	return __builtin_bit_cast(u32, __builtin_convertvector((floats){lo, hi}, halves));
}
#else
/* To the nearest, ties to even, in the upper half. */
DEVICE u32 bf16_round(float x)
{
	const u32 word = float_word(x);
	return x == x ? word + 0x7fffu + (word >> 16 & 1) : 0x7fff0000u;
}

DEVICE u32 bf16_narrow(float lo, float hi)
{
	return __builtin_amdgcn_perm(bf16_round(hi), bf16_round(lo), 0x07060302);
}
#endif

typedef _Float16 f16x2 __attribute__((ext_vector_type(2)));

DEVICE void f16_widen(u32 pair, float *lo, float *hi)
{
	const f16x2 halves = __builtin_bit_cast(f16x2, pair);
	*lo = halves.x;
	*hi = halves.y;
}

DEVICE u32 f16_narrow(float lo, float hi)
{
	return __builtin_bit_cast(u32, (f16x2){(_Float16)lo, (_Float16)hi});
}

/* A lane's numbers as the vectors that builtins take. */
typedef u32 fragment_words __attribute__((ext_vector_type(FRAGMENT)));
typedef short fragment_bf16 __attribute__((ext_vector_type(2 * FRAGMENT)));
typedef _Float16 fragment_f16 __attribute__((ext_vector_type(2 * FRAGMENT)));

DEVICE fragment_words words_of(const u32 (&a)[FRAGMENT])
{
	fragment_words words;
	UNROLL
	for (int i = 0; i < FRAGMENT; i++)
		words[i] = a[i];
	return words;
}

#if GFX == 9
#define MMA_BF16(a, b, c) __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(a, b, c, 0, 0, 0)
#define MMA_F16(a, b, c)  __builtin_amdgcn_mfma_f32_16x16x16f16(a, b, c, 0, 0, 0)
#elif GFX == 11
#define MMA_BF16 __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32
#define MMA_F16  __builtin_amdgcn_wmma_f32_16x16x16_f16_w32
#else
#define MMA_BF16 __builtin_amdgcn_wmma_f32_16x16x16_bf16_w32_gfx12
#define MMA_F16  __builtin_amdgcn_wmma_f32_16x16x16_f16_w32_gfx12
#endif

#define MMA(builtin, fragment)                                                                     \
	cells sum;                                                                                 \
	UNROLL                                                                                     \
	for (int e = 0; e < CELLS; e++)                                                            \
		sum[e] = c[e];                                                                     \
	sum = builtin(__builtin_bit_cast(fragment, words_of(a)),                                   \
		__builtin_bit_cast(fragment, words_of(b)), sum);                                   \
	UNROLL                                                                                     \
	for (int e = 0; e < CELLS; e++)                                                            \
	c[e] = sum[e]

DEVICE void mma_bf16(float (&c)[CELLS], const u32 (&a)[FRAGMENT], const u32 (&b)[FRAGMENT])
{
	MMA(MMA_BF16, fragment_bf16);
}

DEVICE void mma_f16(float (&c)[CELLS], const u32 (&a)[FRAGMENT], const u32 (&b)[FRAGMENT])
{
	MMA(MMA_F16, fragment_f16);
}

#endif
