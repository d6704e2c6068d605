/* A device in a process of its own: what crashes, hangs or aborts there is an error here, and the
 * other kernels go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "tune/isolate.h"

/* ---- a device that misbehaves by schedule ---- */

enum { GOOD, CRASHES, HANGS, ABORTS_COMPILING, EXITS, REFUSES };

static struct outputs results;
static struct inputs given;

static bool odd_usable(const struct device *device, const struct schedule *schedule,
	const struct problem *problem, struct reason *reason)
{
	(void)device;
	snprintf(reason->text, sizeof reason->text, "%lld heads", (long long)problem->heads);
	return !schedule->matrix;
}

static struct workload *odd_upload(struct device *device, const struct problem *problem,
	enum pass pass, const struct inputs *inputs, struct err *err)
{
	struct workload *workload = mem_new(1, sizeof *workload, "w", err);
	*workload = (struct workload){device, problem, pass};
	given = *inputs;
	results.out = mem_new(problem_out_count(problem), 4, "out", err);
	results.lse = mem_new(problem_lse_count(problem), 4, "lse", err);
	return workload;
}

static struct kernel *odd_prepare(
	struct workload *workload, const struct schedule *schedule, struct err *err)
{
	if (schedule == &schedules[ABORTS_COMPILING])
		abort();
	struct kernel *kernel = mem_new(1, sizeof *kernel, "k", err);
	*kernel = (struct kernel){workload, schedule, 17};
	return kernel;
}

static int odd_poison(struct workload *workload, struct err *err)
{
	(void)err;
	memset(results.out, 0xff, (size_t)problem_out_count(workload->problem) * 4);
	return 0;
}

static int odd_run(struct kernel *kernel, int passes, double *seconds, struct err *err)
{
	if (kernel->schedule == &schedules[CRASHES])
		raise(SIGSEGV);
	while (kernel->schedule == &schedules[HANGS])
		pause();
	if (kernel->schedule == &schedules[EXITS])
		_exit(9);
	if (kernel->schedule == &schedules[REFUSES])
		return err_set(err, ERR_UNAVAILABLE, "refused");
	((float *)results.out)[0] = ((const float *)given.qkv)[0] + 1;
	results.lse[0] = (float)getpid();
	*seconds = passes * 1e-3;
	return 0;
}

static int odd_download(struct workload *workload, const struct outputs *outputs,
	const char **overrun, struct err *err)
{
	(void)err;
	memcpy(outputs->out, results.out, (size_t)problem_out_count(workload->problem) * 4);
	memcpy(outputs->lse, results.lse, (size_t)problem_lse_count(workload->problem) * 4);
	*overrun = "lse";
	return 0;
}

static void odd_finish(struct kernel *kernel)
{
	mem_free(kernel);
}

static void odd_release(struct workload *workload)
{
	mem_free(workload);
}

static int odd_measure(struct device *device, struct ceiling *ceiling, struct err *err)
{
	(void)device;
	(void)err;
	*ceiling = (struct ceiling){.flops = 3, .bytes = 4};
	return 0;
}

static const struct backend odd_backend = {
	.name = "odd",
	.usable = odd_usable,
	.upload = odd_upload,
	.prepare = odd_prepare,
	.poison = odd_poison,
	.run = odd_run,
	.download = odd_download,
	.finish = odd_finish,
	.release = odd_release,
	.measure = odd_measure,
};

static struct device *odd_open(const void *context, struct err *err)
{
	static struct device device = {.backend = &odd_backend};
	const char *name = context;
	if (!strcmp(name, "none")) {
		err_set(err, ERR_UNAVAILABLE, "there is no such device");
		return NULL;
	}
	snprintf(device.info.name, sizeof device.info.name, "%s", name);
	device.info.units = 5;
	return &device;
}

/* ---- the tests ---- */

struct fixture {
	struct problem problem;
	struct device *device;
	struct workload *workload;
	float qkv[3 * HEAD_DIM];
};

