/* Which kernels a schedule launches, and what they are compiled as. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "kernels/gpu/plan.h"
#include "kernels/gpu/shared_hip.h"

static void plan_names(enum pass pass, const char *name, struct str *text)
{
	const struct gpu_entry *plan[GPU_PLAN_MAX];
	int count = gpu_plan(schedule_find(pass, name), plan);

	for (int i = 0; i < count; i++)
		str_addf(text, "%s%s", i ? " " : "", plan[i]->name);
}

static void test_plans(void **state)
{
	static const struct {
		enum pass pass;
		const char *schedule, *kernels;
	} cases[] = {
		{PASS_FORWARD, "r16_c16", "attend"},
		{PASS_FORWARD, "m128_c64", "attend_mma"},
		{PASS_BACKWARD, "c64", "delta attend_back rotate_back"},
		{PASS_BACKWARD, "m32", "delta attend_back_mma rotate_back"},
		{PASS_BACKWARD, "s64", "delta attend_back_mma attend_back_q"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct str text = {0};

		plan_names(cases[i].pass, cases[i].schedule, &text);
		assert_string_equal(text.text, cases[i].kernels);
		str_release(&text);
	}
}

static void test_instances(void **state)
{
	static const struct {
		int entry;
		const char *schedule;
		enum dtype dtype;
		const char *name, *defines;
	} cases[] = {
		{0, "r64_c32", DTYPE_F32, "attend_f32_r64_c32",
			"-DHEAD_DIM=64 -DELEM=0 -DROWS=64 -DKEYS=32 -DSPLIT=0 "},
		{4, "s32", DTYPE_F16, "attend_back_mma_f16_s32",
			"-DHEAD_DIM=64 -DELEM=2 -DROWS=32 -DKEYS=32 -DSPLIT=1 "},
		{2, "c16", DTYPE_BF16, "delta_bf16", "-DHEAD_DIM=64 -DELEM=1 "},
	};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const struct gpu_entry *entry = &gpu_entries[cases[i].entry];
		struct gpu_instance instance;
		struct str defines = {0};

		gpu_instance_init(&instance, entry, schedule_find(entry->pass, cases[i].schedule),
			cases[i].dtype);
		assert_string_equal(instance.name, cases[i].name);
		for (int d = 0; instance.defines[d]; d++)
			str_addf(&defines, "%s ", instance.defines[d]);
		assert_string_equal(defines.text, cases[i].defines);
		str_release(&defines);
	}
}

/* The pass needs what its hungriest kernel needs. */
static void test_shared_memory(void **state)
{
	const struct schedule *forward = schedule_find(PASS_FORWARD, "m128_c64");
	const struct schedule *backward = schedule_find(PASS_BACKWARD, "c64");

	(void)state;
	assert_int_equal(
		gpu_plan_shared(GPU_NVIDIA, forward, DTYPE_BF16), SHARED_attend_mma(128, 64, 2));
	assert_int_equal(gpu_plan_shared(GPU_AMD, forward, DTYPE_BF16), LDS_attend_mma(128, 64, 2));
	assert_int_equal(
		gpu_plan_shared(GPU_NVIDIA, backward, DTYPE_F32), SHARED_attend_back(64, 64, 4));
	assert_int_equal(gpu_plan_shared(GPU_AMD, backward, DTYPE_F32), LDS_attend_back(64, 64, 4));
	for (int maker = 0; maker < GPU_MAKERS; maker++)
		for (int i = 0; i < schedule_count; i++)
			assert_true(
				gpu_plan_shared((enum gpu_maker)maker, &schedules[i], DTYPE_BF16) <=
				gpu_plan_shared((enum gpu_maker)maker, &schedules[i], DTYPE_F32));
}

static void test_blocks_are_whole_warps(void **state)
{
	(void)state;
	for (int i = 0; i < schedule_count; i++) {
		const struct gpu_entry *plan[GPU_PLAN_MAX];
		int count = gpu_plan(&schedules[i], plan);

		assert_true(count > 0);
		for (int k = 0; k < count; k++)
			for (int warp = 32; warp <= 64; warp += 32) {
				int threads = gpu_entry_threads(plan[k], &schedules[i], warp);

				assert_in_range(threads, warp, 1024);
				assert_int_equal(threads % warp, 0);
			}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_plans),
		cmocka_unit_test(test_instances),
		cmocka_unit_test(test_shared_memory),
		cmocka_unit_test(test_blocks_are_whole_warps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
