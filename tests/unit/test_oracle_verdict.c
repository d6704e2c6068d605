/* Errors and verdicts: what is right passes, and one wrong element anywhere does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "oracle/verdict.h"

/* Exact results, and a kernel's: the same, rounded to the type. */
struct trial {
	struct problem problem;
	struct oracle oracle;
	void *out, *dqkv;
	float *lse;
};

static double *drawn(int64_t count, struct rng *rng)
{
	double *values = malloc((size_t)(count + 1) * sizeof *values);

	assert_non_null(values);
	for (int64_t i = 0; i < count; i++)
		values[i] = (double)rng_between(rng, -1000000, 1000000) / 1e6;
	return values;
}

static void round_into(void *tensor, enum dtype dtype, const double *values, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		dtype_store(dtype, tensor, i, (float)values[i]);
}

/* Rounds the oracle's results, as they are now, into the kernel's. */
static void trial_round(struct trial *trial)
{
	const struct problem *problem = &trial->problem;
	const struct oracle *oracle = &trial->oracle;

	round_into(trial->out, problem->dtype, oracle->out, problem_out_count(problem));
	round_into(trial->lse, DTYPE_F32, oracle->lse, problem_lse_count(problem));
	round_into(trial->dqkv, problem->dtype, oracle->dqkv, problem_qkv_count(problem));
}

static void *room(int64_t count)
{
	void *tensor = malloc((size_t)(count + 1) * sizeof(float));

	assert_non_null(tensor);
	return tensor;
}

static void trial_init(
	struct trial *trial, const int64_t *lens, int64_t count, int64_t heads, enum dtype dtype)
{
	int64_t copy[8];
	struct lens list = {.len = copy, .count = count};
	struct rng rng = {5};
	struct err err;

	memcpy(copy, lens, (size_t)count * sizeof *copy);
	*trial = (struct trial){0};
	assert_int_equal(problem_init(&trial->problem, &list, heads, NO_WINDOW, dtype, &err), 0);
	trial->oracle.out = drawn(problem_out_count(&trial->problem), &rng);
	trial->oracle.lse = drawn(problem_lse_count(&trial->problem), &rng);
	trial->oracle.dqkv = drawn(problem_qkv_count(&trial->problem), &rng);
	trial->out = room(problem_out_count(&trial->problem));
	trial->lse = room(problem_lse_count(&trial->problem));
	trial->dqkv = room(problem_qkv_count(&trial->problem));
	trial_round(trial);
}

static void trial_release(struct trial *trial)
{
	free(trial->oracle.out);
	free(trial->oracle.lse);
	free(trial->oracle.dqkv);
	free(trial->out);
	free(trial->lse);
	free(trial->dqkv);
	problem_release(&trial->problem);
}

static struct verdict judge(const struct trial *trial, enum pass pass)
{
	struct results results = {.out = trial->out, .lse = trial->lse, .dqkv = trial->dqkv};
	struct verdict verdict;

	verdict_judge(&verdict, &trial->problem, pass, &results, &trial->oracle);
	return verdict;
}

/* The judgement of one tensor. */
static struct judgement judgement_of(const struct trial *trial, enum judged judged)
{
	struct verdict verdict = judge(trial, judged < JUDGED_DQ ? PASS_FORWARD : PASS_BACKWARD);

	for (int i = 0; i < verdict.count; i++)
		if (verdict.judgements[i].judged == judged) {
			if (!verdict.judgements[i].right)
				assert_false(verdict.right);
			return verdict.judgements[i];
		}
	fail();
	return (struct judgement){0};
}

/* One element of a judged tensor: the kernel's value and the exact one. */
struct element {
	enum dtype dtype;
	void *got;
	double *want;
	int64_t at;
};

static struct element element_of(
	const struct trial *trial, enum judged judged, int64_t token, int64_t head, int64_t d)
{
	const struct problem *problem = &trial->problem;
	int64_t heads = problem->heads;

	if (judged == JUDGED_OUT)
		return (struct element){problem->dtype, trial->out, trial->oracle.out,
			(token * heads + head) * HEAD_DIM + d};
	if (judged == JUDGED_LSE)
		return (struct element){
			DTYPE_F32, trial->lse, trial->oracle.lse, head * problem->tokens + token};
	return (struct element){problem->dtype, trial->dqkv, trial->oracle.dqkv,
		((token * 3 + (judged - JUDGED_DQ)) * heads + head) * HEAD_DIM + d};
}

