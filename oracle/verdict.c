#include "oracle/verdict.h"

#include <math.h>

static const struct {
	const char *name;
	double ceilings[DTYPE_COUNT];
} judged_table[JUDGED_COUNT] = {
#define JUDGED(judged, name, f32, bf16, f16)                                                       \
	[JUDGED_##judged] = {name, {[DTYPE_F32] = f32, [DTYPE_BF16] = bf16, [DTYPE_F16] = f16}},
#include "oracle/ceilings.def"
#undef JUDGED
};

const char *judged_name(enum judged judged)
{
	return judged_table[judged].name;
}

double judged_ceiling(enum judged judged, enum dtype dtype)
{
	return judged_table[judged].ceilings[dtype];
}

/* The least scale: what is smaller than this counts as nothing. */
#define SCALE_FLOOR 1e-6
/* A dq or dk this much smaller than the rest of the gradient is rounding noise around zero. */
#define VANISHED 0x1p-40

/* A judged tensor: element (token, head, dimension) is at
 * start + token * token_step + head * head_step + dimension. */
struct tensor {
	const void *got;
	enum dtype dtype;
	const double *want;
	int64_t start, token_step, head_step;
	int dimensions;
};

static struct tensor tensor_of(enum judged judged, const struct problem *problem,
	const struct results *results, const struct oracle *oracle)
{
	int64_t row = problem->heads * HEAD_DIM;

	switch (judged) {
	case JUDGED_OUT:
		return (struct tensor){
			results->out, problem->dtype, oracle->out, 0, row, HEAD_DIM, HEAD_DIM};
	case JUDGED_LSE:
		return (struct tensor){
			results->lse, DTYPE_F32, oracle->lse, 0, 1, problem->tokens, 1};
	default:
		return (struct tensor){results->dqkv, problem->dtype, oracle->dqkv,
			(int64_t)(judged - JUDGED_DQ) * row, 3 * row, HEAD_DIM, HEAD_DIM};
	}
}

/* How far a tensor, or a sequence's part of it, is off. */
struct measure {
	int64_t count;
	double want;          /* the largest finite |b| */
	double error;         /* the largest |a - b|, NaN above all */
	double wants, errors; /* sums of squares */
	struct worst worst;
};

static bool exceeds(double a, double b)
{
	return a > b || (isnan(a) && !isnan(b));
}

static double error_of(double got, double want)
{
	if (isfinite(got) && isfinite(want))
		return fabs(got - want);
	/* Where the exact value is not finite any such value will do, and no finite one. */
	return isfinite(got) == isfinite(want) ? 0 : (double)NAN;
}

static void measure_element(struct measure *measure, double got, double want, struct worst where)
{
	double error = error_of(got, want);

	if (!measure->count++ || exceeds(error, measure->error)) {
		measure->error = error;
		measure->worst = where;
		measure->worst.got = got;
		measure->worst.want = want;
	}
	measure->errors += error * error;
	if (isfinite(want)) {
		measure->want = fmax(measure->want, fabs(want));
		measure->wants += want * want;
	}
}

static struct measure measure_sequence(
	const struct tensor *tensor, const struct problem *problem, int64_t sequence)
{
	struct measure measure = {0};

	for (int64_t token = problem->cu[sequence]; token < problem->cu[sequence + 1]; token++)
		for (int64_t head = 0; head < problem->heads; head++)
			for (int d = 0; d < tensor->dimensions; d++) {
				int64_t at = tensor->start + token * tensor->token_step +
					     head * tensor->head_step + d;

				measure_element(&measure,
					dtype_load(tensor->dtype, tensor->got, at),
					tensor->want[at],
					(struct worst){.token = token,
						.head = head,
						.dimension = d,
						.sequence = sequence});
			}
	return measure;
}

static void measure_add(struct measure *whole, const struct measure *part)
{
	if (exceeds(part->error, whole->error))
		whole->error = part->error;
	whole->count += part->count;
	whole->want = fmax(whole->want, part->want);
	whole->wants += part->wants;
	whole->errors += part->errors;
}

/* What the error of a judged tensor is relative to, given all measures of the same region. */
static double scale_of(enum judged judged, const struct measure measures[JUDGED_COUNT])
{
	double own = measures[judged].want;
	double gradient = fmax(
		measures[JUDGED_DV].want, fmax(measures[JUDGED_DQ].want, measures[JUDGED_DK].want));

	if (judged == JUDGED_LSE)
		own = fmax(own, 1);
	if ((judged == JUDGED_DQ || judged == JUDGED_DK) && own < VANISHED * gradient)
		own = gradient;
	return fmax(own, SCALE_FLOOR);
}

static void judge_sequence(struct judgement *judgement, const struct measure measures[JUDGED_COUNT])
{
	const struct measure *measure = &measures[judgement->judged];
	double ratio = measure->error / scale_of(judgement->judged, measures);

	if (measure->count && exceeds(ratio, judgement->sequence_rel)) {
		judgement->sequence_rel = ratio;
		judgement->worst = measure->worst;
	}
}

static void judge_whole(struct judgement *judgement, const struct measure measures[JUDGED_COUNT])
{
	const struct measure *measure = &measures[judgement->judged];
	double scale = scale_of(judgement->judged, measures);
	double wants =
		scale > measure->want ? scale * scale * (double)measure->count : measure->wants;

	judgement->rel = measure->error / scale;
	judgement->nmse = measure->count ? measure->errors / wants : 0;
	if (!measure->count)
		judgement->sequence_rel = 0;
	judgement->right = judgement->rel <= judgement->ceiling &&
			   judgement->sequence_rel <= judgement->ceiling;
}

void verdict_judge(struct verdict *verdict, const struct problem *problem, enum pass pass,
	const struct results *results, const struct oracle *oracle)
{
	static const struct {
		enum judged first;
		int count;
	} passes[PASS_COUNT] = {
		[PASS_FORWARD] = {JUDGED_OUT, 2},
		[PASS_BACKWARD] = {JUDGED_DQ, 3},
	};
	struct measure whole[JUDGED_COUNT] = {0};

	*verdict = (struct verdict){.count = passes[pass].count, .right = true};
	for (int i = 0; i < verdict->count; i++) {
		enum judged judged = passes[pass].first + (enum judged)i;

		verdict->judgements[i] = (struct judgement){.judged = judged,
			.ceiling = judged_ceiling(judged, problem->dtype),
			.sequence_rel = -1};
	}
	for (int64_t sequence = 0; sequence < problem->count; sequence++) {
		struct measure part[JUDGED_COUNT] = {0};

		for (int i = 0; i < verdict->count; i++) {
			enum judged judged = verdict->judgements[i].judged;
			struct tensor tensor = tensor_of(judged, problem, results, oracle);

			part[judged] = measure_sequence(&tensor, problem, sequence);
			measure_add(&whole[judged], &part[judged]);
		}
		for (int i = 0; i < verdict->count; i++)
			judge_sequence(&verdict->judgements[i], part);
	}
	for (int i = 0; i < verdict->count; i++) {
		judge_whole(&verdict->judgements[i], whole);
		verdict->right &= verdict->judgements[i].right;
	}
}
