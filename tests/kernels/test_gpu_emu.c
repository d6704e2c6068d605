/* The GPU kernels against the oracle, through the whole backend, on the emulated GPUs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/str.h"
#include "tests/kernels/machines.h"
#include "tune/handover.h"

/* Every schedule of both passes that `pattern` matches; returns how many were right. */
static int check(struct device *device, const char *lens, int64_t heads, int64_t window,
	enum dtype dtype, const char *pattern)
{
	struct bench_of b;
	int right = 0;

	bench_of_make(&b, lens, heads, window, dtype, device);
	bench_of_solve(&b);
	for (enum pass pass = PASS_FORWARD; pass <= PASS_BACKWARD; pass++) {
		struct protocol protocol = {.pattern = pattern};
		struct contest contest = {0};
		struct err err = {0};

		must(contest_run(&contest, &b.arena, pass, &protocol, NULL, &err), &err);
		for (int i = 0; i < contest.count; i++) {
			const struct trial *trial = &contest.trials[i];

			if (trial->outcome == OUTCOME_UNSUPPORTED)
				continue;
			if (trial->outcome != OUTCOME_OK)
				fail_msg("%s %s %s %s window %d lens %s: %s",
					device->info.architecture, dtype_name(dtype),
					pass_name(pass), trial->schedule->name, (int)window, lens,
					trial->why);
			right++;
		}
		contest_release(&contest);
	}
	bench_of_release(&b);
	return right;
}

/* One device throughout: nothing of a problem may linger into the next. */
static void test_every_schedule_type_and_window(void **state)
{
	static const int64_t windows[] = {NO_WINDOW, 0, 1, 8, 64, 1000};
	const struct machine *machine = *state;
	struct device *device = machine_open(machine, 2);

	for (int d = 0; d < DTYPE_COUNT; d++)
		for (int w = 0; w < 6; w++)
			assert_int_equal(
				machine->usable[d], check(device, "5,0,40,1,33,70", 2, windows[w],
							    (enum dtype)d, NULL));
	device_close(device);
}

/* Lengths around every tile's edge. */
static void test_odd_sizes(void **state)
{
	struct device *device = machine_open(*state, 2);

	for (int w = 0; w < 3; w++)
		check(device, "0,1,2,15,16,17,31,32,33,63,64,65,127,128,129", 1,
			(int64_t[]){NO_WINDOW, 15, 64}[w], DTYPE_F16, NULL);
	check(device, "0", 3, NO_WINDOW, DTYPE_BF16, NULL);
	check(device, "0,0,1", 1, 0, DTYPE_F32, NULL);
	device_close(device);
}

static void test_more_tiles_than_a_grid_is_high(void **state)
{
	struct device *device = machine_open(*state, 2);

	assert_int_equal(check(device, "66000x1", 1, NO_WINDOW, DTYPE_F32, "r16_c16"), 1);
	device_close(device);
}

/* dqkv of one backward pass. */
static void *gradient(const struct bench_of *b, const char *schedule)
{
	const struct problem *p = &b->problem;
	const struct backend *backend = b->arena.device->backend;
	struct err err = {0};
	struct outputs outputs = {
		.dqkv = mem_new(problem_qkv_count(p), dtype_size(p->dtype), "dqkv", &err)};
	struct handover handover = {0};
	struct workload *workload;
	struct kernel *kernel;
	const char *overrun;
	double seconds;

	must(handover_make(&handover, &b->arena, &err), &err);
	workload = arena_upload(&b->arena, PASS_BACKWARD, &handover, &err);
	must(!workload, &err);
	kernel = backend->prepare(workload, schedule_find(PASS_BACKWARD, schedule), &err);
	must(!kernel, &err);
	must(backend->run(kernel, 1, &seconds, &err), &err);
	must(backend->download(workload, &outputs, &overrun, &err), &err);
	backend->finish(kernel);
	backend->release(workload);
	handover_release(&handover);
	return outputs.dqkv;
}

/* Whatever order threads and blocks run in. */
static void test_split_gradients_repeat_bit_for_bit(void **state)
{
	static const char *const schedules_split[] = {"s32", "s64"};
	static const char *const seeds[] = {"1", "2"};

	for (int i = 0; i < 2; i++) {
		void *results[2];
		struct bench_of b = {0};

		for (int run = 0; run < 2; run++) {
			struct device *device;

			setenv("PATTN_EMU_SEED", seeds[run], 1);
			device = machine_open(*state, 1 + run);
			if (!run) {
				bench_of_make(&b, "5,200,70", 2, 64, DTYPE_BF16, device);
				bench_of_solve(&b);
			}
			b.arena.device = device;
			results[run] = gradient(&b, schedules_split[i]);
			device_close(device);
		}
		unsetenv("PATTN_EMU_SEED");
		assert_memory_equal(
			results[0], results[1], (size_t)problem_qkv_count(&b.problem) * 2);
		mem_free(results[0]);
		mem_free(results[1]);
		bench_of_release(&b);
	}
}

static void test_random_problems(void **state)
{
	struct device *device = machine_open(*state, 2);
	struct rng rng = {13};

	for (int i = 0; i < 12; i++) {
		struct str lens = {0};

		for (int64_t left = rng_between(&rng, 1, 4); left; left--)
			str_addf(&lens, "%lld%s", (long long)rng_between(&rng, 0, 150),
				left > 1 ? "," : "");
		check(device, lens.text, rng_between(&rng, 1, 3), rng_between(&rng, -1, 90),
			(enum dtype)(i % DTYPE_COUNT), NULL);
		str_release(&lens);
	}
	device_close(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_EACH_MACHINE(test_every_schedule_type_and_window),
		ON_EACH_MACHINE(test_odd_sizes),
		cmocka_unit_test_prestate(test_more_tiles_than_a_grid_is_high, &machines[0]),
		ON_EACH_MACHINE(test_split_gradients_repeat_bit_for_bit),
		ON_EACH_MACHINE(test_random_problems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