static double element_get(struct element element)
{
	return dtype_load(element.dtype, element.got, element.at);
}

static void element_set(struct element element, double value)
{
	dtype_store(element.dtype, element.got, element.at, (float)value);
}

static const int64_t mixed[] = {5, 0, 40, 1, 33, 0};
#define MIXED 6

static void the_ceilings_are_the_designs(void **state)
{
	static const char *const names[] = {"out", "lse", "dq", "dk", "dv"};
	static const double ceilings[JUDGED_COUNT][DTYPE_COUNT] = {{1e-5, 2e-2, 1e-2},
		{1e-5, 1e-2, 1e-2}, {1e-5, 3e-2, 2e-2}, {1e-5, 3e-2, 2e-2}, {1e-5, 3e-2, 2e-2}};

	(void)state;
	for (int judged = 0; judged < JUDGED_COUNT; judged++) {
		assert_string_equal(judged_name((enum judged)judged), names[judged]);
		for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
			assert_true(judged_ceiling((enum judged)judged, (enum dtype)dtype) ==
				    ceilings[judged][dtype]);
	}
}

static void rounding_passes(void **state)
{
	static const double unit[DTYPE_COUNT] = {0x1p-24, 0x1p-8, 0x1p-11};
	static const int counts[PASS_COUNT] = {2, 3};

	(void)state;
	for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
		struct trial trial;

		trial_init(&trial, mixed, MIXED, 2, (enum dtype)dtype);
		for (int pass = 0; pass < PASS_COUNT; pass++) {
			struct verdict verdict = judge(&trial, (enum pass)pass);

			assert_true(verdict.right);
			assert_int_equal(verdict.count, counts[pass]);
			for (int i = 0; i < verdict.count; i++) {
				const struct judgement *judgement = &verdict.judgements[i];

				assert_true(judgement->right);
				assert_true(judgement->rel > 0);
				assert_true(judgement->rel <= unit[dtype]);
				assert_true(judgement->sequence_rel >= judgement->rel);
				assert_true(judgement->sequence_rel <= 2 * unit[dtype]);
				assert_true(judgement->nmse > 0);
				assert_true(judgement->nmse <= unit[dtype] * unit[dtype]);
			}
		}
		trial_release(&trial);
	}
}

static void assert_worst(const struct judgement *judgement, const struct trial *trial,
	int64_t token, int64_t head, int64_t d, double got, double want)
{
	const struct worst *worst = &judgement->worst;
	const int64_t *cu = trial->problem.cu;

	assert_int_equal(worst->token, token);
	assert_int_equal(worst->head, head);
	assert_int_equal(worst->dimension, judgement->judged == JUDGED_LSE ? 0 : d);
	assert_true(cu[worst->sequence] <= token && token < cu[worst->sequence + 1]);
	assert_true(worst->want == want);
	assert_true(isnan(got) ? isnan(worst->got) : worst->got == got);
}

static void one_wrong_element_anywhere_is_found(void **state)
{
	static const double wrongs[] = {NAN, INFINITY, -INFINITY, 2};
	struct rng rng = {6};

	(void)state;
	for (int dtype = 0; dtype < DTYPE_COUNT; dtype++)
		for (int judged = 0; judged < JUDGED_COUNT; judged++) {
			struct trial trial;

			trial_init(&trial, mixed, MIXED, 2, (enum dtype)dtype);
			for (int i = 0; i < 40; i++) {
				int64_t token = rng_between(&rng, 0, trial.problem.tokens - 1);
				int64_t head = rng_between(&rng, 0, 1);
				int64_t d = rng_between(&rng, 0, HEAD_DIM - 1);
				double wrong = wrongs[i % 4];
				struct element element =
					element_of(&trial, (enum judged)judged, token, head, d);
				double kept = element_get(element);
				struct judgement judgement;

				element_set(element, wrong);
				judgement = judgement_of(&trial, (enum judged)judged);
				assert_false(judgement.right);
				assert_true(isfinite(wrong) ? judgement.rel > 0.9
							    : isnan(judgement.rel));
				assert_int_equal(isnan(judgement.sequence_rel), !isfinite(wrong));
				assert_worst(&judgement, &trial, token, head, d, wrong,
					element.want[element.at]);
				element_set(element, kept);
			}
			assert_true(judgement_of(&trial, (enum judged)judged).right);
			trial_release(&trial);
		}
}

