#include "data/dtype.h"

#include <string.h>

static const struct {
	const char *name;
	int size;
} dtypes[DTYPE_COUNT] = {
	[DTYPE_F32] = {"f32", 4},
	[DTYPE_BF16] = {"bf16", 2},
	[DTYPE_F16] = {"f16", 2},
};

const char *dtype_name(enum dtype dtype)
{
	return dtypes[dtype].name;
}

int dtype_size(enum dtype dtype)
{
	return dtypes[dtype].size;
}

bool dtype_find(const char *name, enum dtype *dtype)
{
	for (int i = 0; i < DTYPE_COUNT; i++)
		if (!strcmp(dtypes[i].name, name)) {
			*dtype = (enum dtype)i;
			return true;
		}
	return false;
}

static uint32_t bits_of(float value)
{
	uint32_t bits;

	memcpy(&bits, &value, sizeof bits);
	return bits;
}

static float float_of(uint32_t bits)
{
	float value;

	memcpy(&value, &bits, sizeof value);
	return value;
}

#define F32_INFINITY UINT32_C(0x7f800000)

/* `bits >> shift`, to nearest, ties to even. */
static uint32_t shift_round(uint32_t bits, int shift)
{
	uint32_t half = UINT32_C(1) << (shift - 1);

	return (bits + half - 1 + (bits >> shift & 1)) >> shift;
}

uint16_t bf16_from_f32(float value)
{
	uint32_t bits = bits_of(value);

	if ((bits & ~(UINT32_C(1) << 31)) > F32_INFINITY)
		return (uint16_t)(bits >> 16 | 0x40);
	return (uint16_t)shift_round(bits, 16);
}

float bf16_to_f32(uint16_t bits)
{
	return float_of((uint32_t)bits << 16);
}

/* f16: 5 bits of exponent of bias 15, 10 of fraction. */
#define F16_INFINITY UINT32_C(0x7c00)
#define BIAS_STEP    UINT32_C(112) /* 127 - 15 */

uint16_t f16_from_f32(float value)
{
	uint32_t sign = bits_of(value) >> 16 & 0x8000;
	uint32_t bits = bits_of(value) & 0x7fffffff;
	uint32_t exponent = bits >> 23, half;

	if (bits > F32_INFINITY)
		half = F16_INFINITY | 0x200 | (bits >> 13 & 0x3ff);
	else if (exponent > BIAS_STEP + 30)
		half = F16_INFINITY;
	else if (exponent > BIAS_STEP)
		/* A carry out of the fraction is the next exponent, at the top infinity. */
		half = shift_round(bits - (BIAS_STEP << 23), 13);
	else if (exponent > BIAS_STEP - 11)
		/* Subnormal: the fraction with its leading one, in units of 2^-24. */
		half = shift_round((bits & 0x7fffff) | 0x800000, (int)(BIAS_STEP + 14 - exponent));
	else
		half = 0;
	return (uint16_t)(sign | half);
}

float f16_to_f32(uint16_t half)
{
	uint32_t sign = (uint32_t)(half & 0x8000) << 16;
	uint32_t exponent = half >> 10 & 0x1f, fraction = half & 0x3ff;

	if (exponent == 0x1f)
		return float_of(sign | F32_INFINITY | fraction << 13);
	if (exponent)
		return float_of(sign | (exponent + BIAS_STEP) << 23 | fraction << 13);
	/* Exact, and at least the smallest normal of f32. */
	return float_of(sign | bits_of((float)fraction * 0x1p-24f));
}

float dtype_load(enum dtype dtype, const void *tensor, int64_t index)
{
	switch (dtype) {
	case DTYPE_BF16: return bf16_to_f32(((const uint16_t *)tensor)[index]);
	case DTYPE_F16: return f16_to_f32(((const uint16_t *)tensor)[index]);
	default: return ((const float *)tensor)[index];
	}
}

void dtype_store(enum dtype dtype, void *tensor, int64_t index, float value)
{
	switch (dtype) {
	case DTYPE_BF16: ((uint16_t *)tensor)[index] = bf16_from_f32(value); break;
	case DTYPE_F16: ((uint16_t *)tensor)[index] = f16_from_f32(value); break;
	default: ((float *)tensor)[index] = value;
	}
}
