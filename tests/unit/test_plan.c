/* Plans: what is read, what is refused in which words, and how shards deal it out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/options.h"
#include "cmd/plan_json.h"

static char path[] = "/tmp/test_plan_XXXXXX";

static int read_text(struct agenda *agenda, const char *text, struct err *err)
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
	*err = (struct err){0};
	return plan_read(agenda, path, 9, err);
}

static void accept(struct agenda *agenda, const char *text)
{
	struct err err;

	if (read_text(agenda, text, &err))
		fail_msg("%s: %s", text, err.text);
}

/* The message begins with the file's name; `said` follows. */
static void refuse(const char *text, const char *said)
{
	struct agenda agenda = {0};
	struct err err;

	assert_int_equal(read_text(&agenda, text, &err), -1);
	assert_int_equal(err.kind, ERR_USAGE);
	assert_int_equal(strncmp(err.text, path, strlen(path)), 0);
	assert_string_equal(err.text + strlen(path), said);
	agenda_release(&agenda);
}

static void test_defaults_are_those_of_the_command_line(void **state)
{
	struct agenda agenda = {0};
	struct options options;
	struct err err;

	(void)state;
	assert_int_equal(options_parse(&options, &commands[COMMAND_tune], 0, NULL, &err), 0);
	accept(&agenda, "{\"problems\": [{\"lens\": \"5,33\"}]}");
	assert_int_equal(agenda.count, options.dtype_count * options.window_count);
	for (int64_t i = 0; i < agenda.count; i++) {
		const struct task *task = &agenda.tasks[i];

		assert_string_equal(task->spec, "5,33");
		assert_int_equal(task->lens->count, 2);
		assert_int_equal(task->lens->len[1], 33);
		assert_int_equal(task->heads, options.heads);
		assert_int_equal(task->window, options.windows[i]);
		assert_int_equal(task->dtype, options.dtypes[0]);
		assert_memory_equal(task->passes, options.passes, sizeof task->passes);
		assert_int_equal(task->seed, 9);
	}
	agenda_release(&agenda);
}

static void test_every_type_and_window(void **state)
{
	struct agenda agenda = {0};

	(void)state;
	accept(&agenda, "{\"$schema\": \"plan.schema.json\", \"problems\": ["
			"{\"lens\": \"8x16\", \"heads\": 3, \"windows\": [8, \"none\", 8],"
			" \"dtypes\": [\"bf16\", \"f32\"], \"passes\": [\"backward\"]},"
			"{\"lens\": \"1\", \"windows\": [0]}]}");
	assert_int_equal(agenda.count, 5);
	assert_int_equal(agenda.tasks[0].dtype, DTYPE_BF16);
	assert_int_equal(agenda.tasks[0].window, 8);
	assert_int_equal(agenda.tasks[1].window, NO_WINDOW);
	assert_int_equal(agenda.tasks[2].dtype, DTYPE_F32);
	assert_int_equal(agenda.tasks[3].heads, 3);
	assert_false(agenda.tasks[3].passes[PASS_FORWARD]);
	assert_true(agenda.tasks[3].passes[PASS_BACKWARD]);
	assert_int_equal(agenda.tasks[4].window, 0);
	assert_int_equal(agenda.tasks[4].lens->count, 1);
	agenda_release(&agenda);
}

