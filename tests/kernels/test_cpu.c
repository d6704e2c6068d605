/* The CPU kernels against the oracle, on every rung of the ladder that this processor runs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cpu/items.h"
#include "tests/kernels/bench_of.h"

static void test_every_rung_type_and_window(void **state)
{
	static const int64_t windows[] = {NO_WINDOW, 0, 1, 8, 64, 1000};
	(void)state;
	for (int rung = 0; cpu_isa_name(rung); rung++) {
		if (!cpu_isa_runs(rung))
			continue;
		struct device *device = open_cpu(cpu_isa_name(rung), 2);
		for (int d = 0; d < DTYPE_COUNT; d++)
			for (int w = 0; w < 6; w++)
				assert_int_equal(8, check_all(device, "5,0,40,1,33,70", 2,
							    windows[w], (enum dtype)d));
		device_close(device);
	}
}

/* Lengths around every tile's and vector's edge. */
static void test_odd_sizes(void **state)
{
	(void)state;
	for (int rung = 0; cpu_isa_name(rung); rung++) {
		if (!cpu_isa_runs(rung))
			continue;
		struct device *device = open_cpu(cpu_isa_name(rung), 1);
		for (int w = 0; w < 3; w++)
			check_all(device, "0,1,2,7,8,9,15,16,17,31,32,33,63,64,65,127,128,129", 1,
				(int64_t[]){NO_WINDOW, 15, 16}[w], DTYPE_F32);
		check_all(device, "0", 3, NO_WINDOW, DTYPE_F32);
		check_all(device, "0,0,1", 1, 0, DTYPE_BF16);
		device_close(device);
	}
}

static void test_random_problems(void **state)
{
	struct device *device = open_cpu(NULL, 3);
	struct rng rng = {11};
	(void)state;
	for (int i = 0; i < 25; i++) {
		struct str lens = {0};
		for (int64_t left = rng_between(&rng, 1, 5); left; left--)
			str_addf(&lens, "%lld%s", (long long)rng_between(&rng, 0, 200),
				left > 1 ? "," : "");
		check_all(device, lens.text, rng_between(&rng, 1, 3), rng_between(&rng, -1, 90),
			(enum dtype)(i % DTYPE_COUNT));
		str_release(&lens);
	}
	device_close(device);
}

/* A long sequence with few heads is cut into shares for the threads. */
static void test_split_heads(void **state)
{
	struct device *device = open_cpu(NULL, 2);
	(void)state;
	check_all(device, "1100,3", 1, NO_WINDOW, DTYPE_F32);
	check_all(device, "1100,3", 1, 100, DTYPE_F32);
	check_all(device, "1030", 2, 8, DTYPE_BF16);
	device_close(device);
}

/* Every row of every head belongs to exactly one item, whatever the threads. */
static void test_items_cover_once(void **state)
{
	(void)state;
	for (int threads = 1; threads <= 64; threads = threads * 2 + 1)
		for (int pass = 0; pass < PASS_COUNT; pass++) {
			struct err err = {0};
			struct lens list = {0};
			struct problem problem = {0};
			struct cpu_items items = {0};
			int64_t rows = 0, heads = 3;
			must(lens_parse(&list, "0,1,255,256,257,513,4000,70000", 1, &err), &err);
			must(problem_init(&problem, &list, heads, NO_WINDOW, DTYPE_F32, &err),
				&err);
			must(items_make(&items, &problem, (enum pass)pass, threads, &err), &err);
			for (int64_t i = 0; i < items.count; i++) {
				const struct cpu_item *item = &items.items[i];
				assert_true(item->first < item->end);
				assert_true(item->end - item->first <= items.longest);
				assert_true(item->end <= problem.lens[item->sequence]);
				assert_int_equal(0, item->first % 64);
				assert_true(!i || items.items[i - 1].work >= item->work);
				if (item->part + 1 == item->parts)
					assert_int_equal(problem.lens[item->sequence], item->end);
				rows += item->end - item->first;
			}
			assert_int_equal(heads * problem.tokens, rows);
			items_release(&items);
			problem_release(&problem);
			lens_release(&list);
		}
}

