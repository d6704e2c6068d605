/* A schedule that crashed or hung is remembered for its build and device. */
#include "tests/unit/store_sample.h"

#include "tune/store_quarantine.h"

#define FILE_NAME  "tuning.db"
#define TEST(name) cmocka_unit_test_setup_teardown(name, folder_setup, folder_teardown)

static void add(struct store *store, const struct key *key, enum outcome outcome, const char *why)
{
	struct trial trial = sample_trial(0);

	trial.judged = false;
	trial.outcome = outcome;
	snprintf(trial.why, sizeof trial.why, "%s", why);
	keep(store, key, &trial);
}

static int asked(struct store *store, const struct key *key, const struct device_info *device,
	int schedule, struct quarantine *quarantine)
{
	struct err err = {0};
	int found = store_quarantine(store, key, device, &schedules[schedule], quarantine, &err);

	if (found < 0)
		fail_msg("%s", err.text);
	return found;
}

static void test_crash_and_hang(void **state)
{
	static const enum outcome others[] = {
		OUTCOME_OK, OUTCOME_UNSUPPORTED, OUTCOME_COMPILE_FAILED, OUTCOME_WRONG};
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key key = sample_key();
	struct quarantine quarantine;

	(void)state;
	for (int i = 0; i < 4; i++)
		add(store, &key, others[i], "not that bad");
	assert_int_equal(asked(store, &key, &sample_device, 0, &quarantine), 0);
	add(store, &key, OUTCOME_RUN_FAILED, "killed by SIGSEGV");
	assert_int_equal(asked(store, &key, &sample_device, 0, &quarantine), 1);
	assert_int_equal(quarantine.outcome, OUTCOME_RUN_FAILED);
	assert_string_equal(quarantine.why, "killed by SIGSEGV");
	assert_int_equal(strlen(quarantine.created), strlen("2026-12-01T13:27:53Z"));
	add(store, &key, OUTCOME_TIMED_OUT, "no answer in 30 s");
	assert_int_equal(asked(store, &key, &sample_device, 0, &quarantine), 1);
	assert_int_equal(quarantine.outcome, OUTCOME_TIMED_OUT);
	assert_string_equal(quarantine.why, "no answer in 30 s");
	store_close(store);
}

static void test_where_it_holds(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key key = sample_key(), other;
	struct device_info device = sample_device;
	struct quarantine quarantine;

	(void)state;
	add(store, &key, OUTCOME_RUN_FAILED, "killed by SIGSEGV");
	/* On every shape of the device, pass and type. */
	other = key;
	other.heads++;
	other.window = NO_WINDOW;
	other.tokens *= 2;
	other.longest *= 2;
	other.cold = false;
	assert_int_equal(asked(store, &other, &device, 0, &quarantine), 1);
	strcpy(device.driver, "another");
	assert_int_equal(asked(store, &key, &device, 0, &quarantine), 1);
	/* Not for another schedule, device, pass, type or build. */
	assert_int_equal(asked(store, &key, &device, 1, &quarantine), 0);
	other = key;
	strcat(other.device, "!");
	assert_int_equal(asked(store, &other, &device, 0, &quarantine), 0);
	other = key;
	other.pass = PASS_BACKWARD;
	assert_int_equal(asked(store, &other, &device, 0, &quarantine), 0);
	other = key;
	other.dtype = DTYPE_F32;
	assert_int_equal(asked(store, &other, &device, 0, &quarantine), 0);
	strcpy(device.code, "another");
	assert_int_equal(asked(store, &key, &device, 0, &quarantine), 0);
	device = sample_device;
	strcpy(device.compiler, "another");
	assert_int_equal(asked(store, &key, &device, 0, &quarantine), 0);
	store_close(store);
}

/* What went well on the shape since is trusted again, on others it is no proof. */
static void test_how_it_ends(void **state)
{
	struct store *store = open_or_fail(FILE_NAME, STORE_WRITE);
	struct key key = sample_key(), other = key;
	struct quarantine quarantine;

	(void)state;
	other.tokens *= 2;
	add(store, &key, OUTCOME_OK, "");
	add(store, &key, OUTCOME_RUN_FAILED, "first");
	add(store, &other, OUTCOME_OK, "");
	assert_int_equal(asked(store, &key, &sample_device, 0, &quarantine), 1);
	add(store, &other, OUTCOME_RUN_FAILED, "second");
	add(store, &key, OUTCOME_OK, "");
	assert_int_equal(asked(store, &key, &sample_device, 0, &quarantine), 1);
	assert_string_equal(quarantine.why, "second");
	add(store, &other, OUTCOME_OK, "");
	assert_int_equal(asked(store, &key, &sample_device, 0, &quarantine), 0);
	add(store, &key, OUTCOME_TIMED_OUT, "third");
	assert_int_equal(asked(store, &key, &sample_device, 0, &quarantine), 1);
	store_close(store);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_crash_and_hang),
		TEST(test_where_it_holds),
		TEST(test_how_it_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
