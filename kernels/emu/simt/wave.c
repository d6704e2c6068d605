/* AMD's matrix units: 16x16x16 products of a whole wave, as its three generations lay them out. */
#include "kernels/emu/simt/block.h"

#include <string.h>

#include "kernels/emu/simt/half.h"

enum { SIDE = 16, SLOTS_MAX = 16, CELLS_MAX = 8 };

/* Lane 16g + i has row i of a and column i of b, and column i of c. */
static const struct unit {
	int gfx;
	unsigned lanes;
	int slots; /* elements of a and of b a lane has */
	int cells; /* and of c */
} units[] = {
	{9, 64, 4, 4},
	{11, 32, 16, 8},
	{12, 32, 8, 8},
};
#define UNITS ((int)(sizeof units / sizeof *units))

/* The k that slot `slot` of a lane of group g stands for. */
static int slot_k(const struct unit *unit, int g, int slot)
{
	switch (unit->gfx) {
	case 9: return 4 * g + slot;
	case 11: return slot;
	default: return (slot & 3) + 4 * g + 8 * (slot >> 2);
	}
}

/* The row of c that cell `cell` of a lane of group g is in. */
static int cell_row(const struct unit *unit, int g, int cell)
{
	switch (unit->gfx) {
	case 9: return 4 * g + cell;
	case 11: return 2 * cell + g;
	default: return 8 * g + cell;
	}
}

struct wave_in {
	uint32_t a[SLOTS_MAX / 2], b[SLOTS_MAX / 2];
	float c[CELLS_MAX];
	const struct unit *unit;
	enum simt_elem elem;
};
_Static_assert(sizeof(struct wave_in) <= SLOT_BYTES, "a lane's operands fit its slot");

static uint32_t slot_bits(const uint32_t *words, int slot)
{
	return words[slot / 2] >> 16 * (slot & 1) & 0xffffu;
}

static float slot_value(const struct wave_in *in, const uint32_t *words, int slot)
{
	uint32_t bits = slot_bits(words, slot);
	return in->elem == SIMT_BF16 ? bf16_value(bits) : f16_value(bits);
}

/* Where both halves of the wave hold an element, they must agree. */
static const char *wave_misfit(const struct slots *slots)
{
	const struct wave_in *first = (const void *)slots->in[0];
	if (first->unit->gfx != 11)
		return NULL;
	for (int lane = 0; lane < SIDE; lane++) {
		const struct wave_in *low = (const void *)slots->in[lane];
		const struct wave_in *high = (const void *)slots->in[lane + SIDE];
		if (memcmp(low->a, high->a, sizeof low->a))
			return "a";
		if (memcmp(low->b, high->b, sizeof low->b))
			return "b";
	}
	return NULL;
}

static void compute_wave(struct block *block, struct slots *slots)
{
	const struct unit *unit = ((const struct wave_in *)(const void *)slots->in[0])->unit;
	const char *misfit = wave_misfit(slots);
	float a[SIDE][SIDE], b[SIDE][SIDE], c[SIDE][SIDE];
	if (misfit)
		simt_fail("the halves of a wave disagree on operand %s of a product", misfit);
	block->counts.mma++;
	for (int lane = 0; lane < (int)unit->lanes; lane++) {
		const struct wave_in *in = (const void *)slots->in[lane];
		int g = lane / SIDE, i = lane % SIDE;
		for (int slot = 0; slot < unit->slots; slot++) {
			a[i][slot_k(unit, g, slot)] = slot_value(in, in->a, slot);
			b[slot_k(unit, g, slot)][i] = slot_value(in, in->b, slot);
		}
		for (int cell = 0; cell < unit->cells; cell++)
			c[cell_row(unit, g, cell)][i] = in->c[cell];
	}
	for (int m = 0; m < SIDE; m++)
		for (int k = 0; k < SIDE; k++)
			for (int n = 0; n < SIDE; n++)
				c[m][n] += a[m][k] * b[k][n];
	for (int lane = 0; lane < (int)unit->lanes; lane++) {
		float *out = (float *)slots->out[lane];
		for (int cell = 0; cell < unit->cells; cell++)
			out[cell] = c[cell_row(unit, lane / SIDE, cell)][lane % SIDE];
	}
}

static const struct unit *unit_find(int gfx)
{
	for (int i = 0; i < UNITS; i++)
		if (units[i].gfx == gfx)
			return &units[i];
	return NULL;
}

void simt_wave_mma(float *c, const uint32_t *a, const uint32_t *b, int gfx, enum simt_elem elem,
	const char *site)
{
	const struct unit *unit = unit_find(gfx);
	struct wave_in in = {.unit = unit, .elem = elem};
	if (!unit || simt_self->block->lanes != unit->lanes)
		simt_fail("a product of gfx%d at %s in a wave of %u lanes", gfx, site,
			simt_self->block->lanes);
	size_t operand = (size_t)unit->slots / 2 * sizeof *a;
	size_t cells = (size_t)unit->cells * sizeof *c;
	memcpy(in.a, a, operand);
	memcpy(in.b, b, operand);
	memcpy(in.c, c, cells);
	memcpy(c, warp_meet("a matrix product", site, &in, sizeof in, compute_wave), cells);
}
