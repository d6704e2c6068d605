#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/stop.h"
#include "tune/worker.h"

/* The device as the parent sees it, and the worker that stands behind it. */
struct isolated {
	struct device device;
	struct backend table;       /* the slots below, less the optional ones the worker lacks */
	pid_t worker;               /* 0: none */
	int line;                   /* socket to it */
	int generation;             /* counts workers */
	struct errand errand;       /* what the worker is forked with */
	uint64_t identity;          /* of its problem */
	struct inputs inputs;       /* of the errand */
	bool slots[WORKER_KERNELS]; /* taken by kernels */
	struct sensed sensed;       /* during the last run */
	char overrun[32];           /* found by the last download */
};

struct isolated_kernel {
	struct kernel kernel;
	int slot;
	int generation; /* of the worker it was prepared in */
};

static void worker_end(struct isolated *isolated)
{
	if (!isolated->worker)
		return;
	close(isolated->line);
	kill(isolated->worker, SIGKILL);
	while (waitpid(isolated->worker, NULL, 0) < 0 && errno == EINTR)
		;
	isolated->worker = 0;
}

/* Says what ended a worker that hung up, and forgets it. */
static int worker_died(struct isolated *isolated, struct err *err)
{
	int status = 0;
	while (waitpid(isolated->worker, &status, 0) < 0 && errno == EINTR)
		;
	close(isolated->line);
	isolated->worker = 0;
	if (WIFSIGNALED(status))
		return err_set(err, ERR_UNAVAILABLE,
			"the kernel's process was ended by signal %d "
			"(%s)",
			WTERMSIG(status), strsignal(WTERMSIG(status)));
	return err_set(err, ERR_UNAVAILABLE, "the kernel's process exited with status %d",
		WEXITSTATUS(status));
}

/* A kernel slower than this is taken to hang. */
#define LEAST_FLOPS 1e9

/* Seconds a call of `passes` passes may take. */
static double patience(const struct isolated *isolated, int passes)
{
	const struct errand *errand = &isolated->errand;
	double work = errand->inputs ? problem_flops(errand->problem, errand->pass) : 0;
	return errand->opener.patience + passes * work / LEAST_FLOPS;
}

/* Reads one reply, killing a worker that takes too long or is no longer wanted. */
static int await(struct isolated *isolated, int passes, struct reply *reply, struct err *err)
{
	double allowed = patience(isolated, passes), until = clock_seconds() + allowed;
	size_t had = 0;
	while (had < sizeof *reply) {
		struct pollfd line = {.fd = isolated->line, .events = POLLIN};
		double left = until - clock_seconds();
		if (stop_asked()) {
			worker_end(isolated);
			return err_set(err, ERR_INTERRUPTED, "interrupted");
		}
		if (left <= 0) {
			worker_end(isolated);
			return err_set(err, ERR_TIMED_OUT,
				"no answer within %g s; the kernel's "
				"process was stopped",
				allowed);
		}
		if (poll(&line, 1, left < 0.1 ? 1 + (int)(left * 1e3) : 100) <= 0)
			continue;
		ssize_t got = read(isolated->line, (char *)reply + had, sizeof *reply - had);
		if (got > 0)
			had += (size_t)got;
		else if (!(got < 0 && errno == EINTR))
			return worker_died(isolated, err);
	}
	if (reply->result < 0)
		*err = reply->err;
	return reply->result < 0 ? -1 : 0;
}

static int worker_start(struct isolated *isolated, struct reply *greeting, struct err *err)
{
	int ends[2];
	worker_end(isolated);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return err_set(err, ERR_UNAVAILABLE, "no socket for the kernel's process: %s",
			strerror(errno));
	fflush(NULL);
	isolated->errand.parent = getpid();
	isolated->worker = fork();
	if (isolated->worker < 0) {
		isolated->worker = 0;
		close(ends[0]);
		close(ends[1]);
		return err_set(
			err, ERR_UNAVAILABLE, "no process for the kernel: %s", strerror(errno));
	}
	if (!isolated->worker) {
		close(ends[0]);
		worker_main(&isolated->errand, ends[1]);
	}
	close(ends[1]);
	isolated->line = ends[0];
	isolated->generation++;
	return await(isolated, 1, greeting, err);
}

/* One call, in a worker started anew if the last one died. */
static int ask(struct isolated *isolated, const struct request *request, struct reply *reply,
	struct err *err)
{
	if (!isolated->worker && worker_start(isolated, reply, err))
		return -1;
	if (send(isolated->line, request, sizeof *request, MSG_NOSIGNAL) != sizeof *request)
		return worker_died(isolated, err);
	return await(isolated, request->passes, reply, err);
}