static void an_unwritten_row_is_found(void **state)
{
	struct trial trial;

	(void)state;
	trial_init(&trial, mixed, MIXED, 2, DTYPE_BF16);
	for (int judged = 0; judged < JUDGED_COUNT; judged++) {
		for (int d = 0; d < HEAD_DIM; d++)
			element_set(element_of(&trial, (enum judged)judged, 44, 1, d), NAN);
		assert_false(judgement_of(&trial, (enum judged)judged).right);
	}
	assert_true(isnan(judgement_of(&trial, JUDGED_OUT).nmse));
	trial_release(&trial);
}

/* The ratios of one known error: 1e-3 in a sequence of size 1e-2 beside others of size 1. */
static void one_bad_sequence_cannot_hide(void **state)
{
	static const int64_t lens[] = {200, 3, 200};

	(void)state;
	for (int judged = 0; judged < JUDGED_COUNT; judged++) {
		struct trial trial;
		struct element element;
		struct judgement judgement;
		bool log = judged == JUDGED_LSE;

		trial_init(&trial, lens, 3, 1, DTYPE_F16);
		for (int64_t token = 200; token < 203; token++)
			for (int d = 0; d < (log ? 1 : HEAD_DIM); d++) {
				element = element_of(&trial, (enum judged)judged, token, 0, d);
				element.want[element.at] = 1e-2;
			}
		trial_round(&trial);
		element_set(element, 1e-2 + 1e-3);
		judgement = judgement_of(&trial, (enum judged)judged);
		assert_true(judgement.rel < 2e-3);
		if (log) {
			/* A logarithm's scale is at least 1. */
			assert_true(judgement.right);
			assert_true(fabs(judgement.sequence_rel - 1e-3) < 1e-6);
		} else {
			assert_false(judgement.right);
			assert_true(fabs(judgement.sequence_rel - 0.1) < 1e-3);
			assert_int_equal(judgement.worst.sequence, 1);
			assert_int_equal(judgement.worst.token, 202);
			assert_int_equal(judgement.worst.dimension, HEAD_DIM - 1);
		}
		trial_release(&trial);
	}
}

/* dq and dk all rounding noise, in the exact gradient and in the kernel's. */
static void a_gradient_that_vanishes_is_judged_by_the_rest(void **state)
{
	static const enum judged vanishing[] = {JUDGED_DQ, JUDGED_DK};
	struct trial trial;
	struct element element;

	(void)state;
	trial_init(&trial, mixed, MIXED, 2, DTYPE_F32);
	for (int which = 0; which < 2; which++)
		for (int64_t token = 0; token < trial.problem.tokens; token++)
			for (int i = 0; i < 2 * HEAD_DIM; i++) {
				element = element_of(&trial, vanishing[which], token, i / HEAD_DIM,
					i % HEAD_DIM);
				element.want[element.at] *= 1e-15;
			}
	trial_round(&trial);
	for (int which = 0; which < 2; which++) {
		struct judgement judgement;

		element = element_of(&trial, vanishing[which], 3, 1, 9);
		element_set(element, 1e-6);
		judgement = judgement_of(&trial, vanishing[which]);
		assert_true(judgement.right);
		assert_true(fabs(judgement.rel - 1e-6) < 1e-8);
		assert_true(judgement.nmse < 1e-14);
		element_set(element, 1e-4);
		assert_false(judgement_of(&trial, vanishing[which]).right);
	}
	trial_release(&trial);
}