/* Runs one schedule over poisoned outputs; the caller frees what comes back. */
static void *run_once(const struct bench_of *b, enum pass pass, const char *name)
{
	struct device *device = b->arena.device;
	const struct backend *backend = device->backend;
	const struct problem *p = &b->problem;
	struct err err = {0};
	int64_t count = pass == PASS_FORWARD ? problem_out_count(p) : problem_qkv_count(p);
	int64_t rows = problem_lse_count(p);
	float *result = mem_new(count, sizeof(float), "result", &err);
	float *out = mem_new(problem_out_count(p), sizeof(float), "out", &err);
	float *lse = mem_new(rows, sizeof(float), "lse", &err);
	const char *overrun;
	double seconds;
	for (int64_t i = 0; i < problem_out_count(p); i++)
		out[i] = (float)b->oracle.out[i];
	for (int64_t i = 0; i < rows; i++)
		lse[i] = (float)b->oracle.lse[i];
	struct inputs inputs = {
		b->tensors.qkv, b->tensors.dout, out, lse, b->tensors.cos, b->tensors.sin};
	struct workload *workload = backend->upload(device, p, pass, &inputs, &err);
	must(!workload, &err);
	struct kernel *kernel = backend->prepare(workload, schedule_find(pass, name), &err);
	must(!kernel, &err);
	struct outputs outputs = {0};
	if (pass == PASS_FORWARD)
		outputs.out = result;
	else
		outputs.dqkv = result;
	must(backend->poison(workload, &err) || backend->run(kernel, 3, &seconds, &err) ||
			backend->download(workload, &outputs, &overrun, &err),
		&err);
	assert_null(overrun);
	assert_true(seconds > 0);
	backend->finish(kernel);
	backend->release(workload);
	mem_free(out);
	mem_free(lse);
	return result;
}

/* The gradient has no atomics: it repeats bit for bit, split or not. */
static void test_results_repeat(void **state)
{
	(void)state;
	struct device *device = open_cpu(NULL, 2);
	struct bench_of b;
	bench_of_make(&b, "900,17", 1, NO_WINDOW, DTYPE_F32, device);
	bench_of_solve(&b);
	for (int pass = 0; pass < PASS_COUNT; pass++) {
		const char *name = schedule_default((enum pass)pass)->name;
		float *first = run_once(&b, (enum pass)pass, name);
		float *second = run_once(&b, (enum pass)pass, name);
		int64_t count = pass == PASS_FORWARD ? problem_out_count(&b.problem)
						     : problem_qkv_count(&b.problem);
		assert_memory_equal(first, second, (size_t)count * sizeof *first);
		mem_free(first);
		mem_free(second);
	}
	bench_of_release(&b);
	device_close(device);
}

/* What is not a number in one sequence shows there and leaves the others to the last bit. */
static void check_spread(
	struct device *device, int64_t window, float poison, enum pass pass, const char *name)
{
	struct bench_of clean, spoilt;
	const int64_t heads = 2, sick = 50, first = 20, end = 90; /* sequence 1 of 20,70,40 */
	bench_of_make(&clean, "20,70,40", heads, window, DTYPE_F32, device);
	bench_of_make(&spoilt, "20,70,40", heads, window, DTYPE_F32, device);
	((float *)spoilt.tensors.qkv)[sick * 3 * heads * HEAD_DIM + 5] = poison;
	bench_of_solve(&clean);
	bench_of_solve(&spoilt);
	float *want = run_once(&clean, pass, name);
	float *got = run_once(&spoilt, pass, name);
	int64_t width = heads * HEAD_DIM * (pass == PASS_FORWARD ? 1 : 3);
	bool shows = false;
	for (int64_t t = 0; t < clean.problem.tokens; t++)
		for (int64_t j = 0; j < width; j++) {
			int64_t at = t * width + j;
			if (t >= first && t < end)
				shows |= !isfinite(got[at]);
			else
				assert_memory_equal(&want[at], &got[at], sizeof(float));
		}
	assert_true(shows);
	mem_free(want);
	mem_free(got);
	bench_of_release(&clean);
	bench_of_release(&spoilt);
}

static void test_not_a_number_stays_in_its_sequence(void **state)
{
	(void)state;
	for (int rung = 0; cpu_isa_name(rung); rung++) {
		if (!cpu_isa_runs(rung))
			continue;
		struct device *device = open_cpu(cpu_isa_name(rung), 1);
		for (int i = 0; i < schedule_count; i++) {
			if (schedules[i].matrix)
				continue;
			check_spread(device, NO_WINDOW, NAN, schedules[i].pass, schedules[i].name);
			check_spread(device, 8, NAN, schedules[i].pass, schedules[i].name);
			check_spread(device, 8, INFINITY, schedules[i].pass, schedules[i].name);
		}
		device_close(device);
	}
}

