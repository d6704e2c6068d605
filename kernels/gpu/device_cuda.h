/* kernels/gpu/device.h for NVIDIA's compilers: PTX, and no header of theirs. */
#ifndef KERNELS_GPU_DEVICE_CUDA_H
#define KERNELS_GPU_DEVICE_CUDA_H

#define DEVICE static __device__ __forceinline__
#define UNROLL _Pragma("unroll")
#define ROLLED
#define KERNEL(entry)                                                                              \
	extern "C" __global__ void __launch_bounds__(THREADS_##entry(ROWS, KEYS),                  \
		BLOCKS(REGISTERS_##entry(ROWS, KEYS), THREADS_##entry(ROWS, KEYS)))                \
		entry(const struct args args)

#define SHARED_BEGIN                                                                               \
	extern __shared__ __align__(16) unsigned char shared_memory[];                             \
	unsigned char *shared_next = shared_memory
#define SHARED(type, name, count)                                                                  \
	type *const name = (type *)shared_next;                                                    \
	shared_next += (count) * sizeof(type)

struct __align__(16) quad
{
	u32 words[4];
};

DEVICE int thread_index()
{
	return (int)threadIdx.x;
}

DEVICE i64 block_x()
{
	return blockIdx.x;
}

DEVICE int block_y()
{
	return (int)blockIdx.y;
}

DEVICE void barrier()
{
	__syncthreads();
}

DEVICE void warp_barrier()
{
	__syncwarp();
}

DEVICE float shuffle_xor(float x, int mask)
{
	return __shfl_xor_sync(0xffffffffu, x, mask);
}

/* Volatile, so that a load stays as far ahead of its use as it was written. */
DEVICE struct quad global_load(const void *from)
{
	struct quad quad;
	asm volatile(
		"ld.global.nc.v4.b32 {%0, %1, %2, %3}, [%4];"
		: "=r"(quad.words[0]), "=r"(quad.words[1]), "=r"(quad.words[2]), "=r"(quad.words[3])
		: "l"(__cvta_generic_to_global(from)));
	return quad;
}

DEVICE void global_store(void *to, struct quad quad)
{
	asm volatile("st.global.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)),
		     "r"(quad.words[0]), "r"(quad.words[1]), "r"(quad.words[2]), "r"(quad.words[3])
		     : "memory");
}

DEVICE u32 shared_address(const void *at)
{
	return (u32)__cvta_generic_to_shared(at);
}

DEVICE struct quad shared_load(const void *from)
{
	struct quad quad;
	asm volatile(
		"ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];"
		: "=r"(quad.words[0]), "=r"(quad.words[1]), "=r"(quad.words[2]), "=r"(quad.words[3])
		: "r"(shared_address(from))
		: "memory");
	return quad;
}

DEVICE void shared_store(void *to, struct quad quad)
{
	asm volatile("st.shared.v4.b32 [%0], {%1, %2, %3, %4};" ::"r"(shared_address(to)),
		     "r"(quad.words[0]), "r"(quad.words[1]), "r"(quad.words[2]), "r"(quad.words[3])
		     : "memory");
}

DEVICE void copy(void *to, const void *from, bool valid)
{
	asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)),
		     "l"(__cvta_generic_to_global(from)), "r"(valid ? 16 : 0)
		     : "memory");
}

DEVICE void copy_wait()
{
	asm volatile("cp.async.wait_all;" ::: "memory");
}

DEVICE void atomic_add(float *at, float x)
{
	atomicAdd(at, x);
}

DEVICE void atomic_add2(float *at, float x, float y)
{
#if __CUDA_ARCH__ >= 900
	asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" ::"l"(__cvta_generic_to_global(at)),
		     "f"(x), "f"(y)
		     : "memory");
#else
	atomic_add(at, x);
	atomic_add(at + 1, y);
#endif
}

DEVICE void settle()
{
}

DEVICE float word_float(u32 word)
{
	return __uint_as_float(word);
}

DEVICE u32 float_word(float x)
{
	return __float_as_uint(x);
}

DEVICE float exp2_fast(float x)
{
	float y;
	asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

DEVICE float log2_fast(float x)
{
	float y;
	asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
	return y;
}

DEVICE void bf16_widen(u32 pair, float *lo, float *hi)
{
	*lo = __uint_as_float(pair << 16);
	*hi = __uint_as_float(pair & 0xffff0000u);
}

DEVICE u32 bf16_narrow(float lo, float hi)
{
	u32 pair;
	asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(hi), "f"(lo));
	return pair;
}

DEVICE void f16_widen(u32 pair, float *lo, float *hi)
{
	asm("{\n\t.reg .f16 l, h;\n\tmov.b32 {l, h}, %2;\n\tcvt.f32.f16 %0, l;\n\t"
	    "cvt.f32.f16 %1, h;\n\t}"
		: "=f"(*lo), "=f"(*hi)
		: "r"(pair));
}

DEVICE u32 f16_narrow(float lo, float hi)
{
	u32 pair;
	asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(hi), "f"(lo));
	return pair;
}

DEVICE void ldmatrix(u32 (&r)[4], const void *row)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		     : "r"(shared_address(row))
		     : "memory");
}

DEVICE void ldmatrix_transposed(u32 (&r)[4], const void *row)
{
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
		     : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
		     : "r"(shared_address(row))
		     : "memory");
}

#define MMA(type)                                                                                  \
	asm("mma.sync.aligned.m16n8k16.row.col.f32." type "." type ".f32 "                         \
	    "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                      \
		: "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])                                   \
		: "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

DEVICE void mma_bf16(float (&c)[4], const u32 (&a)[4], const u32 *b)
{
	MMA("bf16");
}

DEVICE void mma_f16(float (&c)[4], const u32 (&a)[4], const u32 *b)
{
	MMA("f16");
}

#endif
