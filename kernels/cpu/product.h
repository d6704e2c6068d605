/* The one matrix product of all kernels: C = A B, or C = diag(scale) C + A B, for a register tile
 * of up to ROWS rows by VECS vectors, an outer product a step. Operands are described by strides in
 * floats, so that the same loop serves scores, outputs and every gradient. */

/* A[r, k] is a[r * a_row + k * a_step]; vector c of B's row k is at b + c * b_vec + k * b_step. */
struct operands {
	const float *a;
	int64_t a_row, a_step;
	const float *b;
	int64_t b_vec, b_step;
	int64_t depth;
};

/* How C begins. */
enum start { START_ZERO, START_ADD, START_SCALE };

static inline __attribute__((always_inline)) void tile_product(const int rows, const int vecs,
	const enum start start, const struct operands o, float *c, int64_t c_row,
	const float *scale)
{
	vec acc[ROWS][VECS];
#pragma GCC unroll 8
	for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
		for (int v = 0; v < vecs; v++)
			acc[r][v] = start == START_ZERO  ? vec_set(0)
				    : start == START_ADD ? vec_load(c + r * c_row + v * LANES)
							 : vec_load(c + r * c_row + v * LANES) *
								   vec_set(scale[r]);
	for (int64_t k = 0; k < o.depth; k++) {
		vec b[VECS];
#pragma GCC unroll 4
		for (int v = 0; v < vecs; v++)
			b[v] = vec_load(o.b + v * o.b_vec + k * o.b_step);
#pragma GCC unroll 8
		for (int r = 0; r < rows; r++) {
			vec a = vec_set(o.a[r * o.a_row + k * o.a_step]);
#pragma GCC unroll 4
			for (int v = 0; v < vecs; v++)
				acc[r][v] += a * b[v];
		}
	}
#pragma GCC unroll 8
	for (int r = 0; r < rows; r++)
#pragma GCC unroll 4
		for (int v = 0; v < vecs; v++)
			vec_store(c + r * c_row + v * LANES, acc[r][v]);
}

/* The tile for run-time `rows` <= ROWS and `vecs` <= VECS: every size its own unrolled loop. */
static inline __attribute__((always_inline)) void tile_product_sized(int rows, int vecs,
	const enum start start, const struct operands o, float *c, int64_t c_row,
	const float *scale)
{
#define SIZE(r, v)                                                                                 \
	case (r)*8 + (v):                                                                          \
		if ((r) <= ROWS && (v) <= VECS)                                                    \
			tile_product(r, v, start, o, c, c_row, scale);                             \
		break;
#define SIZES(r) SIZE(r, 1) SIZE(r, 2) SIZE(r, 3) SIZE(r, 4)
	switch (rows * 8 + vecs) {
		SIZES(1)
		SIZES(2)
		SIZES(3)
		SIZES(4)
		SIZES(5)
		SIZES(6)
	}
#undef SIZES
#undef SIZE
}

/* `vecs` vectors of C in register tiles. */
static inline __attribute__((always_inline)) void product(int rows, int vecs,
	const enum start start, struct operands o, float *c, int64_t c_row, const float *scale)
{
	for (; vecs > 0; vecs -= VECS, c += VECS * LANES, o.b += VECS * o.b_vec)
		tile_product_sized(rows, vecs < VECS ? vecs : VECS, start, o, c, c_row, scale);
}
