#include "tune/worker.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static int64_t out_bytes(const struct problem *problem)
{
	return problem_out_count(problem) * dtype_size(problem->dtype);
}

int64_t shared_bytes(const struct problem *problem, enum pass pass)
{
	if (pass == PASS_BACKWARD)
		return problem_qkv_count(problem) * dtype_size(problem->dtype);
	return out_bytes(problem) + problem_lse_count(problem) * (int64_t)sizeof(float);
}

struct outputs shared_outputs(const struct errand *errand)
{
	unsigned char *shared = errand->shared;
	if (errand->pass == PASS_BACKWARD)
		return (struct outputs){.dqkv = shared};
	return (struct outputs){
		.out = shared, .lse = (float *)(shared + out_bytes(errand->problem))};
}

struct serving {
	const struct errand *errand;
	struct device *device;
	struct workload *workload;
	struct kernel *kernels[WORKER_KERNELS];
};

static void serve_download(struct serving *serving, struct reply *reply)
{
	struct outputs outputs = shared_outputs(serving->errand);
	const char *overrun = NULL;
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
			serving->device, schedule, serving->errand->problem, &reply->reason);
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

/* Faults end the process, whatever handlers the parent had; Ctrl-C is the parent's to answer, and
 * its death is ours. */
static void settle_signals(pid_t parent)
{
	static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTERM};
	for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
		signal(faults[i], SIG_DFL);
	signal(SIGINT, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

static void greet(struct serving *serving, struct reply *reply)
{
	const struct errand *errand = serving->errand;
	reply->result = -1;
	serving->device = errand->opener.open(errand->opener.context, &reply->err);
	if (!serving->device)
		return;
	const struct backend *backend = serving->device->backend;
	reply->info = serving->device->info;
	reply->can_flush = backend->flush != NULL;
	reply->can_measure = backend->measure != NULL;
	reply->can_sense = backend->sense != NULL;
	reply->emulated = backend->emulated;
	if (errand->inputs)
		serving->workload = backend->upload(serving->device, errand->problem, errand->pass,
			errand->inputs, &reply->err);
	reply->result = errand->inputs && !serving->workload ? -1 : 0;
}

_Noreturn void worker_main(const struct errand *errand, int line)
{
	struct serving serving = {.errand = errand};
	struct request request;
	struct reply reply = {0};
	settle_signals(errand->parent);
	greet(&serving, &reply);
	bool open = !reply.result;
	while (write(line, &reply, sizeof reply) == (ssize_t)sizeof reply && open &&
		read(line, &request, sizeof request) == (ssize_t)sizeof request) {
		memset(&reply, 0, sizeof reply);
		serve(&serving, &request, &reply);
	}
	_exit(0);
}
