/* Operations that lanes of a warp do together: shuffles and the matrix unit. */
#include "kernels/emu/simt/block.h"

#include <string.h>

#include "kernels/emu/simt/half.h"
#include "kernels/emu/simt/sanitizer.h"

struct shuffle_in {
	float value;
	uint32_t mask;
};

static void compute_shuffle(struct block *block, struct slots *slots)
{
	for (unsigned lane = 0; lane < block->lanes; lane++) {
		const struct shuffle_in *in = (const void *)slots->in[lane];
		const struct shuffle_in *other = (const void *)slots->in[lane ^ in->mask];
		memcpy(slots->out[lane], &other->value, sizeof other->value);
	}
}

float simt_shuffle_xor(float value, unsigned mask, const char *site)
{
	struct shuffle_in in = {value, mask};
	if (mask >= simt_self->block->lanes)
		simt_fail("shuffle at %s reaches past the warp", site);
	return *(const float *)warp_meet("a shuffle", site, &in, sizeof in, compute_shuffle);
}

static float widen(enum simt_elem elem, uint32_t bits)
{
	return elem == SIMT_BF16 ? bf16_value(bits) : f16_value(bits);
}

enum { M = 16, N = 8, K = 16 };

struct mma_in {
	uint32_t a[4], b[2];
	float c[4];
	enum simt_elem elem;
};
_Static_assert(sizeof(struct mma_in) <= SLOT_BYTES, "a lane's operands fit its slot");

struct mma_tiles {
	float a[M][K], b[K][N], c[M][N];
};

/* Register j, half e of lane 4g + t: a (g + 8 (j & 1), 2t + e + 8 (j >> 1)), b (2t + e + 8j, g);
 * c[j] (g + 8 (j >> 1), 2t + (j & 1)). */
static void mma_gather(struct mma_tiles *tiles, const struct slots *slots)
{
	for (int lane = 0; lane < SIMT_WARP; lane++) {
		const struct mma_in *in = (const void *)slots->in[lane];
		int g = lane >> 2, t = 2 * (lane & 3);
		for (int j = 0; j < 4; j++)
			for (int e = 0; e < 2; e++)
				tiles->a[g + 8 * (j & 1)][t + e + 8 * (j >> 1)] =
					widen(in->elem, in->a[j] >> 16 * e & 0xffffu);
		for (int j = 0; j < 2; j++)
			for (int e = 0; e < 2; e++)
				tiles->b[t + e + 8 * j][g] =
					widen(in->elem, in->b[j] >> 16 * e & 0xffffu);
		for (int j = 0; j < 4; j++)
			tiles->c[g + 8 * (j >> 1)][t + (j & 1)] = in->c[j];
	}
}

static void compute_mma(struct block *block, struct slots *slots)
{
	struct mma_tiles tiles;
	block->counts.mma++;
	mma_gather(&tiles, slots);
	for (int m = 0; m < M; m++)
		for (int k = 0; k < K; k++)
			for (int n = 0; n < N; n++)
				tiles.c[m][n] += tiles.a[m][k] * tiles.b[k][n];
	for (int lane = 0; lane < SIMT_WARP; lane++) {
		int g = lane >> 2, t = 2 * (lane & 3);
		float *out = (float *)slots->out[lane];
		for (int j = 0; j < 4; j++)
			out[j] = tiles.c[g + 8 * (j >> 1)][t + (j & 1)];
	}
}

void simt_mma(
	float c[4], const uint32_t a[4], const uint32_t b[2], enum simt_elem elem, const char *site)
{
	struct mma_in in = {.elem = elem};
	if (simt_self->block->lanes != SIMT_WARP)
		simt_fail("a matrix product at %s is of %d lanes", site, SIMT_WARP);
	memcpy(in.a, a, sizeof in.a);
	memcpy(in.b, b, sizeof in.b);
	memcpy(in.c, c, sizeof in.c);
	memcpy(c, warp_meet("a matrix product", site, &in, sizeof in, compute_mma), sizeof in.c);
}

#define ROW_BYTES 16
#define BANK_SETS 8 /* rows of 16 bytes that one pass over the 32 banks can serve */

struct row_in {
	uint16_t elements[ROW_BYTES / 2];
	uintptr_t address;
};

static void count_conflicts(struct block *block, const struct slots *slots, int matrix)
{
	unsigned passes[BANK_SETS] = {0}, most = 0;
	for (int row = 0; row < 8; row++) {
		const struct row_in *in = (const void *)slots->in[8 * matrix + row];
		unsigned n = ++passes[in->address / ROW_BYTES % BANK_SETS];
		most = n > most ? n : most;
	}
	block->counts.conflicts += most - 1;
}

static uint32_t row_pair(
	const struct slots *slots, int matrix, int row, int column, bool transposed)
{
	const struct row_in *first = (const void *)slots->in[8 * matrix + row];
	const struct row_in *second =
		transposed ? (const void *)slots->in[8 * matrix + row + 1] : first;
	uint32_t low = first->elements[column];
	uint32_t high = second->elements[transposed ? column : column + 1];
	return low | high << 16;
}

static void load_matrices(struct block *block, struct slots *slots, bool transposed)
{
	block->counts.ldmatrix++;
	for (int matrix = 0; matrix < 4; matrix++) {
		count_conflicts(block, slots, matrix);
		for (int lane = 0; lane < SIMT_WARP; lane++) {
			int g = lane >> 2, t = 2 * (lane & 3);
			uint32_t pair = transposed ? row_pair(slots, matrix, t, g, true)
						   : row_pair(slots, matrix, g, t, false);
			memcpy(slots->out[lane] + 4 * matrix, &pair, sizeof pair);
		}
	}
}

static void compute_rows(struct block *block, struct slots *slots)
{
	load_matrices(block, slots, false);
}

static void compute_columns(struct block *block, struct slots *slots)
{
	load_matrices(block, slots, true);
}

void simt_ldmatrix(uint32_t r[4], const void *row, int transposed, const char *site)
{
	struct row_in in = {.address = (uintptr_t)row};
	shared_check(row, ROW_BYTES, "ldmatrix", site);
	watch_read(row, ROW_BYTES);
	memcpy(in.elements, row, ROW_BYTES);
	memcpy(r,
		warp_meet("ldmatrix", site, &in, sizeof in,
			transposed ? compute_columns : compute_rows),
		4 * sizeof *r);
}