static int call_simply(struct device *device, enum call call, struct reply *reply, struct err *err)
{
	return ask((struct isolated *)device, &(struct request){.call = call}, reply, err);
}

/* Problems may come and go at one address. */
static uint64_t identity_of(const struct problem *problem)
{
	int64_t sizes[] = {problem->dtype, problem->heads, problem->window};
	return hash_bytes(hash_bytes(HASH_SEED, sizes, sizeof sizes), problem->lens,
		(size_t)problem->count * sizeof *problem->lens);
}

/* A worker that knows `problem`: the one at hand while there is a workload of it. */
static void face(struct isolated *isolated, const struct problem *problem)
{
	struct errand *errand = &isolated->errand;
	uint64_t identity = 0;
	if (errand->inputs && errand->problem == problem)
		return;
	identity = identity_of(problem);
	if (errand->inputs || errand->problem != problem || isolated->identity != identity)
		worker_end(isolated);
	errand->problem = problem;
	errand->inputs = NULL;
	isolated->identity = identity;
}

static bool isolated_usable(const struct device *device, const struct schedule *schedule,
	const struct problem *problem, struct reason *reason)
{
	struct isolated *isolated = (struct isolated *)device;
	struct reply reply = {0};
	struct err err = {0};
	face(isolated, problem);
	struct request request = {.call = CALL_USABLE, .schedule = (int)(schedule - schedules)};
	if (ask(isolated, &request, &reply, &err)) {
		snprintf(reason->text, sizeof reason->text, "%.*s", (int)sizeof reason->text - 1,
			err.text);
		return false;
	}
	*reason = reply.reason;
	return reply.result;
}

static int isolated_measure(struct device *device, struct ceiling *ceiling, struct err *err)
{
	struct reply reply = {0};
	if (call_simply(device, CALL_MEASURE, &reply, err))
		return -1;
	*ceiling = reply.ceiling;
	return 0;
}

static int isolated_flush(struct device *device, struct err *err)
{
	struct reply reply = {0};
	return call_simply(device, CALL_FLUSH, &reply, err);
}

/* Shared memory of at least one byte: an empty problem has outputs of none. */
static size_t shared_room(const struct problem *problem, enum pass pass)
{
	return (size_t)shared_bytes(problem, pass) + 1;
}

static void isolated_release(struct workload *workload)
{
	struct isolated *isolated = (struct isolated *)workload->device;
	struct errand *errand = &isolated->errand;
	worker_end(isolated);
	if (errand->shared)
		munmap(errand->shared, shared_room(workload->problem, workload->pass));
	errand->shared = NULL;
	errand->problem = NULL;
	errand->inputs = NULL;
	mem_free(workload);
}

