#include "tune/isolate.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/stop.h"

#define MOST_KERNELS 64

enum call {
	CALL_USABLE,
	CALL_MEASURE,
	CALL_FLUSH,
	CALL_PREPARE,
	CALL_POISON,
	CALL_RUN,
	CALL_DOWNLOAD,
	CALL_FINISH
};

/* What the parent asks of the worker; schedules go by their place in the table. */
struct request {
	enum call call;
	int schedule;
	int slot; /* which prepared kernel */
	int passes;
};

/* And what comes back; members that a call does not fill are zero. */
struct reply {
	int result;
	struct err err;
	struct device_info info; /* of the greeting */
	bool can_flush, can_measure, can_sense;
	struct reason reason;
	struct ceiling ceiling;
	int64_t scratch;
	double seconds;
	struct sensed sensed; /* during a run */
	char overrun[32];
};

/* The device as the parent sees it, and the worker that stands behind it. */
struct isolated {
	struct device device;
	struct backend table; /* the slots below, less the optional ones the worker lacks */
	struct opener opener;
	pid_t worker;   /* 0: none */
	int line;       /* socket to it */
	int generation; /* counts workers */

	/* What the worker was forked with. */
	const struct problem *problem;
	enum pass pass;
	const struct inputs *inputs; /* NULL: no workload */
	struct inputs kept_inputs;
	unsigned char *shared; /* outputs cross here */
	int64_t shared_bytes;
	bool slots[MOST_KERNELS];
	struct sensed sensed; /* during the last run */
};

struct isolated_kernel {
	struct kernel kernel;
	int slot;
	int generation; /* of the worker it was prepared in */
};

/* Where each output lies in the shared memory. */
struct layout {
	int64_t out, lse, dqkv, bytes;
};

static struct layout layout_of(const struct problem *problem, enum pass pass)
{
	int64_t size = dtype_size(problem->dtype);
	struct layout layout = {0};
	if (pass == PASS_BACKWARD) {
		layout.bytes = problem_qkv_count(problem) * size;
		return layout;
	}
	layout.lse = problem_out_count(problem) * size;
	layout.bytes = layout.lse + problem_lse_count(problem) * (int64_t)sizeof(float);
	return layout;
}

/* ---- the worker ---- */

struct serving {
	struct isolated *isolated;
	struct device *device;
	struct workload *workload;
	struct kernel *kernels[MOST_KERNELS];
};

static void serve_download(struct serving *serving, struct reply *reply)
{
	const struct isolated *isolated = serving->isolated;
	struct layout layout = layout_of(isolated->problem, isolated->pass);
	struct outputs outputs = {0};
	const char *overrun = NULL;
	if (isolated->pass == PASS_BACKWARD) {
		outputs.dqkv = isolated->shared + layout.dqkv;
	} else {
		outputs.out = isolated->shared + layout.out;
		outputs.lse = (float *)(isolated->shared + layout.lse);
	}
	reply->result = serving->device->backend->download(
		serving->workload, &outputs, &overrun, &reply->err);
	if (overrun)
		snprintf(reply->overrun, sizeof reply->overrun, "%s", overrun);
}

static void serve_run(
	struct serving *serving, struct kernel *kernel, int passes, struct reply *reply)
{
	const struct backend *backend = serving->device->backend;
	if (backend->sense)
		backend->sense(serving->device, &reply->sensed);
	reply->result = backend->run(kernel, passes, &reply->seconds, &reply->err);
	if (backend->sense)
		backend->sense(serving->device, &reply->sensed);
}

static void serve(struct serving *serving, const struct request *request, struct reply *reply)
{
	const struct backend *backend = serving->device->backend;
	const struct schedule *schedule = &schedules[request->schedule];
	struct kernel **kernel = &serving->kernels[request->slot];
	switch (request->call) {
	case CALL_USABLE:
		reply->result = backend->usable(
			serving->device, schedule, serving->isolated->problem, &reply->reason);
		break;
	case CALL_MEASURE:
		reply->result = backend->measure(serving->device, &reply->ceiling, &reply->err);
		break;
	case CALL_FLUSH: reply->result = backend->flush(serving->device, &reply->err); break;
	case CALL_PREPARE:
		*kernel = backend->prepare(serving->workload, schedule, &reply->err);
		reply->result = *kernel ? 0 : -1;
		reply->scratch = *kernel ? (*kernel)->scratch : 0;
		break;
	case CALL_POISON: reply->result = backend->poison(serving->workload, &reply->err); break;
	case CALL_RUN: serve_run(serving, *kernel, request->passes, reply); break;
	case CALL_DOWNLOAD: serve_download(serving, reply); break;
	case CALL_FINISH:
		backend->finish(*kernel);
		*kernel = NULL;
		break;
	}
}

