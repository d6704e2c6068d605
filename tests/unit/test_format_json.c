#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <cjson/cJSON.h>
#include <stdlib.h>

#include "cmd/format.h"
#include "tests/unit/report_sample.h"

struct parsed {
	struct report report;
	cJSON *root;
};

static int parse_sample(void **state)
{
	static struct parsed parsed;
	struct str text = {0};

	sample_report(&parsed.report);
	json_write(&parsed.report, &text);
	parsed.root = cJSON_Parse(text.text);
	str_release(&text);
	*state = &parsed;
	return parsed.root ? 0 : -1;
}

static int release_sample(void **state)
{
	struct parsed *parsed = *state;

	cJSON_Delete(parsed->root);
	report_release(&parsed->report);
	return 0;
}

/* The item at `path`, names and indices separated by dots. */
static const cJSON *at(void **state, const char *path)
{
	const cJSON *item = ((struct parsed *)*state)->root;
	char name[64];

	while (*path) {
		size_t length = strcspn(path, ".");

		assert_true(length < sizeof name);
		memcpy(name, path, length);
		name[length] = '\0';
		path += length + (path[length] == '.');
		item = cJSON_IsArray(item) ? cJSON_GetArrayItem(item, atoi(name))
					   : cJSON_GetObjectItemCaseSensitive(item, name);
		if (!item)
			fail_msg("no '%s'", name);
	}
	return item;
}

static void assert_text(void **state, const char *path, const char *text)
{
	assert_string_equal(cJSON_GetStringValue(at(state, path)), text);
}

static void assert_number(void **state, const char *path, double number)
{
	assert_true(cJSON_IsNumber(at(state, path)));
	assert_true(at(state, path)->valuedouble == number);
}

static void test_head(void **state)
{
	assert_text(state, "schema", "pattn-report/1");
	assert_text(state, "device.model", "Model \"X\"");
	assert_number(state, "device.memory", 17179869184.0);
	assert_true(cJSON_IsNull(at(state, "device.peak_flops")));
	assert_number(state, "problem.lens.0", 100);
	assert_number(state, "problem.tokens", 100);
	assert_text(state, "protocol.mode", "hot");
	assert_true(cJSON_IsNull(at(state, "protocol.schedules")));
}

static void test_what_is_no_number_is_null(void **state)
{
	assert_text(state, "results.0.outcome", "wrong");
	assert_true(cJSON_IsNull(at(state, "results.0.verdict.tensors.0.rel")));
	assert_true(cJSON_IsNull(at(state, "results.0.verdict.tensors.0.worst.got")));
	assert_number(state, "results.0.verdict.tensors.0.worst.want", 0.25);
	assert_true(cJSON_IsFalse(at(state, "results.0.verdict.right")));
	assert_true(cJSON_IsNull(at(state, "results.0.statistics")));
	assert_int_equal(cJSON_GetArraySize(at(state, "results.0.samples")), 0);
}

static void test_timed(void **state)
{
	assert_true(cJSON_IsNull(at(state, "results.1.window")));
	assert_true(cJSON_IsNull(at(state, "results.1.stored")));
	assert_int_equal(cJSON_GetArraySize(at(state, "results.1.samples")), 3);
	assert_number(state, "results.1.samples.0", 0.002);
	assert_number(state, "results.1.statistics.median", 0.002);
	assert_number(state, "results.1.rates.floor_fraction", 0.5);
	assert_text(state, "results.1.stop", "3 rounds");
}

static void test_stored(void **state)
{
	assert_number(state, "results.3.window", 64);
	assert_number(state, "results.3.stored.tokens", 97);
	assert_text(state, "results.3.stored.compiler", "cc \"2\"");
	assert_text(state, "results.3.stored.mode", "cold");
	assert_true(cJSON_IsNull(at(state, "results.3.rates.flops")));
}

static void test_winners(void **state)
{
	assert_int_equal(cJSON_GetArraySize(at(state, "winners")), 2);
	assert_text(state, "winners.0.schedule", "r64_c32");
	assert_text(state, "winners.0.decision", "winner");
	assert_int_equal(cJSON_GetArraySize(at(state, "winners.0.ranking")), 1);
	assert_true(cJSON_IsFalse(at(state, "winners.0.cached")));
	assert_text(state, "winners.1.decision", "tie");
	assert_true(cJSON_IsTrue(at(state, "winners.1.cached")));
	assert_number(state, "winners.1.key.tokens", 128);
}

static void test_report_of_a_store(void **state)
{
	struct report report = {0};
	struct str text = {0};
	cJSON *root;

	(void)state;
	json_write(&report, &text);
	root = cJSON_Parse(text.text);
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "device")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "problem")));
	assert_true(cJSON_IsNull(cJSON_GetObjectItem(root, "protocol")));
	assert_true(cJSON_IsArray(cJSON_GetObjectItem(root, "results")));
	cJSON_Delete(root);
	str_release(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_head),
		cmocka_unit_test(test_what_is_no_number_is_null),
		cmocka_unit_test(test_timed),
		cmocka_unit_test(test_stored),
		cmocka_unit_test(test_winners),
		cmocka_unit_test(test_report_of_a_store),
	};

	return cmocka_run_group_tests(tests, parse_sample, release_sample);
}
