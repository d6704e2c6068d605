/* A device in a process of its own, so that a kernel, a compiler or a driver that crashes, hangs or
 * aborts is an error to record and not the end of the run.
 *
 * What isolate_open gives back is used like any other device. Its calls are carried out by a worker
 * forked for each workload, which inherits problem and tensors and shares only the outputs; when
 * the worker dies, the call fails with what killed it, and the next one starts a new worker in
 * which the remaining kernels are prepared again. */
#ifndef TUNE_ISOLATE_H
#define TUNE_ISOLATE_H

#include "kernels/backend.h"

/* Opens the real device; runs in the worker. */
struct opener {
	struct device *(*open)(const void *context, struct err *err);
	const void *context;
	double patience; /* seconds a call may take before the worker is killed: ERR_TIMED_OUT */
};

/* `opener` is copied; its context must outlive the device. NULL and a filled `err` on failure. */
struct device *isolate_open(const struct opener *opener, struct err *err);

#endif
