/* Attention and its gradient in f64: against plain loops, differences, closed cases; the same bits
 * on any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/hash.h"
#include "base/rng.h"
#include "base/stop.h"
#include "oracle/oracle.h"

#define SEQUENCES_MOST 16

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* A problem, its inputs and the oracle's results. */
struct setting {
	struct problem problem;
	struct tensors tensors;
	struct oracle oracle;
};

static void setting_init(struct setting *setting, const int64_t *lens, int64_t count, int64_t heads,
	int64_t window, enum dtype dtype, uint64_t seed)
{
	int64_t copy[SEQUENCES_MOST];
	struct lens list = {.len = copy, .count = count};
	struct err err;

	assert_true(count <= SEQUENCES_MOST);
	memcpy(copy, lens, (size_t)count * sizeof *copy);
	*setting = (struct setting){0};
	assert_int_equal(problem_init(&setting->problem, &list, heads, window, dtype, &err), 0);
	assert_int_equal(tensors_init(&setting->tensors, &setting->problem, seed, &err), 0);
}

static void setting_release(struct setting *setting)
{
	oracle_release(&setting->oracle);
	tensors_release(&setting->tensors);
	problem_release(&setting->problem);
}

static void setting_run(struct setting *setting, enum pass pass, int threads)
{
	struct err err;
	struct team *team = team_new(threads, &err);

	assert_non_null(team);
	oracle_release(&setting->oracle);
	assert_int_equal(oracle_run(&setting->oracle, &setting->problem, &setting->tensors, pass,
				 team, &err),
		0);
	team_free(team);
}

/* The same operation by the formulas, a row at a time and with nothing shared with the oracle;
 * qkv in f64, so that it can be differenced. */
struct plain {
	const struct problem *problem;
	const float *cos, *sin;
	double *qkv, *dout;       /* inputs, widened */
	double *out, *lse, *dqkv; /* results */
};

static double *doubles(int64_t count)
{
	double *values = calloc((size_t)count + 1, sizeof *values);

	assert_non_null(values);
	return values;
}

static double *widened(const void *tensor, int64_t count, enum dtype dtype)
{
	double *values = doubles(count);

	for (int64_t i = 0; i < count; i++)
		values[i] = dtype_load(dtype, tensor, i);
	return values;
}

static void plain_init(struct plain *plain, const struct setting *setting)
{
	const struct problem *problem = &setting->problem;
	int64_t qkv_count = problem_qkv_count(problem), out_count = problem_out_count(problem);

	*plain = (struct plain){
		.problem = problem,
		.cos = setting->tensors.cos,
		.sin = setting->tensors.sin,
		.qkv = widened(setting->tensors.qkv, qkv_count, problem->dtype),
		.dout = widened(setting->tensors.dout, out_count, problem->dtype),
		.out = doubles(out_count),
		.lse = doubles(problem_lse_count(problem)),
		.dqkv = doubles(qkv_count),
	};
}

static void plain_release(struct plain *plain)
{
	free(plain->qkv);
	free(plain->dout);
	free(plain->out);
	free(plain->lse);
	free(plain->dqkv);
}

/* First element of part 0, 1 or 2 (query, key, value) of a token's head in qkv. */
static int64_t qkv_at(const struct problem *problem, int64_t token, int part, int64_t head)
{
	return token * 3 * problem->heads * HEAD_DIM + part * problem->heads * HEAD_DIM +
	       head * HEAD_DIM;
}

static void turn(const struct plain *plain, const double *from, int64_t position, double sign,
	double factor, double *to)
{
	for (int j = 0; j < HALF_DIM; j++) {
		double c = plain->cos[position * HALF_DIM + j];
		double s = sign * (double)plain->sin[position * HALF_DIM + j];
		double x = from[j], y = from[j + HALF_DIM];

		to[j] = (x * c - y * s) * factor;
		to[j + HALF_DIM] = (x * s + y * c) * factor;
	}
}

