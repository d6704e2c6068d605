/* Numbers at the ends of the range, on the emulated GPUs: what is not finite stays in its sequence,
 * and what is only large stays finite. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "tests/kernels/machines.h"

/* Sequence 1 of three is tokens 20 to 89. */
#define LENS   "20,70,40"
#define FIRST  20
#define END    90
#define HEADS  2
#define TOKENS 130

static int64_t width(enum pass pass)
{
	return HEADS * HEAD_DIM * (pass == PASS_FORWARD ? 1 : 3);
}

/* The pass's widest result, as f32. */
static float *run_once(const struct bench_of *b, const struct schedule *schedule)
{
	const struct backend *backend = b->arena.device->backend;
	const struct problem *p = &b->problem;
	struct err err = {0};
	int64_t outs = problem_out_count(p), rows = problem_lse_count(p);
	int64_t count = TOKENS * width(schedule->pass);
	void *out = mem_new(outs, dtype_size(p->dtype), "out", &err);
	void *result = mem_new(count, dtype_size(p->dtype), "result", &err);
	float *lse = mem_new(rows, sizeof(float), "lse", &err);
	float *wide = mem_new(count, sizeof(float), "result", &err);
	struct inputs inputs = {.qkv = b->tensors.qkv,
		.dout = b->tensors.dout,
		.out = out,
		.lse = lse,
		.cos = b->tensors.cos,
		.sin = b->tensors.sin};
	struct outputs outputs = {0};
	struct workload *workload;
	struct kernel *kernel;
	const char *overrun;
	double seconds;

	for (int64_t i = 0; i < outs; i++)
		dtype_store(p->dtype, out, i, (float)b->oracle.out[i]);
	for (int64_t i = 0; i < rows; i++)
		lse[i] = (float)b->oracle.lse[i];
	if (schedule->pass == PASS_FORWARD)
		outputs.out = result;
	else
		outputs.dqkv = result;
	workload = backend->upload(b->arena.device, p, schedule->pass, &inputs, &err);
	must(!workload, &err);
	kernel = backend->prepare(workload, schedule, &err);
	must(!kernel, &err);
	must(backend->run(kernel, 1, &seconds, &err), &err);
	must(backend->download(workload, &outputs, &overrun, &err), &err);
	assert_null(overrun);
	backend->finish(kernel);
	backend->release(workload);
	for (int64_t i = 0; i < count; i++)
		wide[i] = dtype_load(p->dtype, result, i);
	mem_free(out);
	mem_free(result);
	mem_free(lse);
	return wide;
}

/* Element 5 of `part` of token 50's first head. */
static void check_spread(struct device *device, const struct schedule *schedule, enum dtype dtype,
	int64_t window, int part, float poison)
{
	struct bench_of clean, spoilt;
	struct reason reason;
	bool shows = false;
	float *want, *got;

	bench_of_make(&clean, LENS, HEADS, window, dtype, device);
	if (!device->backend->usable(device, schedule, &clean.problem, &reason)) {
		bench_of_release(&clean);
		return;
	}
	bench_of_make(&spoilt, LENS, HEADS, window, dtype, device);
	dtype_store(dtype, spoilt.tensors.qkv, (50 * 3 + part) * HEADS * HEAD_DIM + 5, poison);
	bench_of_solve(&clean);
	bench_of_solve(&spoilt);
	want = run_once(&clean, schedule);
	got = run_once(&spoilt, schedule);
	for (int64_t i = 0; i < TOKENS * width(schedule->pass); i++) {
		int64_t token = i / width(schedule->pass);

		if (token >= FIRST && token < END)
			shows |= !isfinite(got[i]);
		else if (memcmp(&want[i], &got[i], sizeof want[i]))
			fail_msg("%s %s: part %d spoils token %d", dtype_name(dtype),
				schedule->name, part, (int)token);
	}
	if (!shows)
		fail_msg("%s %s: part %d shows nowhere", dtype_name(dtype), schedule->name, part);
	mem_free(want);
	mem_free(got);
	bench_of_release(&clean);
	bench_of_release(&spoilt);
}

static void test_not_a_number_stays_in_its_sequence(void **state)
{
	/* One thread, so that atomics add in the same order each time. */
	struct device *device = machine_open(*state, 1);

	for (int i = 0; i < schedule_count; i++) {
		enum dtype dtype = schedules[i].matrix ? DTYPE_BF16 : DTYPE_F32;

		for (int part = 0; part < 3; part++) {
			check_spread(device, &schedules[i], dtype, NO_WINDOW, part, NAN);
			check_spread(device, &schedules[i], DTYPE_F16, 8, part, INFINITY);
		}
	}
	device_close(device);
}

/* Every score is -200: exp of its negative is more than f32 holds, and must not be asked for where
 * a tile has rows that the sequence has not. */
static void test_scores_far_below_zero(void **state)
{
	/* One thread, so that atomics add in the same order each time. */
	struct device *device = machine_open(*state, 1);

	for (enum dtype dtype = DTYPE_F32; dtype < DTYPE_COUNT; dtype++) {
		struct bench_of b;

		bench_of_make(&b, "5,40,70", HEADS, 30, dtype, device);
		for (int64_t i = 0; i < problem_qkv_count(&b.problem); i++) {
			int64_t part = i / (HEADS * HEAD_DIM) % 3;

			if (part < 2)
				dtype_store(dtype, b.tensors.qkv, i, part ? -5.0f : 5.0f);
		}
		for (int64_t i = 0; i < problem_table_count(&b.problem); i++) {
			b.tensors.cos[i] = 1;
			b.tensors.sin[i] = 0;
		}
		bench_of_solve(&b);
		assert_true(b.oracle.lse[0] < -190);
		for (enum pass pass = PASS_FORWARD; pass <= PASS_BACKWARD; pass++) {
			struct protocol protocol = {0};
			struct contest contest = {0};
			struct err err = {0};

			must(contest_run(&contest, &b.arena, pass, &protocol, NULL, &err), &err);
			for (int i = 0; i < contest.count; i++) {
				const struct trial *trial = &contest.trials[i];

				if (trial->outcome != OUTCOME_OK &&
					trial->outcome != OUTCOME_UNSUPPORTED)
					fail_msg("%s %s: %s", dtype_name(dtype),
						trial->schedule->name, trial->why);
			}
			contest_release(&contest);
		}
		bench_of_release(&b);
	}
	device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_EACH_MACHINE(test_not_a_number_stays_in_its_sequence),
		ON_EACH_MACHINE(test_scores_far_below_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
