/* Kernels with a fault planted, each of which must be found: by its results, by the machine, by
 * AddressSanitizer, or, where an ordering of memory is left out, by ThreadSanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"
#include "kernels/gpu/sources.h"
#include "tests/kernels/bench_of.h"

extern char **environ;

#if defined(__has_feature)
#define FEATURE(name) __has_feature(name)
#else
#define FEATURE(name) 0
#endif
#define RACES FEATURE(thread_sanitizer)
#if defined(__SANITIZE_ADDRESS__) || FEATURE(address_sanitizer)
#define BOUNDS 1
#else
#define BOUNDS 0
#endif

#define CUDA "kernels/cuda/"
#define HIP  "kernels/hip/"
#define GPU  "kernels/gpu/"

/* A kernel, a schedule that launches it, and what to launch it on. */
struct target {
	const char *source, *schedule;
	enum pass pass;
	const char *device, *architecture;
};

static const struct target targets[] = {
	{CUDA "attend.cu", "r32_c32", PASS_FORWARD, "cuda-emu", "sm_90"},
	{CUDA "attend_mma.cu", "m64_c32", PASS_FORWARD, "cuda-emu", "sm_90"},
	{CUDA "attend_back.cu", "c32", PASS_BACKWARD, "cuda-emu", "sm_90"},
	{CUDA "attend_back_mma.cu", "m32", PASS_BACKWARD, "cuda-emu", "sm_90"},
	{CUDA "attend_back_q.cu", "s32", PASS_BACKWARD, "cuda-emu", "sm_90"},
	{HIP "attend.hip", "r32_c32", PASS_FORWARD, "hip-emu", "gfx1100"},
	{HIP "attend_mma.hip", "m64_c32", PASS_FORWARD, "hip-emu", "gfx1201"},
	{HIP "attend_back.hip", "c32", PASS_BACKWARD, "hip-emu", "gfx1100"},
	{HIP "attend_back_mma.hip", "m32", PASS_BACKWARD, "hip-emu", "gfx942"},
	{HIP "attend_back_q.hip", "s32", PASS_BACKWARD, "hip-emu", "gfx1201"},
	{HIP "attend_mma.hip", "m64_c32", PASS_FORWARD, "hip-emu", "gfx1100"},
};
#define TARGETS ((int)(sizeof targets / sizeof *targets))

static const char *text_of(const char *name)
{
	for (int i = 0; i < gpu_text_count; i++)
		if (!strcmp(gpu_texts[i].name, name))
			return gpu_texts[i].text;
	fail_msg("no text is named %s", name);
	return NULL;
}

/* In a process of its own, which a sanitizer may end: 0 when every result is right. */
static int judge(const char *folder, const struct target *target)
{
	struct device_options options = {
		.kernel_dir = folder, .threads = 2, .emu = target->architecture};
	struct protocol protocol = {.pattern = target->schedule};
	struct contest contest = {0};
	struct bench_of b;
	struct err err = {0};
	struct device *device = device_open(target->device, options, &err);
	bool right;

	must(!device, &err);
	/* The last length is odd: a pair of rows may reach past its end, and the tensor's. */
	bench_of_make(&b, "5,100,41", 2, 40, DTYPE_BF16, device);
	bench_of_solve(&b);
	must(contest_run(&contest, &b.arena, target->pass, &protocol, NULL, &err), &err);
	right = contest.trials[0].outcome == OUTCOME_OK;
	contest_release(&contest);
	bench_of_release(&b);
	device_close(device);
	return !right;
}

/* Whether `judge`, in a process of its own, finds a fault in the sources of `folder`. */
static bool judged_faulty(const char *folder, const struct target *target)
{
	char number[16];
	char *words[] = {"faults", (char *)folder, number, NULL};
	posix_spawn_file_actions_t quiet;
	int status;
	pid_t child;

	snprintf(number, sizeof number, "%d", (int)(target - targets));
	posix_spawn_file_actions_init(&quiet);
	posix_spawn_file_actions_addopen(&quiet, 2, "/dev/null", 1, 0);
	assert_int_equal(posix_spawn(&child, "/proc/self/exe", &quiet, NULL, words, environ), 0);
	posix_spawn_file_actions_destroy(&quiet);
	assert_int_equal(waitpid(child, &status, 0), child);
	return status != 0;
}

/* The same with `find` in the text `name` replaced where it first is. */
static bool found_in(
	const struct target *target, const char *name, const char *find, const char *replace)
{
	char folder[] = "/tmp/pattn-faults-XXXXXX";
	const char *text = text_of(name), *at = strstr(text, find);
	struct str path = {0}, mutated = {0};
	struct err err;
	bool found;

	if (!at)
		fail_msg("%s has no '%s'", name, find);
	assert_non_null(mkdtemp(folder));
	str_addf(&path, "%s%s", folder, strrchr(name, '/'));
	str_addf(&mutated, "%.*s%s%s", (int)(at - text), text, replace, at + strlen(find));
	must(file_write(path.text, mutated.text, mutated.length, &err), &err);
	found = judged_faulty(folder, target);
	unlink(path.text);
	rmdir(folder);
	str_release(&path);
	str_release(&mutated);
	return found;
}

static void test_without_a_fault_none_is_found(void **state)
{
	(void)state;
	for (int i = 0; i < TARGETS; i++)
		assert_false(found_in(&targets[i], targets[i].source, "", ""));
}

