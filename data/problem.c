#include "data/problem.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

const char *pass_name(enum pass pass)
{
	static const char *const names[PASS_COUNT] = {"forward", "backward"};

	return names[pass];
}

/* Whether the largest tensor anyone holds, dqkv in f64, has a size in 63 bits; the others, and
 * sums of tokens times a table's row, are smaller. */
static bool sizes_fit(const struct problem *problem)
{
	int64_t row, bytes;

	return mem_mul(problem->heads, 3 * HEAD_DIM * (int64_t)sizeof(double), &row) &&
	       mem_mul(problem->tokens, row, &bytes);
}

int problem_init(struct problem *problem, const struct lens *lens, int64_t heads, int64_t window,
	enum dtype dtype, struct err *err)
{
	*problem = (struct problem){
		.dtype = dtype, .heads = heads, .window = window, .count = lens->count};
	if (heads < 1)
		return err_set(
			err, ERR_USAGE, "%lld heads are too few; use at least 1", (long long)heads);
	if (window < NO_WINDOW || window > LENS_MAX_LEN)
		return err_set(err, ERR_USAGE,
			"a window of %lld is out of range; use none or 0 to %lld",
			(long long)window, (long long)LENS_MAX_LEN);
	problem->lens = mem_new(lens->count, sizeof *problem->lens, "sequence lengths", err);
	problem->cu = mem_new(lens->count + 1, sizeof *problem->cu, "sequence offsets", err);
	if (!problem->lens || !problem->cu)
		return -1;
	for (int64_t i = 0; i < lens->count; i++) {
		int64_t len = lens->len[i];

		if (len < 0 || len > LENS_MAX_LEN)
			bug("sequence %lld has %lld tokens", (long long)i, (long long)len);
		problem->lens[i] = len;
		problem->cu[i + 1] = problem->cu[i] + len;
		if (len > problem->longest)
			problem->longest = len;
	}
	problem->tokens = problem->cu[problem->count];
	if (!sizes_fit(problem))
		return err_set(err, ERR_USAGE,
			"%lld tokens of %lld heads do not fit 63-bit sizes; use fewer or shorter "
			"sequences, or fewer heads",
			(long long)problem->tokens, (long long)heads);
	return 0;
}

void problem_release(struct problem *problem)
{
	mem_free(problem->lens);
	mem_free(problem->cu);
	*problem = (struct problem){0};
}

int64_t problem_qkv_count(const struct problem *problem)
{
	return 3 * problem_out_count(problem);
}

int64_t problem_out_count(const struct problem *problem)
{
	return problem->tokens * problem->heads * HEAD_DIM;
}

int64_t problem_lse_count(const struct problem *problem)
{
	return problem->heads * problem->tokens;
}

int64_t problem_table_count(const struct problem *problem)
{
	return problem->longest * HALF_DIM;
}

/* Sizes that stick at INT64_MAX. */
static int64_t add(int64_t a, int64_t b)
{
	int64_t sum;

	return mem_add(a, b, &sum) ? sum : INT64_MAX;
}

static int64_t mul(int64_t a, int64_t b)
{
	int64_t product;

	return mem_mul(a, b, &product) ? product : INT64_MAX;
}

int64_t problem_pairs(const struct problem *problem)
{
	int64_t pairs = 0;

	for (int64_t i = 0; i < problem->count; i++) {
		int64_t len = problem->lens[i];
		int64_t beyond = 0; /* keys of the first query that lie outside its window */

		if (problem->window != NO_WINDOW && problem->window < len)
			beyond = len - 1 - problem->window;
		/* The square of all pairs without the triangles of either side of the band. */
		pairs = add(pairs, len * len - beyond * (beyond + 1));
	}
	return pairs;
}

double problem_flops(const struct problem *problem, enum pass pass)
{
	double forward = 4.0 * HEAD_DIM * (double)problem->heads * (double)problem_pairs(problem);

	return pass == PASS_FORWARD ? forward : 2.5 * forward;
}

/* Bytes of `qkvs` tensors like qkv, `outs` like out, and lse and the tables once. */
static int64_t tensor_bytes(const struct problem *problem, int64_t qkvs, int64_t outs)
{
	int64_t typed = mul(3 * qkvs + outs, problem_out_count(problem));
	int64_t floats = add(problem_lse_count(problem), 2 * problem_table_count(problem));

	return add(mul(typed, dtype_size(problem->dtype)), mul(floats, sizeof(float)));
}

double problem_exponentials(const struct problem *problem)
{
	return (double)problem_pairs(problem) * (double)problem->heads;
}

int64_t problem_bytes(const struct problem *problem, enum pass pass)
{
	/* Forward: qkv, out. Backward: qkv, dqkv, out, dout. */
	return pass == PASS_FORWARD ? tensor_bytes(problem, 1, 1) : tensor_bytes(problem, 2, 2);
}

/* What a thread packs of one head of the longest sequence: Q, K, V, dO, three of their transposes
 * and dQ, in f32, and a few tiles. An upper estimate for every schedule. */
static int64_t workspace_bytes(const struct problem *problem)
{
	return add(mul(8 * HEAD_DIM * sizeof(float), problem->longest), 1 << 20);
}

int64_t problem_memory(const struct problem *problem, enum pass pass, int threads)
{
	/* dout is made for either pass. */
	int64_t tensors = tensor_bytes(problem, pass == PASS_FORWARD ? 1 : 2, 2);
	int64_t exact = add(problem_out_count(problem), problem_lse_count(problem));
	int64_t bytes;

	if (pass == PASS_BACKWARD)
		exact = add(exact, problem_qkv_count(problem));
	bytes = add(mul(2, tensors), mul(exact, sizeof(double))); /* 2: the host's, the device's */
	return add(bytes, mul(threads, workspace_bytes(problem)));
}

int problem_fits(const struct problem *problem, enum pass pass, int threads, struct err *err)
{
	int64_t need = problem_memory(problem, pass, threads);
	int64_t had = mem_available();
	char need_text[32], had_text[32];

	if (need <= had)
		return 0;
	return err_set(err, ERR_UNAVAILABLE,
		"the problem needs %s of memory and %s are free; use fewer or shorter sequences, "
		"or fewer heads",
		str_bytes(need, need_text), str_bytes(had, had_text));
}

const char *window_name(int64_t window, char text[32])
{
	if (window == NO_WINDOW)
		return strcpy(text, "none");
	snprintf(text, 32, "%lld", (long long)window);
	return text;
}

bool window_parse(const char *text, int64_t *window)
{
	int64_t value = NO_WINDOW;

	if (strcmp(text, "none") &&
		(!str_to_int(text, &value) || value < 0 || value > LENS_MAX_LEN))
		return false;
	*window = value;
	return true;
}