static void setup(struct fixture *f, double patience)
{
	struct err err = {0};
	struct lens lens = {0};
	memset(f, 0, sizeof *f);
	lens_add(&lens, 1, 1, &err);
	assert_int_equal(0, problem_init(&f->problem, &lens, 1, NO_WINDOW, DTYPE_F32, &err));
	lens_release(&lens);
	f->device = isolate_open(&(struct opener){odd_open, "odd:1", patience}, &err);
	assert_non_null(f->device);
	f->qkv[0] = 41;
	f->workload = f->device->backend->upload(
		f->device, &f->problem, PASS_FORWARD, &(struct inputs){.qkv = f->qkv}, &err);
	assert_non_null(f->workload);
}

static void teardown(struct fixture *f)
{
	f->device->backend->release(f->workload);
	device_close(f->device);
	problem_release(&f->problem);
	/* No worker is left behind. */
	assert_int_equal(-1, waitpid(-1, NULL, WNOHANG));
}

static struct kernel *prepare(struct fixture *f, int which)
{
	struct err err = {0};
	struct kernel *kernel = f->device->backend->prepare(f->workload, &schedules[which], &err);
	assert_non_null(kernel);
	return kernel;
}

/* The kernel runs and its output crosses; returns the process it ran in. */
static int works(struct fixture *f, struct kernel *kernel)
{
	float out[HEAD_DIM], lse[1];
	const char *overrun = NULL;
	double seconds = 0;
	struct err err = {0};
	assert_int_equal(0, f->device->backend->poison(f->workload, &err));
	assert_int_equal(0, f->device->backend->run(kernel, 2, &seconds, &err));
	assert_int_equal(0, f->device->backend->download(f->workload,
				    &(struct outputs){.out = out, .lse = lse}, &overrun, &err));
	assert_true(seconds > 1.9e-3 && seconds < 2.1e-3);
	assert_true(out[0] == 42);
	assert_true(out[1] != out[1]);
	assert_string_equal("lse", overrun);
	return (int)lse[0];
}

/* Without a workload too a schedule is judged for the problem that is there now. */
static void test_another_problem_at_one_address(void **state)
{
	struct problem problem = {.heads = 1, .window = NO_WINDOW};
	struct err err = {0};
	struct reason reason;
	struct device *device = isolate_open(&(struct opener){odd_open, "odd:1", 5}, &err);

	(void)state;
	assert_non_null(device);
	assert_true(device->backend->usable(device, &schedules[GOOD], &problem, &reason));
	assert_string_equal("1 heads", reason.text);
	problem.heads = 2;
	assert_true(device->backend->usable(device, &schedules[GOOD], &problem, &reason));
	assert_string_equal("2 heads", reason.text);
	device_close(device);
}

/* Whether a child ends by SIGKILL, within a second or so. */
static bool is_killed(pid_t child)
{
	int status;

	for (int i = 0; i < 100; i++) {
		if (waitpid(child, &status, WNOHANG) == child)
			return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
		usleep(10000);
	}
	return false;
}