static struct workload *isolated_upload(struct device *device, const struct problem *problem,
	enum pass pass, const struct inputs *inputs, struct err *err)
{
	struct isolated *isolated = (struct isolated *)device;
	struct errand *errand = &isolated->errand;
	struct reply greeting = {0};
	struct workload *workload = mem_new(1, sizeof *workload, "the workload", err);
	if (!workload)
		return NULL;
	*workload = (struct workload){device, problem, pass};
	isolated->inputs = *inputs;
	memset(isolated->slots, 0, sizeof isolated->slots);
	errand->problem = problem;
	errand->pass = pass;
	errand->inputs = &isolated->inputs;
	errand->shared = mmap(NULL, shared_room(problem, pass), PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (errand->shared == MAP_FAILED) {
		errand->shared = NULL;
		err_set(err, ERR_UNAVAILABLE, "no shared memory for the outputs: %s",
			strerror(errno));
		goto fail;
	}
	if (worker_start(isolated, &greeting, err))
		goto fail;
	return workload;
fail:
	isolated_release(workload);
	return NULL;
}

/* Prepares the kernel in the worker at hand; again when that is another than before. */
static int settle(struct isolated_kernel *kernel, struct err *err)
{
	struct isolated *isolated = (struct isolated *)kernel->kernel.workload->device;
	struct reply reply = {0};
	if (isolated->worker && kernel->generation == isolated->generation)
		return 0;
	struct request request = {.call = CALL_PREPARE,
		.slot = kernel->slot,
		.schedule = (int)(kernel->kernel.schedule - schedules)};
	if (ask(isolated, &request, &reply, err))
		return -1;
	kernel->generation = isolated->generation;
	kernel->kernel.scratch = reply.scratch;
	return 0;
}

static struct kernel *isolated_prepare(
	struct workload *workload, const struct schedule *schedule, struct err *err)
{
	struct isolated *isolated = (struct isolated *)workload->device;
	struct isolated_kernel *kernel = mem_new(1, sizeof *kernel, "the kernel", err);
	if (!kernel)
		return NULL;
	kernel->kernel = (struct kernel){.workload = workload, .schedule = schedule};
	while (isolated->slots[kernel->slot])
		if (++kernel->slot == WORKER_KERNELS)
			bug("more than %d kernels prepared at once", WORKER_KERNELS);
	if (settle(kernel, err)) {
		mem_free(kernel);
		return NULL;
	}
	isolated->slots[kernel->slot] = true;
	return &kernel->kernel;
}

static int isolated_poison(struct workload *workload, struct err *err)
{
	struct reply reply = {0};
	return call_simply(workload->device, CALL_POISON, &reply, err);
}

static int isolated_run(struct kernel *base, int passes, double *seconds, struct err *err)
{
	struct isolated_kernel *kernel = (struct isolated_kernel *)base;
	struct reply reply = {0};
	struct request request = {.call = CALL_RUN, .slot = kernel->slot, .passes = passes};
	if (settle(kernel, err) ||
		ask((struct isolated *)base->workload->device, &request, &reply, err))
		return -1;
	*seconds = reply.seconds;
	((struct isolated *)base->workload->device)->sensed = reply.sensed;
	return 0;
}

/* The worker looked before and after the run itself. */
static void isolated_sense(struct device *device, struct sensed *sensed)
{
	*sensed = ((struct isolated *)device)->sensed;
}

static void copy_out(void *to, const void *from, int64_t count, int size)
{
	if (to && from)
		memcpy(to, from, (size_t)count * (size_t)size);
}

static int isolated_download(struct workload *workload, const struct outputs *outputs,
	const char **overrun, struct err *err)
{
	struct isolated *isolated = (struct isolated *)workload->device;
	const struct problem *problem = workload->problem;
	const struct outputs shared = shared_outputs(&isolated->errand);
	int size = dtype_size(problem->dtype);
	struct reply reply = {0};
	if (call_simply(workload->device, CALL_DOWNLOAD, &reply, err))
		return -1;
	snprintf(isolated->overrun, sizeof isolated->overrun, "%s", reply.overrun);
	*overrun = *isolated->overrun ? isolated->overrun : NULL;
	copy_out(outputs->out, shared.out, problem_out_count(problem), size);
	copy_out(outputs->lse, shared.lse, problem_lse_count(problem), sizeof(float));
	copy_out(outputs->dqkv, shared.dqkv, problem_qkv_count(problem), size);
	return 0;
}

static void isolated_finish(struct kernel *base)
{
	struct isolated_kernel *kernel = (struct isolated_kernel *)base;
	struct isolated *isolated = (struct isolated *)base->workload->device;
	struct request request = {.call = CALL_FINISH, .slot = kernel->slot};
	struct reply reply;
	struct err ignored;
	if (isolated->worker && kernel->generation == isolated->generation)
		ask(isolated, &request, &reply, &ignored);
	isolated->slots[kernel->slot] = false;
	mem_free(kernel);
}

static void isolated_close(struct device *device)
{
	worker_end((struct isolated *)device);
	mem_free(device);
}

struct device *isolate_open(const struct opener *opener, struct err *err)
{
	struct reply greeting = {0};
	struct isolated *isolated = mem_new(1, sizeof *isolated, "the device", err);
	if (!isolated)
		return NULL;
	isolated->errand.opener = *opener;
	if (worker_start(isolated, &greeting, err)) {
		isolated_close(&isolated->device);
		return NULL;
	}
	isolated->table = (struct backend){
		.name = "isolated",
		.summary = "a device in a process of its own",
		.emulated = greeting.emulated,
		.close = isolated_close,
		.usable = isolated_usable,
		.upload = isolated_upload,
		.prepare = isolated_prepare,
		.poison = isolated_poison,
		.run = isolated_run,
		.download = isolated_download,
		.finish = isolated_finish,
		.release = isolated_release,
		.flush = greeting.can_flush ? isolated_flush : NULL,
		.measure = greeting.can_measure ? isolated_measure : NULL,
		.sense = greeting.can_sense ? isolated_sense : NULL,
	};
	isolated->device.backend = &isolated->table;
	isolated->device.info = greeting.info;
	return &isolated->device;
}