static double dot(const double *a, const double *b)
{
	double sum = 0;

	for (int d = 0; d < HEAD_DIM; d++)
		sum += a[d] * b[d];
	return sum;
}

/* Rows of one head of one sequence. */
struct plain_head {
	double (*q)[HEAD_DIM], (*k)[HEAD_DIM], (*dq)[HEAD_DIM], (*dk)[HEAD_DIM];
	double *p, *dp;
};

/* One query: its output, and what it adds to the gradients (dq, dk before turning back). */
static void plain_row(struct plain *plain, struct plain_head *rows, int64_t start, int64_t len,
	int64_t head, int64_t i)
{
	const struct problem *problem = plain->problem;
	int64_t window = problem->window, low = 0, high = len;
	int64_t at = (start + i) * problem->heads * HEAD_DIM + head * HEAD_DIM;
	double *out = plain->out + at, *dout = plain->dout + at;
	double top = -INFINITY, sum = 0, delta = 0;

	if (window != NO_WINDOW) {
		low = i > window ? i - window : 0;
		high = least(len, i + window + 1);
	}
	for (int64_t j = low; j < high; j++) {
		rows->p[j] = dot(rows->q[i], rows->k[j]);
		if (rows->p[j] > top)
			top = rows->p[j];
	}
	for (int64_t j = low; j < high; j++)
		sum += rows->p[j] = exp(rows->p[j] - top);
	plain->lse[head * problem->tokens + start + i] = top + log(sum);
	memset(out, 0, HEAD_DIM * sizeof *out);
	for (int64_t j = low; j < high; j++) {
		const double *v = plain->qkv + qkv_at(problem, start + j, 2, head);

		rows->p[j] /= sum;
		rows->dp[j] = dot(dout, v);
		delta += rows->p[j] * rows->dp[j];
		for (int d = 0; d < HEAD_DIM; d++)
			out[d] += rows->p[j] * v[d];
	}
	for (int64_t j = low; j < high; j++) {
		double ds = rows->p[j] * (rows->dp[j] - delta);
		double *dv = plain->dqkv + qkv_at(problem, start + j, 2, head);

		for (int d = 0; d < HEAD_DIM; d++) {
			rows->dq[i][d] += ds * rows->k[j][d];
			rows->dk[j][d] += ds * rows->q[i][d];
			dv[d] += rows->p[j] * dout[d];
		}
	}
}

static void plain_head_run(struct plain *plain, int64_t start, int64_t len, int64_t head)
{
	const struct problem *problem = plain->problem;
	const double scale = 1 / sqrt(HEAD_DIM);
	size_t bytes = (size_t)len * sizeof *((struct plain_head *)0)->q;
	struct plain_head rows = {malloc(bytes), malloc(bytes), calloc(1, bytes), calloc(1, bytes),
		doubles(len), doubles(len)};

	assert_true(rows.q && rows.k && rows.dq && rows.dk);
	for (int64_t i = 0; i < len; i++) {
		const double *qkv = plain->qkv;

		turn(plain, qkv + qkv_at(problem, start + i, 0, head), i, 1, scale, rows.q[i]);
		turn(plain, qkv + qkv_at(problem, start + i, 1, head), i, 1, 1, rows.k[i]);
	}
	for (int64_t i = 0; i < len; i++)
		plain_row(plain, &rows, start, len, head, i);
	for (int64_t i = 0; i < len; i++) {
		double *dqkv = plain->dqkv;

		turn(plain, rows.dq[i], i, -1, scale, dqkv + qkv_at(problem, start + i, 0, head));
		turn(plain, rows.dk[i], i, -1, 1, dqkv + qkv_at(problem, start + i, 1, head));
	}
	free(rows.q);
	free(rows.k);
	free(rows.dq);
	free(rows.dk);
	free(rows.p);
	free(rows.dp);
}

