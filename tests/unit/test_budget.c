/* The division of a budget among contests, on a clock of our own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "cmd/budget.h"

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9))
		fail_msg("%g, not %g", got, want);
}

static void test_no_budget_has_no_deadline(void **state)
{
	(void)state;
	assert_near(budget_deadline(&(struct budget){.left = 3}, 50), 0);
}

static void test_equal_shares(void **state)
{
	struct budget budget = {.end = 120, .left = 4};
	double now = 100;

	(void)state;
	for (int i = 1; i <= 4; i++) {
		double deadline = budget_deadline(&budget, now);

		assert_near(deadline, 100 + 5 * i);
		now = deadline;
		budget_spend(&budget, deadline, now);
	}
}

/* What one contest leaves or overdraws is the others' alike. */
static void test_what_is_left_is_shared(void **state)
{
	struct budget budget = {.end = 120, .left = 4};

	(void)state;
	budget_spend(&budget, 105, 102);
	assert_near(budget_deadline(&budget, 102), 108);
	budget_spend(&budget, 108, 108);
	assert_near(budget_deadline(&budget, 110), 115);
}

/* What follows the rounds comes off the next share, so that the last one ends in time. */
static void test_the_tail_is_foreseen(void **state)
{
	struct budget budget = {.end = 120, .left = 2};
	double deadline = budget_deadline(&budget, 100);

	(void)state;
	assert_near(deadline, 110);
	budget_spend(&budget, deadline, 111);
	deadline = budget_deadline(&budget, 111);
	assert_near(deadline, 119);
	budget_spend(&budget, deadline, 120);
}

static void test_an_overdrawn_budget_ends_at_once(void **state)
{
	struct budget budget = {.end = 120, .left = 2, .tail = 3};

	(void)state;
	assert_near(budget_deadline(&budget, 125), 125);
	assert_near(budget_deadline(&budget, 119), 119);
	budget.left = 0;
	assert_near(budget_deadline(&budget, 110), 117);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_budget_has_no_deadline),
		cmocka_unit_test(test_equal_shares),
		cmocka_unit_test(test_what_is_left_is_shared),
		cmocka_unit_test(test_the_tail_is_foreseen),
		cmocka_unit_test(test_an_overdrawn_budget_ends_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