static void test_exponentials(void **state)
{
	enum { COUNT = 16 * 1024 };
	static float from[COUNT], to[COUNT];
	(void)state;
	for (int i = 0; i < COUNT; i++)
		from[i] = -126.0f * (float)i / COUNT;
	from[1] = -INFINITY;
	from[2] = NAN;
	from[3] = -1e30f;
	for (const struct cpu_isa *const *rung = cpu_ladder; *rung; rung++) {
		if (!(*rung)->runs())
			continue;
		(*rung)->exponentials(from, to, COUNT);
		/* A row's sums are scaled by it at every tile: anything but 1 adds up. */
		assert_true(to[0] == 1);
		assert_true(to[1] == 0);
		assert_true(isnan(to[2]));
		assert_true(to[3] == 0);
		for (int i = 4; i < COUNT; i++)
			assert_true(fabs(to[i] / exp2((double)from[i]) - 1) < 2.5e-7);
	}
}

/* A problem without an oracle of its own is judged on its sample, and by whether it is finite. */
static void test_a_sample_stands_in_for_the_oracle(void **state)
{
	struct device *device = open_cpu(NULL, 1);
	struct bench_of small, large;
	(void)state;
	bench_of_make(&small, "40,5", 2, 8, DTYPE_F32, device);
	bench_of_make(&large, "200,40,5", 2, 8, DTYPE_F32, device);
	bench_of_solve(&small);
	large.arena.oracle = NULL;
	large.arena.sample = &small.arena;
	for (int broken = 0; broken < 2; broken++) {
		if (broken)
			((float *)large.tensors.qkv)[0] = NAN;
		for (int pass = 0; pass < PASS_COUNT; pass++) {
			struct contest contest = {0};
			struct err err = {0};
			must(contest_run(&contest, &large.arena, (enum pass)pass,
				     &(struct protocol){0}, NULL, &err),
				&err);
			const struct trial *trial = &contest.trials[0];
			assert_int_equal(broken ? OUTCOME_WRONG : OUTCOME_OK, trial->outcome);
			assert_true(trial->judged);
			contest_release(&contest);
		}
	}
	bench_of_release(&small);
	bench_of_release(&large);
	device_close(device);
}

static void test_matrix_schedules_say_why_not(void **state)
{
	struct device *device = open_cpu("scalar", 1);
	struct problem problem = {.heads = 1};
	(void)state;
	for (int i = 0; i < schedule_count; i++) {
		struct reason reason = {{0}};
		bool usable = device->backend->usable(device, &schedules[i], &problem, &reason);
		assert_int_equal(!schedules[i].matrix, usable);
		if (!usable)
			assert_string_equal("needs a matrix unit", reason.text);
	}
	device_close(device);
}

static void test_devices_that_cannot_be_had(void **state)
{
	struct err err = {0};
	(void)state;
	assert_null(device_open("tpu", (struct device_options){0}, &err));
	assert_int_equal(ERR_USAGE, err.kind);
	assert_non_null(strstr(err.text, "'tpu'"));
	assert_null(device_open("cpu:1", (struct device_options){0}, &err));
	assert_int_equal(ERR_UNAVAILABLE, err.kind);
	assert_null(device_open("cpu:x", (struct device_options){0}, &err));
	assert_int_equal(ERR_USAGE, err.kind);
	assert_null(device_open("cpu", (struct device_options){.isa = "mmx"}, &err));
	assert_int_equal(ERR_USAGE, err.kind);
	assert_non_null(strstr(err.text, "scalar"));
	assert_null(device_open("cpu", (struct device_options){.threads = 100000}, &err));
	assert_int_equal(ERR_USAGE, err.kind);
}

static void test_ceiling_is_measured(void **state)
{
	struct device *device = open_cpu(NULL, 1);
	struct ceiling ceiling = {0};
	struct err err = {0};
	(void)state;
	must(device->backend->measure(device, &ceiling, &err), &err);
	assert_true(ceiling.flops > 0 && isfinite(ceiling.flops));
	assert_true(ceiling.exponentials > 0 && isfinite(ceiling.exponentials));
	assert_true(ceiling.bytes > 0 && isfinite(ceiling.bytes));
	must(device->backend->flush(device, &err), &err);
	device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_rung_type_and_window),
		cmocka_unit_test(test_odd_sizes),
		cmocka_unit_test(test_random_problems),
		cmocka_unit_test(test_split_heads),
		cmocka_unit_test(test_items_cover_once),
		cmocka_unit_test(test_results_repeat),
		cmocka_unit_test(test_not_a_number_stays_in_its_sequence),
		cmocka_unit_test(test_exponentials),
		cmocka_unit_test(test_a_sample_stands_in_for_the_oracle),
		cmocka_unit_test(test_matrix_schedules_say_why_not),
		cmocka_unit_test(test_devices_that_cannot_be_had),
		cmocka_unit_test(test_ceiling_is_measured),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
