/* One rung of the ladder: lanes.c includes this once for each. `WIDTH` numbers to a vector,
 * `RUNG(x)` names a thing of this rung, `TARGET` is the attribute that allows its instructions. */

typedef double RUNG(numbers) __attribute__((vector_size(WIDTH * 8), aligned(8), may_alias));
typedef int64_t RUNG(bits) __attribute__((vector_size(WIDTH * 8), aligned(8), may_alias));
#define NUMBERS RUNG(numbers)
#define BITS    RUNG(bits)

/* `a` where the mask is set, else `b`. */
#define CHOOSE(mask, a, b) ((NUMBERS)(((mask) & (BITS)(a)) | (~(mask) & (BITS)(b))))

TARGET static void RUNG(product_add)(
	struct matrix c, struct matrix a, struct matrix b, int rows, int columns, int inner)
{
	enum { ACROSS = LANES_COLUMNS / WIDTH };

	/* Columns outside: their slice of B stays in the nearest cache while A streams by. */
	for (int column = 0; column < columns; column += LANES_COLUMNS)
		for (int row = 0; row < rows; row += LANES_ROWS) {
			const double *left = a.at + row * a.down, *right = b.at + column;
			double *tile = c.at + row * c.down + column;
			NUMBERS sums[LANES_ROWS][ACROSS];

			for (int i = 0; i < LANES_ROWS; i++)
				for (int j = 0; j < ACROSS; j++)
					sums[i][j] = *(NUMBERS *)(tile + i * c.down + j * WIDTH);
			for (int k = 0; k < inner; k++, left += a.across, right += b.down)
				for (int i = 0; i < LANES_ROWS; i++)
					for (int j = 0; j < ACROSS; j++)
						sums[i][j] += left[i * a.down] *
							      *(const NUMBERS *)(right + j * WIDTH);
			for (int i = 0; i < LANES_ROWS; i++)
				for (int j = 0; j < ACROSS; j++)
					*(NUMBERS *)(tile + i * c.down + j * WIDTH) = sums[i][j];
		}
}

TARGET static void RUNG(exp_each)(double *at, int count)
{
	/* Added, it leaves the nearest integer in the low bits of the fraction. */
	const double to_integer = 0x1.8p52;

	for (int i = 0; i < count; i += WIDTH) {
		NUMBERS x = *(NUMBERS *)(at + i);
		NUMBERS shifted, n, r, series;
		BITS power;

		/* Here the power of two below is exactly 0 or infinite. */
		x = CHOOSE(x < -709.1, (NUMBERS){0} - 709.1, x);
		x = CHOOSE(x > 709.9, (NUMBERS){0} + 709.9, x);
		shifted = x * (1 / LN2) + to_integer;
		n = shifted - to_integer;
		r = (x - n * LN2_HIGH) - n * LN2_LOW;
		series = (NUMBERS){0} + exp_terms[EXP_DEGREE];
		for (int term = EXP_DEGREE - 1; term > 1; term--)
			series = series * r + exp_terms[term];
		series = 1 + (r + r * r * series);
		power = ((BITS)shifted + 1023) << 52;
		*(NUMBERS *)(at + i) = series * (NUMBERS)power;
	}
}

TARGET static void RUNG(max_each)(double *top, const double *x, int count)
{
	for (int i = 0; i < count; i += WIDTH) {
		NUMBERS old = *(NUMBERS *)(top + i), new = *(const NUMBERS *)(x + i);

		*(NUMBERS *)(top + i) = CHOOSE(new > old, new, old);
	}
}

#undef NUMBERS
#undef BITS
#undef CHOOSE
#undef WIDTH
#undef RUNG
#undef TARGET
