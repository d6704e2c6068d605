/* kernels/gpu/device.h for the emulator: C++ on the machine of kernels/emu/simt/. */
#ifndef KERNELS_GPU_DEVICE_EMU_H
#define KERNELS_GPU_DEVICE_EMU_H

#include "kernels/emu/simt/half.h"
#include "kernels/emu/simt/simt.h"

#define DEVICE static inline
#define UNROLL
#define ROLLED
#define KERNEL(entry)                                                                              \
	extern "C" __attribute__((visibility("default"))) void INSTANCE(struct args args)

#define SHARED_BEGIN static_assert(sizeof(struct args) > 0, "")
#define SHARED(type, name, count)                                                                  \
	type *const name = (type *)simt_shared(#name, (count) * sizeof(type))

#define SITE_TEXT(line) #line
#define SITE_LINE(line) SITE_TEXT(line)
#define SITE            __FILE__ ":" SITE_LINE(__LINE__)

/* -DDROP=n leaves out the nth ordering of memory in the source, to prove that it is missed. */
#ifndef DROP
#define DROP -1
#endif
#define KEPT(call)                  (__COUNTER__ == DROP ? (void)0 : (call))
#define barrier()                   KEPT(simt_barrier(SITE))
#define warp_barrier()              KEPT(simt_warp_barrier(SITE))
#define copy_wait()                 KEPT(simt_copy_wait())
#define shuffle_xor(x, mask)        simt_shuffle_xor(x, mask, SITE)
#define copy(to, from, valid)       simt_copy(to, from, valid, SITE)
#define ldmatrix(r, row)            simt_ldmatrix(r, row, 0, SITE)
#define ldmatrix_transposed(r, row) simt_ldmatrix(r, row, 1, SITE)
#if GFX
#define mma_bf16(c, a, b) simt_wave_mma(c, a, b, GFX, SIMT_BF16, SITE)
#define mma_f16(c, a, b)  simt_wave_mma(c, a, b, GFX, SIMT_F16, SITE)
#else
#define mma_bf16(c, a, b) simt_mma(c, a, b, SIMT_BF16, SITE)
#define mma_f16(c, a, b)  simt_mma(c, a, b, SIMT_F16, SITE)
#endif

struct alignas(16) quad {
	u32 words[4];
};

DEVICE int thread_index()
{
	return (int)simt_place().thread;
}

DEVICE i64 block_x()
{
	return simt_place().block_x;
}

DEVICE int block_y()
{
	return (int)simt_place().block_y;
}

DEVICE struct quad global_load(const void *from)
{
	return *(const struct quad *)from;
}

DEVICE void global_store(void *to, struct quad quad)
{
	*(struct quad *)to = quad;
}

DEVICE struct quad shared_load(const void *from)
{
	return *(const struct quad *)from;
}

DEVICE void shared_store(void *to, struct quad quad)
{
	*(struct quad *)to = quad;
}

DEVICE void atomic_add(float *at, float x)
{
	float old, sum;
	__atomic_load(at, &old, __ATOMIC_RELAXED);
	do
		sum = old + x;
	while (!__atomic_compare_exchange(
		at, &old, &sum, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

DEVICE void atomic_add2(float *at, float x, float y)
{
	atomic_add(at, x);
	atomic_add(at + 1, y);
}

DEVICE void settle()
{
}

DEVICE float word_float(u32 word)
{
	return f32_of(word);
}

DEVICE u32 float_word(float x)
{
	return f32_bits(x);
}

DEVICE float exp2_fast(float x)
{
	return __builtin_exp2f(x);
}

DEVICE float log2_fast(float x)
{
	return __builtin_log2f(x);
}

DEVICE void bf16_widen(u32 pair, float *lo, float *hi)
{
	*lo = bf16_value(pair & 0xffffu);
	*hi = bf16_value(pair >> 16);
}

DEVICE u32 bf16_narrow(float lo, float hi)
{
	return bf16_bits(lo) | bf16_bits(hi) << 16;
}

DEVICE void f16_widen(u32 pair, float *lo, float *hi)
{
	*lo = f16_value(pair & 0xffffu);
	*hi = f16_value(pair >> 16);
}

DEVICE u32 f16_narrow(float lo, float hi)
{
	return f16_bits(lo) | f16_bits(hi) << 16;
}

#endif