static void test_refusals(void **state)
{
	(void)state;
	refuse("{\n\"problems\": [,]}",
		", line 2: malformed JSON; write {\"problems\": [{\"lens\": \"bench\"}]}");
	refuse("", ", line 1: malformed JSON; write {\"problems\": [{\"lens\": \"bench\"}]}");
	refuse("{} x", ", line 1: malformed JSON; write {\"problems\": [{\"lens\": \"bench\"}]}");
	refuse("[]", ": no problems; write {\"problems\": [{\"lens\": \"bench\"}]}");
	refuse("{\"problems\": []}",
		": no problems; write {\"problems\": [{\"lens\": \"bench\"}]}");
	refuse("{\"problems\": [{\"lens\": \"1\"}], \"shards\": 3}",
		": unknown member 'shards'; a plan has problems");
	refuse("{\"problems\": [7]}", ": problem 1: '7' is not an object");
	refuse("{\"problems\": [{\"lens\": \"1\"}, {\"heads\": 2}]}",
		": problem 2: no lens; write lengths as --lens takes them");
	refuse("{\"problems\": [{\"lens\": [1]}]}",
		": problem 1: lens: '[1]' is not a string; write lengths as --lens takes them");
	refuse("{\"problems\": [{\"lens\": \"1\", \"window\": [8]}]}",
		": problem 1: unknown member 'window'; did you mean 'windows'?");
	refuse("{\"problems\": [{\"lens\": \"1\", \"colour\": 8}]}",
		": problem 1: unknown member 'colour'; "
		"there are lens, heads, windows, dtypes and passes");
	refuse("{\"problems\": [{\"lens\": \"1\", \"heads\": 1.5}]}",
		": problem 1: heads: '1.5' is not a whole number from 1 to 2147483647");
	refuse("{\"problems\": [{\"lens\": \"1\", \"windows\": 8}]}",
		": problem 1: windows: '8' is not an array of one element or more");
	refuse("{\"problems\": [{\"lens\": \"1\", \"windows\": []}]}",
		": problem 1: windows: '[]' is not an array of one element or more");
	refuse("{\"problems\": [{\"lens\": \"1\", \"windows\": [-1]}]}",
		": problem 1: windows: '-1' is not a window; "
		"write \"none\" or a whole number, 0 or more");
	refuse("{\"problems\": [{\"lens\": \"1\", \"dtypes\": [\"fp8\"]}]}",
		": problem 1: dtypes: '\"fp8\"' is not a type; "
		"there are \"f32\", \"bf16\" and \"f16\"");
	refuse("{\"problems\": [{\"lens\": \"1\", \"passes\": [\"both\"]}]}",
		": problem 1: passes: '\"both\"' is not a pass; "
		"there are \"forward\" and \"backward\"");
}

static void test_bad_lengths_are_named(void **state)
{
	struct agenda agenda = {0};
	struct err err;

	(void)state;
	assert_int_equal(read_text(&agenda, "{\"problems\": [{\"lens\": \"5,y\"}]}", &err), -1);
	assert_non_null(strstr(err.text, ": problem 1: "));
	assert_non_null(strstr(err.text, "'y'"));
	agenda_release(&agenda);
	assert_int_equal(plan_read(&agenda, "/nowhere/plan.json", 9, &err), -1);
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	agenda_release(&agenda);
}

/* Every problem falls to one shard, and the shards differ by one at most. */
static void test_shards_share_out_all(void **state)
{
	static const char plan[] =
		"{\"problems\": [{\"lens\": \"1\", \"windows\": [0,1,2,3,4,5,6]}]}";

	(void)state;
	for (int64_t shards = 1; shards <= 9; shards++) {
		int taken[7] = {0};

		for (int64_t shard = 1; shard <= shards; shard++) {
			struct agenda agenda = {0};

			accept(&agenda, plan);
			agenda_shard(&agenda, shard, shards);
			assert_true(agenda.count >= 7 / shards);
			assert_true(agenda.count <= 7 / shards + 1);
			for (int64_t i = 0; i < agenda.count; i++) {
				assert_int_equal(agenda.tasks[i].window % shards, shard - 1);
				taken[agenda.tasks[i].window]++;
			}
			agenda_release(&agenda);
		}
		for (int i = 0; i < 7; i++)
			assert_int_equal(taken[i], 1);
	}
}

static int make_file(void **state)
{
	int file = mkstemp(path);

	(void)state;
	return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_defaults_are_those_of_the_command_line),
		cmocka_unit_test(test_every_type_and_window),
		cmocka_unit_test(test_refusals),
		cmocka_unit_test(test_bad_lengths_are_named),
		cmocka_unit_test(test_shards_share_out_all),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