/* A small gradient is not a vanished one: it keeps its own scale. */
static void a_small_gradient_is_judged_by_itself(void **state)
{
	struct trial trial;
	struct element element;

	(void)state;
	trial_init(&trial, mixed, MIXED, 1, DTYPE_F32);
	for (int64_t token = 0; token < trial.problem.tokens; token++)
		for (int d = 0; d < HEAD_DIM; d++) {
			element = element_of(&trial, JUDGED_DQ, token, 0, d);
			element.want[element.at] *= 1e-4;
		}
	trial_round(&trial);
	assert_true(judgement_of(&trial, JUDGED_DQ).right);
	element_set(element, element_get(element) + 1e-8);
	assert_false(judgement_of(&trial, JUDGED_DQ).right);
	trial_release(&trial);
}

static void zeros_have_the_least_scale(void **state)
{
	struct trial trial;

	(void)state;
	trial_init(&trial, mixed, MIXED, 1, DTYPE_F32);
	memset(trial.oracle.out, 0,
		(size_t)problem_out_count(&trial.problem) * sizeof *trial.oracle.out);
	trial_round(&trial);
	assert_true(judgement_of(&trial, JUDGED_OUT).right);
	assert_true(judgement_of(&trial, JUDGED_OUT).nmse == 0);
	element_set(element_of(&trial, JUDGED_OUT, 7, 0, 0), 5e-12);
	assert_true(judgement_of(&trial, JUDGED_OUT).right);
	element_set(element_of(&trial, JUDGED_OUT, 7, 0, 0), 2e-11);
	assert_false(judgement_of(&trial, JUDGED_OUT).right);
	assert_true(fabs(judgement_of(&trial, JUDGED_OUT).rel - 2e-5) < 1e-10);
	trial_release(&trial);
}

/* Where the exact value is not finite a kernel's may be nothing else, and it sets no scale. */
static void what_is_not_finite_must_show(void **state)
{
	static const double values[] = {NAN, INFINITY, -INFINITY};

	(void)state;
	for (int judged = 0; judged < JUDGED_COUNT; judged++)
		for (int want = 0; want < 3; want++) {
			struct trial trial;
			struct element element;

			trial_init(&trial, mixed, MIXED, 2, DTYPE_F16);
			element = element_of(&trial, (enum judged)judged, 50, 1, 3);
			element.want[element.at] = values[want];
			for (int got = 0; got < 3; got++) {
				struct judgement judgement;

				element_set(element, values[got]);
				judgement = judgement_of(&trial, (enum judged)judged);
				assert_true(judgement.right);
				assert_true(judgement.rel > 0);
				assert_true(isfinite(judgement.nmse));
			}
			element_set(element, 0);
			assert_false(judgement_of(&trial, (enum judged)judged).right);
			trial_release(&trial);
		}
}

static void nothing_at_all_is_right(void **state)
{
	static const int64_t lens[] = {0, 0};

	(void)state;
	for (int pass = 0; pass < PASS_COUNT; pass++) {
		struct trial trial;
		struct verdict verdict;

		trial_init(&trial, lens, 2, 3, DTYPE_F32);
		verdict = judge(&trial, (enum pass)pass);
		assert_true(verdict.right);
		for (int i = 0; i < verdict.count; i++) {
			assert_true(verdict.judgements[i].rel == 0);
			assert_true(verdict.judgements[i].sequence_rel == 0);
			assert_true(verdict.judgements[i].nmse == 0);
		}
		trial_release(&trial);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_ceilings_are_the_designs),
		cmocka_unit_test(rounding_passes),
		cmocka_unit_test(one_wrong_element_anywhere_is_found),
		cmocka_unit_test(an_unwritten_row_is_found),
		cmocka_unit_test(one_bad_sequence_cannot_hide),
		cmocka_unit_test(a_gradient_that_vanishes_is_judged_by_the_rest),
		cmocka_unit_test(a_small_gradient_is_judged_by_itself),
		cmocka_unit_test(zeros_have_the_least_scale),
		cmocka_unit_test(what_is_not_finite_must_show),
		cmocka_unit_test(nothing_at_all_is_right),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