static void plain_run(struct plain *plain)
{
	const struct problem *problem = plain->problem;

	memset(plain->dqkv, 0, (size_t)problem_qkv_count(problem) * sizeof *plain->dqkv);
	for (int64_t s = 0; s < problem->count; s++)
		for (int64_t head = 0; head < problem->heads; head++)
			if (problem->lens[s])
				plain_head_run(plain, problem->cu[s], problem->lens[s], head);
}

/* max|a - b| / max|b|; NaN where either is not finite. */
static double distance(const double *a, const double *b, int64_t count)
{
	double error = 0, scale = 1e-300;

	for (int64_t i = 0; i < count; i++) {
		double off = fabs(a[i] - b[i]);

		if (!isfinite(off))
			return NAN;
		error = off > error ? off : error;
		scale = fabs(b[i]) > scale ? fabs(b[i]) : scale;
	}
	return error / scale;
}

static void assert_as_plain(struct setting *setting, double tolerance)
{
	const struct problem *problem = &setting->problem;
	const struct oracle *oracle = &setting->oracle;
	struct plain plain;

	plain_init(&plain, setting);
	plain_run(&plain);
	if (!(distance(oracle->out, plain.out, problem_out_count(problem)) <= tolerance))
		fail_msg("out");
	if (!(distance(oracle->lse, plain.lse, problem_lse_count(problem)) <= tolerance))
		fail_msg("lse");
	if (!(distance(oracle->dqkv, plain.dqkv, problem_qkv_count(problem)) <= tolerance))
		fail_msg("dqkv");
	plain_release(&plain);
}

static void lengths_around_blocks_agree_with_plain_loops(void **state)
{
	/* Blocks are 128 rows and meet 64 at a time, from where the window's reach begins. */
	static const int64_t lens[][4] = {{0, 1, 0, 2}, {3, 7, 8, 9}, {63, 64, 65, 0},
		{127, 128, 129, 1}, {0, 191, 192, 193}, {255, 1, 257, 0}};
	static const int64_t windows[] = {NO_WINDOW, 0, 1, 64, 127, LENS_MAX_LEN};
	struct setting setting;

	(void)state;
	for (size_t i = 0; i < sizeof lens / sizeof *lens; i++)
		for (size_t w = 0; w < sizeof windows / sizeof *windows; w++) {
			setting_init(&setting, lens[i], 4, 1, windows[w], DTYPE_F32, 5 + i);
			setting_run(&setting, PASS_BACKWARD, 2);
			assert_as_plain(&setting, 1e-12);
			setting_release(&setting);
		}
}

static void random_problems_agree_with_plain_loops(void **state)
{
	static const int64_t windows[] = {NO_WINDOW, 0, 1, 8, 64, 100};
	struct rng rng = {11};
	struct setting setting;
	int64_t lens[6];

	(void)state;
	for (int trial = 0; trial < 60; trial++) {
		int64_t count = rng_between(&rng, 1, 6);
		int64_t heads = rng_between(&rng, 1, 3);
		int64_t window = windows[rng_between(&rng, 0, 5)];
		enum dtype dtype = (enum dtype)rng_between(&rng, 0, DTYPE_COUNT - 1);

		for (int64_t i = 0; i < count; i++)
			lens[i] = rng_between(&rng, 0, 2) ? rng_between(&rng, 0, 90) : 0;
		setting_init(&setting, lens, count, heads, window, dtype, rng_next(&rng) | 1);
		setting_run(&setting, PASS_BACKWARD, 2);
		assert_as_plain(&setting, 1e-12);
		setting_release(&setting);
	}
}

/* Scores in the hundreds: one key outweighs all others, and the largest rises along the row. */
static void large_scores_agree_with_plain_loops(void **state)
{
	static const int64_t lens[] = {150, 40}, windows[] = {NO_WINDOW, 70};
	struct setting setting;

	(void)state;
	for (int w = 0; w < 2; w++) {
		setting_init(&setting, lens, 2, 2, windows[w], DTYPE_F32, 21);
		for (int64_t i = 0; i < problem_qkv_count(&setting.problem); i++)
			((float *)setting.tensors.qkv)[i] *= 1 + 30 * (float)i / 1e5f;
		setting_run(&setting, PASS_BACKWARD, 2);
		assert_as_plain(&setting, 1e-10);
		setting_release(&setting);
	}
}