/* Opens the device and the workload, greets, and answers until the parent hangs up. */
_Noreturn static void work(struct isolated *isolated, int line)
{
	struct serving serving = {.isolated = isolated};
	struct request request;
	struct reply reply = {0};
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		signal(faults[i], SIG_DFL);
	/* Ctrl-C is the parent's to answer, and its death is ours. */
	signal(SIGINT, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	serving.device = isolated->opener.open(isolated->opener.context, &reply.err);
	reply.result = serving.device ? 0 : -1;
	if (serving.device) {
		const struct backend *backend = serving.device->backend;
		reply.info = serving.device->info;
		reply.can_flush = backend->flush != NULL;
		reply.can_measure = backend->measure != NULL;
		reply.can_sense = backend->sense != NULL;
		if (isolated->inputs) {
			serving.workload = backend->upload(serving.device, isolated->problem,
				isolated->pass, isolated->inputs, &reply.err);
			reply.result = serving.workload ? 0 : -1;
		}
	}
	bool opened = !reply.result;
	while (write(line, &reply, sizeof reply) == (ssize_t)sizeof reply && opened &&
		read(line, &request, sizeof request) == (ssize_t)sizeof request) {
		memset(&reply, 0, sizeof reply);
		serve(&serving, &request, &reply);
	}
	_exit(0);
}

/* ---- the parent ---- */

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
	double work = isolated->inputs ? problem_flops(isolated->problem, isolated->pass) : 0;
	return isolated->opener.patience + passes * work / LEAST_FLOPS;
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
		work(isolated, ends[1]);
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

static bool isolated_usable(const struct device *device, const struct schedule *schedule,
	const struct problem *problem, struct reason *reason)
{
	struct isolated *isolated = (struct isolated *)device;
	struct reply reply = {0};
	struct err err = {0};
	if (isolated->problem != problem) {
		worker_end(isolated);
		isolated->problem = problem;
		isolated->inputs = NULL;
	}
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

static void isolated_release(struct workload *workload)
{
	struct isolated *isolated = (struct isolated *)workload->device;
	worker_end(isolated);
	if (isolated->shared)
		munmap(isolated->shared, (size_t)isolated->shared_bytes);
	isolated->shared = NULL;
	isolated->problem = NULL;
	isolated->inputs = NULL;
	mem_free(workload);
}

static struct workload *isolated_upload(struct device *device, const struct problem *problem,
	enum pass pass, const struct inputs *inputs, struct err *err)
{
	struct isolated *isolated = (struct isolated *)device;
	struct reply greeting = {0};
	struct workload *workload = mem_new(1, sizeof *workload, "the workload", err);
	if (!workload)
		return NULL;
	*workload = (struct workload){device, problem, pass};
	isolated->problem = problem;
	isolated->pass = pass;
	isolated->kept_inputs = *inputs;
	isolated->inputs = &isolated->kept_inputs;
	isolated->shared_bytes = layout_of(problem, pass).bytes + 1;
	isolated->shared = mmap(NULL, (size_t)isolated->shared_bytes, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	memset(isolated->slots, 0, sizeof isolated->slots);
	if (isolated->shared == MAP_FAILED) {
		isolated->shared = NULL;
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
		if (++kernel->slot == MOST_KERNELS)
			bug("more than %d kernels prepared at once", MOST_KERNELS);
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

static int isolated_download(struct workload *workload, const struct outputs *outputs,
	const char **overrun, struct err *err)
{
	/* What overran is said in words that outlive the reply. */
	static const char *const known[] = {
		"qkv", "cos", "sin", "dout", "out", "lse", "dqkv", "a work buffer"};
	const struct isolated *isolated = (struct isolated *)workload->device;
	struct layout layout = layout_of(workload->problem, workload->pass);
	struct reply reply = {0};
	if (call_simply(workload->device, CALL_DOWNLOAD, &reply, err))
		return -1;
	size_t place = 0, last = sizeof known / sizeof *known - 1;
	while (place < last && strcmp(known[place], reply.overrun))
		place++;
	*overrun = *reply.overrun ? known[place] : NULL;
	if (outputs->dqkv)
		memcpy(outputs->dqkv, isolated->shared + layout.dqkv, (size_t)layout.bytes);
	if (outputs->out)
		memcpy(outputs->out, isolated->shared + layout.out, (size_t)layout.lse);
	if (outputs->lse)
		memcpy(outputs->lse, isolated->shared + layout.lse,
			(size_t)(layout.bytes - layout.lse));
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
	isolated->opener = *opener;
	if (worker_start(isolated, &greeting, err)) {
		isolated_close(&isolated->device);
		return NULL;
	}
	isolated->table = (struct backend){
		.name = "isolated",
		.summary = "a device in a process of its own",
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
