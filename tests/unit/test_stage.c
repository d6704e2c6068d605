/* What contests are run on: the problem and its oracle, or a sample where it is too large. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "cmd/stage.h"
#include "tune/sample.h"

/* One sequence, with a stage of its forward pass. */
struct fixture {
	struct problem problem;
	struct stage stage;
	struct team *team;
};

static void make(struct fixture *f, int64_t length, int64_t heads, bool may_sample)
{
	struct lens lens = {0};
	struct err err = {0};

	*f = (struct fixture){.team = team_new(team_processors(), &err)};
	assert_non_null(f->team);
	assert_int_equal(lens_add(&lens, 1, length, &err), 0);
	assert_int_equal(problem_init(&f->problem, &lens, heads, NO_WINDOW, DTYPE_BF16, &err), 0);
	lens_release(&lens);
	if (stage_make(&f->stage, &f->problem, 7, PASS_FORWARD, may_sample, f->team, &err))
		fail_msg("%s", err.text);
	assert_true(f->stage.ready);
	assert_null(f->stage.oracle.dqkv);
}

static void release(struct fixture *f)
{
	stage_release(&f->stage);
	problem_release(&f->problem);
	team_free(f->team);
}

static void test_a_small_problem_is_judged_whole(void **state)
{
	struct fixture f;

	(void)state;
	make(&f, 40, 2, true);
	assert_false(f.stage.sampled);
	assert_true(isfinite(f.stage.oracle.out[problem_out_count(&f.problem) - 1]));
	release(&f);
}

/* The inputs are those of the whole problem, what the oracle computed is the sample's. */
static void test_a_large_problem_is_judged_by_a_sample(void **state)
{
	struct fixture f;
	const struct problem *sample = &f.stage.sample;

	(void)state;
	make(&f, 34001, 1, true);
	assert_true(sample_needed(&f.problem));
	assert_true(f.stage.sampled);
	assert_in_range(sample->tokens, SAMPLE_CUT, SAMPLE_CUT + 128);
	assert_int_equal(sample->longest % 128, f.problem.longest % 128);
	assert_int_equal(sample->heads, 1);
	assert_int_equal(sample->dtype, DTYPE_BF16);
	assert_true(isfinite(f.stage.oracle.out[problem_out_count(sample) - 1]));
	assert_non_null(f.stage.sample_tensors.qkv);
	/* The last of the whole problem's inputs is there. */
	assert_true(dtype_load(DTYPE_BF16, f.stage.tensors.qkv, 0) ==
		    dtype_load(DTYPE_BF16, f.stage.sample_tensors.qkv, 0));
	assert_true(isfinite(
		dtype_load(DTYPE_BF16, f.stage.tensors.dout, problem_out_count(&f.problem) - 1)));
	release(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_small_problem_is_judged_whole),
		cmocka_unit_test(test_a_large_problem_is_judged_by_a_sample),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