static double loss(struct plain *plain)
{
	double sum = 0;

	plain_run(plain);
	for (int64_t i = 0; i < problem_out_count(plain->problem); i++)
		sum += plain->out[i] * plain->dout[i];
	return sum;
}

/* The slope of the loss along element `at` of qkv. */
static double slope(struct plain *plain, int64_t at)
{
	const double step = 1e-5, kept = plain->qkv[at];
	double above, below;

	plain->qkv[at] = kept + step;
	above = loss(plain);
	plain->qkv[at] = kept - step;
	below = loss(plain);
	plain->qkv[at] = kept;
	return (above - below) / (2 * step);
}

static void the_gradient_is_that_of_central_differences(void **state)
{
	static const int64_t lens[] = {4, 0, 6, 1}, windows[] = {NO_WINDOW, 2, 1};
	struct setting setting;
	struct plain plain;

	(void)state;
	for (int w = 0; w < 3; w++) {
		setting_init(&setting, lens, 4, 2, windows[w], DTYPE_F32, 31);
		setting_run(&setting, PASS_BACKWARD, 1);
		plain_init(&plain, &setting);
		/* A sample in a stride prime to all sizes; elements are of the order of 1. */
		for (int64_t i = 0; i < problem_qkv_count(&setting.problem); i += 5)
			assert_true(fabs(slope(&plain, i) - setting.oracle.dqkv[i]) <= 1e-8);
		plain_release(&plain);
		setting_release(&setting);
	}
}

/* A token that sees only itself: out = v, lse = its score, dq = dk = 0, dv = dout. */
static void assert_each_token_alone(const struct setting *setting)
{
	const struct problem *problem = &setting->problem;
	const struct oracle *oracle = &setting->oracle;
	const float *qkv = setting->tensors.qkv, *dout = setting->tensors.dout;

	for (int64_t token = 0; token < problem->tokens; token++)
		for (int64_t head = 0; head < problem->heads; head++) {
			int64_t q = qkv_at(problem, token, 0, head);
			int64_t k = qkv_at(problem, token, 1, head);
			int64_t v = qkv_at(problem, token, 2, head);
			int64_t o = (token * problem->heads + head) * HEAD_DIM;
			double score = 0;

			for (int d = 0; d < HEAD_DIM; d++) {
				score += (double)qkv[q + d] * (double)qkv[k + d] / 8;
				assert_true(fabs(oracle->out[o + d] - (double)qkv[v + d]) < 1e-13);
				assert_true(
					fabs(oracle->dqkv[v + d] - (double)dout[o + d]) < 1e-13);
				assert_true(fabs(oracle->dqkv[q + d]) < 1e-13);
				assert_true(fabs(oracle->dqkv[k + d]) < 1e-13);
			}
			/* A rotation in f32 tables keeps a product but for their rounding. */
			assert_true(
				fabs(oracle->lse[head * problem->tokens + token] - score) < 1e-6);
		}
}

static void a_token_that_sees_only_itself_is_a_closed_case(void **state)
{
	static const int64_t ones[] = {1, 1, 0, 1}, lens[] = {5, 0, 200};
	struct setting setting;

	(void)state;
	setting_init(&setting, ones, 4, 3, NO_WINDOW, DTYPE_F32, 41);
	setting_run(&setting, PASS_BACKWARD, 2);
	assert_each_token_alone(&setting);
	setting_release(&setting);

	setting_init(&setting, lens, 3, 2, 0, DTYPE_F32, 43);
	setting_run(&setting, PASS_BACKWARD, 2);
	assert_each_token_alone(&setting);
	setting_release(&setting);
}

