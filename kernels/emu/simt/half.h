/* 16-bit floating point in 32 bits of integer: the emulated machine's conversions. */
#ifndef KERNELS_EMU_SIMT_HALF_H
#define KERNELS_EMU_SIMT_HALF_H

#include <stdint.h>

static inline float f32_of(uint32_t bits)
{
	float x;
	__builtin_memcpy(&x, &bits, sizeof x);
	return x;
}

static inline uint32_t f32_bits(float x)
{
	uint32_t bits;
	__builtin_memcpy(&bits, &x, sizeof bits);
	return bits;
}

static inline float bf16_value(uint32_t bits)
{
	return f32_of(bits << 16);
}

static inline uint32_t bf16_bits(float x)
{
	uint32_t bits = f32_bits(x);
	return x != x ? 0x7fffu : (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

static inline float f16_value(uint32_t bits)
{
	uint32_t sign = (bits & 0x8000u) << 16, exponent = bits >> 10 & 31;
	uint32_t fraction = bits & 0x3ffu;
	if (exponent == 31)
		return f32_of(sign | 0x7f800000u | fraction << 13);
	if (exponent)
		return f32_of(sign | (exponent + 112) << 23 | fraction << 13);
	float tiny = (float)fraction * 0x1p-24f;
	return sign ? -tiny : tiny;
}

/* Adding a number that has the wanted last bit as its own lets the adder round. */
static inline uint32_t f16_bits(float x)
{
	uint32_t bits = f32_bits(x), sign = bits >> 16 & 0x8000u, size = bits & 0x7fffffffu;
	if (size > 0x7f800000u)
		return 0x7fffu;
	if (size >= 0x477ff000u)
		return sign | 0x7c00u;
	if (size < 0x38800000u)
		return sign | (f32_bits(f32_of(size) + 0.5f) - f32_bits(0.5f));
	return sign | (size + 0xfffu + (size >> 13 & 1) - (112u << 23)) >> 13;
}

#endif