#define FORWARD_MASK  "scores_mask<false>(scores, field, patch);"
#define BACKWARD_MASK "scores_mask<true>(p, field, patch);"
#define QUERY_MASK    "scores_mask<false>(p, field, patch);"

/* Bounds are watched by AddressSanitizer alone: a row too many of zeros changes nothing. */
static const struct fault {
	int target;
	const char *name, *find, *replace;
	bool bounds;
} faults[] = {
	{0, CUDA "attend.cu", FORWARD_MASK, "", false},
	{0, CUDA "attend.cu", "now_v, ROW", "now_v + ROW, ROW", false},
	{0, CUDA "attend.cu", "{row, 16, j, KEYS}", "{row, 16, j + 1, KEYS}", false},
	{1, CUDA "attend_mma.cu", FORWARD_MASK, "", false},
	{1, CUDA "attend_mma.cu", "now + 16 * k, ROW", "now + 16 * k + 8, ROW", false},
	{2, CUDA "attend_back.cu", BACKWARD_MASK, "", false},
	{2, CUDA "attend_back.cu", "ds + warp_row(), DS_ROW", "ds + warp_row() + 8, DS_ROW", false},
	{3, CUDA "attend_back_mma.cu", BACKWARD_MASK, "", false},
	{3, CUDA "attend_back_mma.cu", "now.statistics + q", "now.statistics + q + 1", false},
	{4, CUDA "attend_back_q.cu", QUERY_MASK, "", false},
	{4, CUDA "attend_back_q.cu", "query + lane_row() + 8 * r", "query + lane_row() + 8", false},
	{2, GPU "device_delta.h", "tile.start + tile.first + row", "tile.start + row", false},
	{2, GPU "device_rotate_back.h", "tile.first + row", "tile.first + row + 1", false},
	{1, GPU "device_reach.h", "<= 2u * field.window", "< 2u * field.window", false},
	{1, GPU "device_reach.h", "patch.j + patch.keys <= field.length &&", "", false},
	{1, GPU "device_rows.h", "valid ? from : source.base, valid", "from, true", false},
	{5, HIP "attend.hip", FORWARD_MASK, "", false},
	{5, HIP "attend.hip", "{row, 16, j, KEYS}", "{row, 16, j + 1, KEYS}", false},
	{6, HIP "attend_mma.hip", FORWARD_MASK, "", false},
	{6, HIP "attend_mma.hip", "keys + 16 * k, ROW", "keys + 16 * k + 8, ROW", false},
	{6, HIP "attend_mma.hip", "values, 16 * k", "values, 8 * k", false},
	{7, HIP "attend_back.hip", "scores_mask<true>(p, field, own_keys);", "", false},
	{7, HIP "attend_back.hip", "weights + warp_row(), ", "weights + 8, ", false},
	{8, HIP "attend_back_mma.hip", BACKWARD_MASK, "", false},
	{8, HIP "attend_back_mma.hip", "statistics + q);", "statistics + q + 1);", false},
	{9, HIP "attend_back_q.hip", QUERY_MASK, "", false},
	{9, HIP "attend_back_q.hip", "row < tile.length ? load_lse", "row > 0 ? load_lse", false},
	{6, GPU "device_operand.h", "x[e] * sin[e] + y[e]", "x[e] * sin[e] - y[e]", false},
	{6, GPU "device_operand.h", "row + 1 < end", "row + 1 <= end", true},
	{10, GPU "device_wave.h", "lane_index() < 16 ? own[i] : other", "own[i]", false},
	{8, GPU "device_wave.h", "lane_row() * pitch + lane_slot()", "lane_row() * pitch", false},
	{2, GPU "device_rows.h", "i * held.STEP < end", "i * held.STEP <= end", true},
};

static void test_every_fault_is_found(void **state)
{
	(void)state;
	if (RACES)
		skip();
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
		const struct fault *fault = &faults[i];

		if (fault->bounds && !BOUNDS)
			continue;
		if (!found_in(&targets[fault->target], fault->name, fault->find, fault->replace))
			fail_msg("%s with '%s' for '%s' passes", fault->name, fault->replace,
				fault->find);
	}
}

static int occurrences(const char *text, const char *word)
{
	int count = 0;

	for (const char *at = text; (at = strstr(at, word)); at += strlen(word))
		count++;
	return count;
}

static void test_every_missing_ordering_is_found(void **state)
{
	(void)state;
	if (!RACES)
		skip();
	for (int i = 0; i < TARGETS; i++) {
		const char *text = text_of(targets[i].source);
		int orderings = occurrences(text, "barrier();") + occurrences(text, "copy_wait();");

		assert_true(orderings >= 2);
		for (int n = 0; n < orderings; n++) {
			char drop[32];

			snprintf(drop, sizeof drop, "#define DROP %d", n);
			if (!found_in(&targets[i], GPU "device_emu.h", "#define DROP -1", drop))
				fail_msg("%s without ordering %d passes", targets[i].source, n);
		}
	}
}

int main(int count, char **words)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_without_a_fault_none_is_found),
		cmocka_unit_test(test_every_fault_is_found),
		cmocka_unit_test(test_every_missing_ordering_is_found),
	};

	if (count == 3)
		return judge(words[1], &targets[atoi(words[2])]);
	setenv("PATTN_CACHE", "", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