static uint64_t bits_of(const struct setting *setting)
{
	const struct problem *problem = &setting->problem;
	const struct oracle *oracle = &setting->oracle;
	uint64_t hash = HASH_SEED;

	hash = hash_bytes(hash, oracle->out, (size_t)problem_out_count(problem) * sizeof(double));
	hash = hash_bytes(hash, oracle->lse, (size_t)problem_lse_count(problem) * sizeof(double));
	return hash_bytes(hash, oracle->dqkv, (size_t)problem_qkv_count(problem) * sizeof(double));
}

static void any_number_of_threads_gives_the_same_bits(void **state)
{
	static const int64_t lens[] = {200, 0, 17, 1, 129}, windows[] = {NO_WINDOW, 64};
	struct setting setting;
	uint64_t one;

	(void)state;
	for (int w = 0; w < 2; w++) {
		setting_init(&setting, lens, 5, 3, windows[w], DTYPE_BF16, 51);
		setting_run(&setting, PASS_BACKWARD, 1);
		one = bits_of(&setting);
		for (int threads = 2; threads < 4; threads++) {
			setting_run(&setting, PASS_BACKWARD, threads);
			assert_true(bits_of(&setting) == one);
		}
		setting_release(&setting);
	}
}

static void every_machine_and_compiler_gives_the_same_bits(void **state)
{
	static const int64_t lens[] = {1, 0, 150, 67};
	struct setting setting;

	(void)state;
	setting_init(&setting, lens, 4, 2, 33, DTYPE_F32, 61);
	/* A rotation from arithmetic alone; the C library's sines differ between machines. */
	for (int64_t i = 0; i < problem_table_count(&setting.problem); i++) {
		float t = (float)(i % 97) / 48 - 1;

		setting.tensors.cos[i] = (1 - t * t) / (1 + t * t);
		setting.tensors.sin[i] = 2 * t / (1 + t * t);
	}
	setting_run(&setting, PASS_BACKWARD, 2);
	assert_as_plain(&setting, 1e-12);
	assert_int_equal(bits_of(&setting), UINT64_C(0x8a1f3c3db774c5eb));
	setting_release(&setting);
}

static void the_forward_pass_is_the_same_alone(void **state)
{
	static const int64_t lens[] = {140, 3};
	struct setting both, forward;

	(void)state;
	setting_init(&both, lens, 2, 2, 8, DTYPE_F16, 71);
	setting_init(&forward, lens, 2, 2, 8, DTYPE_F16, 71);
	setting_run(&both, PASS_BACKWARD, 2);
	setting_run(&forward, PASS_FORWARD, 2);
	assert_null(forward.oracle.dqkv);
	assert_memory_equal(both.oracle.out, forward.oracle.out,
		(size_t)problem_out_count(&both.problem) * sizeof(double));
	assert_memory_equal(both.oracle.lse, forward.oracle.lse,
		(size_t)problem_lse_count(&both.problem) * sizeof(double));
	setting_release(&both);
	setting_release(&forward);
}

static void no_tokens_at_all_are_fine(void **state)
{
	static const int64_t lens[] = {0, 0};
	struct setting setting;

	(void)state;
	setting_init(&setting, lens, 2, 2, NO_WINDOW, DTYPE_F32, 81);
	setting_run(&setting, PASS_BACKWARD, 2);
	setting_release(&setting);
}

/* Rows of sequence `sequence` of `dirty` are finite where the plain loops' are; all others are
 * those of `clean` to the last bit. */
