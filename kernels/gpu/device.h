/* The words kernels are written in; one version for each compiler.
 *
 *   KERNEL(entry)                 begins an entry, which has `args`
 *   DEVICE                        before every other function
 *   UNROLL                        before a loop whose counter must be a constant
 *   ROLLED                        before a loop that, unrolled, would want too many registers
 *   SHARED_BEGIN, SHARED(type, name, count)  arrays of the block's shared memory, in order;
 *                                 each a multiple of 16 bytes
 *   thread_index, block_x, block_y
 *   barrier, warp_barrier         order shared memory among a block, among a warp
 *   settle                        gfx11: loads behind it stay there, as registers are few
 *   shuffle_xor(x, mask)          another lane's float
 *   struct quad                   16 bytes
 *   global_load, global_store, shared_load, shared_store   a quad at a multiple of 16 bytes
 *   atomic_add(at, x)             to a float of global memory
 *   atomic_add2(at, x, y)         to two floats of global memory at a multiple of 8 bytes
 *   word_float, float_word        the same 32 bits
 *   exp2_fast, log2_fast
 *   bf16_widen, f16_widen(u32, lo, hi); bf16_narrow, f16_narrow(lo, hi)   two elements in 32 bits
 *
 * NVIDIA's have
 *   copy(to, from, valid)         a quad from global to shared memory, meanwhile; zeros where not
 *   copy_wait                     until this thread's copies have come
 *   ldmatrix, ldmatrix_transposed(r, row)    four 8x8 matrices of 16-bit elements
 *   mma_bf16, mma_f16(c, a, b)    c += a b on m16n8k16
 *
 * AMD's have
 *   mma_bf16, mma_f16(c, a, b)    c += a b on 16x16x16, laid out as device_layout.h says
 *
 * Lane 4g + t of NVIDIA's mma holds a (g, 2t) (g + 8, 2t) (g, 2t + 8) (g + 8, 2t + 8), b (2t, g)
 * (2t + 8, g), two elements a register, and c (g, 2t) (g, 2t + 1) (g + 8, 2t) (g + 8, 2t + 1). */
#ifndef KERNELS_GPU_DEVICE_H
#define KERNELS_GPU_DEVICE_H

#include "kernels/gpu/args.h"
#include "kernels/gpu/device_layout.h"
#include "kernels/gpu/shared_hip.h"

typedef unsigned short u16;
typedef unsigned u32;
typedef long long i64;

#ifdef PATTN_EMU
#include "kernels/gpu/device_emu.h"
#elif GFX
#include "kernels/gpu/device_hip.h"
#else
#include "kernels/gpu/device_cuda.h"
#endif

#endif