/* A killed parent takes a worker along that hangs. */
static void test_no_orphan_is_left(void **state)
{
	int ends[2];
	pid_t parent, worker = 0;

	(void)state;
	/* The orphan becomes our child. */
	assert_int_equal(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	assert_int_equal(0, pipe(ends));
	parent = fork();
	if (!parent) {
		struct fixture f;
		struct err err = {0};
		double seconds;
		int told;

		setup(&f, 60);
		told = works(&f, prepare(&f, GOOD));
		if (write(ends[1], &told, sizeof told) == sizeof told)
			f.device->backend->run(prepare(&f, HANGS), 1, &seconds, &err);
		_exit(1);
	}
	int told = 0;
	assert_int_equal(sizeof told, read(ends[0], &told, sizeof told));
	worker = told;
	assert_int_equal(0, kill(worker, 0));
	usleep(20000);
	kill(parent, SIGKILL);
	waitpid(parent, NULL, 0);
	bool killed = is_killed(worker);
	if (!killed)
		kill(worker, SIGKILL);
	assert_true(killed);
	close(ends[0]);
	close(ends[1]);
}

static void test_calls_cross(void **state)
{
	struct fixture f;
	struct ceiling ceiling = {0};
	struct reason reason;
	struct err err = {0};
	(void)state;
	setup(&f, 5);
	assert_string_equal("odd:1", f.device->info.name);
	assert_int_equal(5, f.device->info.units);
	assert_true(f.device->backend->usable(f.device, &schedules[GOOD], &f.problem, &reason));
	assert_false(f.device->backend->usable(f.device, &schedules[5], &f.problem, &reason));
	assert_string_equal("1 heads", reason.text);
	assert_null(f.device->backend->flush);
	assert_int_equal(0, f.device->backend->measure(f.device, &ceiling, &err));
	assert_true(ceiling.flops == 3 && ceiling.bytes == 4);
	struct kernel *kernel = prepare(&f, GOOD);
	assert_int_equal(17, kernel->scratch);
	assert_int_not_equal(getpid(), works(&f, kernel));
	f.device->backend->finish(kernel);
	teardown(&f);
}

/* A kernel that ends its process is named for it; one prepared before goes on in a new one. */
static void survive(int which, const char *said, enum err_kind kind, double patience)
{
	struct fixture f;
	struct err err = {0};
	double seconds;
	setup(&f, patience);
	struct kernel *good = prepare(&f, GOOD), *bad = prepare(&f, which);
	int before = works(&f, good);
	assert_int_equal(-1, f.device->backend->run(bad, 1, &seconds, &err));
	assert_int_equal(kind, err.kind);
	if (!strstr(err.text, said))
		fail_msg("'%s' does not say '%s'", err.text, said);
	f.device->backend->finish(bad);
	if (kind == ERR_TIMED_OUT || strcmp(said, "refused"))
		assert_int_not_equal(before, works(&f, good));
	else
		assert_int_equal(before, works(&f, good));
	f.device->backend->finish(good);
	teardown(&f);
}

static void test_a_crash_is_survived(void **state)
{
	(void)state;
	survive(CRASHES, "signal 11", ERR_UNAVAILABLE, 5);
}

static void test_a_hang_is_ended(void **state)
{
	(void)state;
	survive(HANGS, "no answer within", ERR_TIMED_OUT, 0.2);
}

static void test_an_exit_is_survived(void **state)
{
	(void)state;
	survive(EXITS, "status 9", ERR_UNAVAILABLE, 5);
}

static void test_a_plain_failure_keeps_the_worker(void **state)
{
	(void)state;
	survive(REFUSES, "refused", ERR_UNAVAILABLE, 5);
}

static void test_an_aborting_compiler_is_survived(void **state)
{
	struct fixture f;
	struct err err = {0};
	(void)state;
	setup(&f, 5);
	assert_null(f.device->backend->prepare(f.workload, &schedules[ABORTS_COMPILING], &err));
	assert_non_null(strstr(err.text, "signal 6"));
	struct kernel *kernel = prepare(&f, GOOD);
	works(&f, kernel);
	f.device->backend->finish(kernel);
	teardown(&f);
}

static void test_no_device_says_so(void **state)
{
	struct err err = {0};
	(void)state;
	assert_null(isolate_open(&(struct opener){odd_open, "none", 5}, &err));
	assert_int_equal(ERR_UNAVAILABLE, err.kind);
	assert_string_equal("there is no such device", err.text);
	assert_int_equal(-1, waitpid(-1, NULL, WNOHANG));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_another_problem_at_one_address),
		cmocka_unit_test(test_no_orphan_is_left),
		cmocka_unit_test(test_calls_cross),
		cmocka_unit_test(test_a_crash_is_survived),
		cmocka_unit_test(test_a_hang_is_ended),
		cmocka_unit_test(test_an_exit_is_survived),
		cmocka_unit_test(test_a_plain_failure_keeps_the_worker),
		cmocka_unit_test(test_an_aborting_compiler_is_survived),
		cmocka_unit_test(test_no_device_says_so),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