static void assert_contained(
	const struct setting *dirty, const struct setting *clean, int64_t sequence)
{
	const struct problem *problem = &dirty->problem;
	const struct oracle *a = &dirty->oracle, *b = &clean->oracle;
	int64_t row = problem->heads * HEAD_DIM;
	struct plain plain;

	plain_init(&plain, dirty);
	plain_run(&plain);
	for (int64_t token = 0; token < problem->tokens; token++) {
		bool own = token >= problem->cu[sequence] && token < problem->cu[sequence + 1];

		for (int64_t i = 0; i < row; i++) {
			int64_t at = token * row + i;

			assert_true(own ? isfinite(a->out[at]) == isfinite(plain.out[at])
					: a->out[at] == b->out[at]);
		}
		for (int64_t i = 0; i < 3 * row; i++) {
			int64_t at = token * 3 * row + i;

			assert_true(own ? isfinite(a->dqkv[at]) == isfinite(plain.dqkv[at])
					: a->dqkv[at] == b->dqkv[at]);
		}
		for (int64_t head = 0; head < problem->heads; head++) {
			int64_t at = head * problem->tokens + token;

			assert_true(own ? isfinite(a->lse[at]) == isfinite(plain.lse[at])
					: a->lse[at] == b->lse[at]);
		}
	}
	plain_release(&plain);
}

static int64_t infected(const struct setting *setting)
{
	int64_t count = 0;

	for (int64_t i = 0; i < problem_qkv_count(&setting->problem); i++)
		count += !isfinite(setting->oracle.dqkv[i]);
	return count;
}

static void what_is_not_finite_stays_in_its_sequence_and_window(void **state)
{
	static const int64_t lens[] = {70, 0, 150, 1, 66}, windows[] = {NO_WINDOW, 8};
	static const float values[] = {NAN, INFINITY, -INFINITY};
	struct setting clean, dirty;

	(void)state;
	for (int w = 0; w < 2; w++) {
		setting_init(&clean, lens, 5, 2, windows[w], DTYPE_F32, 91);
		setting_run(&clean, PASS_BACKWARD, 2);
		assert_int_equal(infected(&clean), 0);
		/* Of the query, key and value of token 120 of the long sequence, and of its dout.
		 */
		for (int part = 0; part < 4; part++)
			for (int v = 0; v < 3; v++) {
				setting_init(&dirty, lens, 5, 2, windows[w], DTYPE_F32, 91);
				if (part < 3)
					((float *)dirty.tensors
							.qkv)[qkv_at(&dirty.problem, 190, part, 1) +
							      5] = values[v];
				else
					((float *)dirty.tensors
							.dout)[(190 * 2 + 1) * HEAD_DIM + 5] =
						values[v];
				setting_run(&dirty, PASS_BACKWARD, 2);
				assert_true(infected(&dirty) > 0);
				assert_contained(&dirty, &clean, 2);
				setting_release(&dirty);
			}
		setting_release(&clean);
	}
}

static void a_stop_ends_it(void **state)
{
	static const int64_t lens[] = {40};
	struct setting setting;
	struct err err;
	int status;
	pid_t child;

	(void)state;
	setting_init(&setting, lens, 1, 1, NO_WINDOW, DTYPE_F32, 101);
	child = fork();
	if (!child) {
		struct team *team = team_new(2, &err);
		int failed;

		stop_listen();
		raise(SIGINT);
		failed = oracle_run(&setting.oracle, &setting.problem, &setting.tensors,
			PASS_FORWARD, team, &err);
		_exit(failed == -1 && err.kind == ERR_INTERRUPTED ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
	setting_release(&setting);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths_around_blocks_agree_with_plain_loops),
		cmocka_unit_test(random_problems_agree_with_plain_loops),
		cmocka_unit_test(large_scores_agree_with_plain_loops),
		cmocka_unit_test(the_gradient_is_that_of_central_differences),
		cmocka_unit_test(a_token_that_sees_only_itself_is_a_closed_case),
		cmocka_unit_test(any_number_of_threads_gives_the_same_bits),
		cmocka_unit_test(every_machine_and_compiler_gives_the_same_bits),
		cmocka_unit_test(the_forward_pass_is_the_same_alone),
		cmocka_unit_test(no_tokens_at_all_are_fine),
		cmocka_unit_test(what_is_not_finite_stays_in_its_sequence_and_window),
		cmocka_unit_test(a_stop_ends_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
