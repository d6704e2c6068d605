/* Operands gathered from the packed tensors: widened to f32, rotated, scaled, transposed. A head's
 * rows lie 3*H*D elements apart, so each is touched once here and never again. */

#define HEAD_VECS (HEAD_DIM / LANES) /* vectors of a row */

static inline __attribute__((always_inline)) vec widen(
	const enum dtype dtype, const void *tensor, int64_t at)
{
	switch (dtype) {
	case DTYPE_F32: return vec_load((const float *)tensor + at);
	case DTYPE_BF16: return vec_load_bf16((const uint16_t *)tensor + at);
	case DTYPE_F16: break;
	}
	return vec_load_f16((const uint16_t *)tensor + at);
}

static inline __attribute__((always_inline)) void narrow(
	const enum dtype dtype, void *tensor, int64_t at, vec x)
{
	switch (dtype) {
	case DTYPE_F32: vec_store((float *)tensor + at, x); return;
	case DTYPE_BF16: vec_store_bf16((uint16_t *)tensor + at, x); return;
	case DTYPE_F16: break;
	}
	vec_store_f16((uint16_t *)tensor + at, x);
}

/* Rows of one head of a tensor: element 0 of the first, and the distance between rows. */
struct rows {
	const void *tensor;
	int64_t at, stride;
};

/* to[r, :] = R(first + r) from[r, :] * scale. */
static inline __attribute__((always_inline)) void pack_rotated_typed(const enum dtype dtype,
	struct rows from, int64_t count, const float *cos, const float *sin, float scale, float *to)
{
	for (int64_t r = 0; r < count; r++, from.at += from.stride, to += HEAD_DIM)
		for (int j = 0; j < HALF_DIM; j += LANES) {
			vec x1 = widen(dtype, from.tensor, from.at + j);
			vec x2 = widen(dtype, from.tensor, from.at + j + HALF_DIM);
			vec c = vec_load(cos + r * HALF_DIM + j) * scale;
			vec s = vec_load(sin + r * HALF_DIM + j) * scale;
			vec_store(to + j, x1 * c - x2 * s);
			vec_store(to + j + HALF_DIM, x1 * s + x2 * c);
		}
}

static void pack_rotated(enum dtype dtype, struct rows from, int64_t count, const float *cos,
	const float *sin, float scale, float *to)
{
	switch (dtype) {
	case DTYPE_F32: pack_rotated_typed(DTYPE_F32, from, count, cos, sin, scale, to); break;
	case DTYPE_BF16: pack_rotated_typed(DTYPE_BF16, from, count, cos, sin, scale, to); break;
	case DTYPE_F16: pack_rotated_typed(DTYPE_F16, from, count, cos, sin, scale, to); break;
	}
}

static inline __attribute__((always_inline)) void pack_plain_typed(
	const enum dtype dtype, struct rows from, int64_t count, float *to)
{
	for (int64_t r = 0; r < count; r++, from.at += from.stride, to += HEAD_DIM)
		for (int j = 0; j < HEAD_DIM; j += LANES)
			vec_store(to + j, widen(dtype, from.tensor, from.at + j));
}

static void pack_plain(enum dtype dtype, struct rows from, int64_t count, float *to)
{
	switch (dtype) {
	case DTYPE_F32: pack_plain_typed(DTYPE_F32, from, count, to); break;
	case DTYPE_BF16: pack_plain_typed(DTYPE_BF16, from, count, to); break;
	case DTYPE_F16: pack_plain_typed(DTYPE_F16, from, count, to); break;
	}
}

/* One row of results into a tensor: to[at + j] = row[j] * scale. */
static inline void unpack_row(enum dtype dtype, void *to, int64_t at, const float *row, float scale)
{
	for (int j = 0; j < HEAD_DIM; j += LANES) {
		vec x = vec_load(row + j) * scale;
		switch (dtype) {
		case DTYPE_F32: narrow(DTYPE_F32, to, at + j, x); break;
		case DTYPE_BF16: narrow(DTYPE_BF16, to, at + j, x); break;
		case DTYPE_F16: narrow(DTYPE_F16, to, at + j, x); break;
		}
	}
}

/* row = R(-position) row. */
static inline void rotate_back(float *row, const float *cos, const float *sin)
{
	for (int j = 0; j < HALF_DIM; j += LANES) {
		vec y1 = vec_load(row + j), y2 = vec_load(row + j + HALF_DIM);
		vec c = vec_load(cos + j), s = vec_load(sin + j);
		vec_store(row + j, y1 * c + y2 * s);
		vec_store(row + j + HALF_DIM, y2 * c - y1 * s);
	}
}

/* Lanes of a and b in turn: the step of which log2(LANES) rounds transpose a square. */
#if LANES == 16
#define LOW_LANES  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH_LANES 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif LANES == 8
#define LOW_LANES  0, 8, 1, 9, 2, 10, 3, 11
#define HIGH_LANES 4, 12, 5, 13, 6, 14, 7, 15
#endif

static inline __attribute__((always_inline)) void transpose_square(vec x[LANES])
{
#if LANES > 1
	for (int round = 1; round < LANES; round *= 2) {
		vec y[LANES];
#pragma GCC unroll 16
		for (int i = 0; i < LANES / 2; i++) {
			y[2 * i] = __builtin_shufflevector(x[i], x[i + LANES / 2], LOW_LANES);
			y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + LANES / 2], HIGH_LANES);
		}
#pragma GCC unroll 16
		for (int i = 0; i < LANES; i++)
			x[i] = y[i];
	}
#else
	(void)x;
#endif
}

/* Panels of LANES rows, transposed: panel p, dimension d holds rows p*LANES .. at
 * to[(p * D + d) * LANES]. Rows from `count` up to a whole panel are zero. */
static void pack_panels(const float *rows, int64_t count, float *to)
{
	for (int64_t first = 0; first < count; first += LANES, to += HEAD_DIM * LANES)
		for (int j = 0; j < HEAD_DIM; j += LANES) {
			vec x[LANES];
#pragma GCC unroll 16
			for (int i = 0; i < LANES; i++)
				x[i] = first + i < count
					       ? vec_load(rows + (first + i) * HEAD_DIM + j)
					       : vec_set(0);
			transpose_square(x);
#pragma GCC unroll 16
			for (int i = 0; i < LANES; i++)
				vec_store(to + (j + i) * LANES, x[i]);
		}
}
