/* The process that a device is isolated in (tune/isolate.h): what it is asked and how it answers.
 */
#ifndef TUNE_WORKER_H
#define TUNE_WORKER_H

#include <sys/types.h>

#include "tune/isolate.h"

#define WORKER_KERNELS 64 /* prepared at once */

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

/* What the parent asks; schedules go by their place in the table. */
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
	bool can_flush, can_measure, can_sense, emulated;
	struct reason reason;
	struct ceiling ceiling;
	int64_t scratch;
	double seconds;
	struct sensed sensed; /* during a run */
	char overrun[32];
};

/* What a worker is forked with. */
struct errand {
	pid_t parent;
	struct opener opener;
	const struct problem *problem;
	enum pass pass;
	const struct inputs *inputs; /* NULL: no workload */
	unsigned char *shared;       /* outputs cross here */
};

/* Bytes of shared memory for the outputs of a pass, and where each lies in it. */
int64_t shared_bytes(const struct problem *problem, enum pass pass);
struct outputs shared_outputs(const struct errand *errand);

/* Opens the device and the workload, greets with a reply on the socket `line`, and answers one
 * reply a request until the parent hangs up. */
_Noreturn void worker_main(const struct errand *errand, int line);

#endif
