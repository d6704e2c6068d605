/* What the tuner needs of a device: a table of functions a backend fills, one row in the registry
 * (kernels/backend.c). Objects nest: device > workload > kernel; the outer outlives the inner. */
#ifndef KERNELS_BACKEND_H
#define KERNELS_BACKEND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/problem.h"
#include "kernels/schedule.h"

struct backend;

/* How to open a device; zero means the backend's choice. A backend refuses with ERR_USAGE what it
 * does not have (an unknown `isa`, say). */
struct device_options {
	int index;              /* which of its devices */
	int threads;            /* CPU */
	const char *isa;        /* CPU: force a rung of the instruction-set ladder */
	const char *emu;        /* emulators: the architecture to stand in for, "sm_80" */
	const char *kernel_dir; /* GPUs: sources here take the place of those of the same name */
};

/* What a device is; these words and no others reach the reports and the store. */
struct device_info {
	char name[32];         /* what --device takes: "cpu", "cuda:1" */
	char model[128];       /* "AMD EPYC 9354" */
	char architecture[64]; /* "avx512", "sm_90" */
	int units;             /* threads or multiprocessors */
	int64_t memory;        /* bytes, the host's or the device's */
	char code[24];         /* hash of the kernels' source and flags */
	char compiler[128];
	char driver[128]; /* empty where there is none */
};

/* The first member of every backend's own device. */
struct device {
	const struct backend *backend;
	struct device_info info;
};

/* The tensors a workload is made of: what oracle and generator made, in the problem's type.
 * `out` and `lse` are read by the backward pass only and may be NULL for the forward. */
struct inputs {
	const void *qkv, *dout, *out;
	const float *lse, *cos, *sin;
};

/* Where a download goes; a NULL member is left out. */
struct outputs {
	void *out;
	float *lse;
	void *dqkv;
};

/* One problem's buffers on a device; the first member of every backend's own. */
struct workload {
	struct device *device;
	const struct problem *problem;
	enum pass pass;
};

/* A schedule ready to run on a workload; the first member of every backend's own. */
struct kernel {
	struct workload *workload;
	const struct schedule *schedule;
	int64_t scratch; /* bytes of shared memory a block, or of workspace a thread */
};

/* Why a predicate said no, in a few words without a full stop: "needs a matrix unit". */
struct reason {
	char text[160];
};

/* Rates measured on the device as opened, for the floor of a problem. */
struct ceiling {
	double flops;        /* matrix or fused multiply-add, f32, per second */
	double exponentials; /* per second */
	double bytes;        /* memory, per second */
	bool apart;          /* exponentials have a unit of their own, beside the one for flops */
};

/* What befell a device between two looks at it. */
struct sensed {
	bool contended; /* other work had the processor */
	bool throttled; /* the clock was held down by heat or power */
	double clock;   /* Hz; 0 when unknown */
};

struct backend {
	const char *name;    /* what --device takes before ":N" */
	const char *summary; /* one line for `pattn devices` */
	bool emulated;       /* proves results; its times mean nothing */

	/* How many devices there are; -1 and a filled `err` that says what is missing and how to
	 * get it when there are none. Opens nothing that stays open. */
	int (*probe)(struct err *err);
	/* NULL and a filled `err` on failure. */
	struct device *(*open)(const struct device_options *options, struct err *err);
	void (*close)(struct device *device);

	/* Whether `schedule` can run `problem` here; pure, and says why not. */
	bool (*usable)(const struct device *device, const struct schedule *schedule,
		const struct problem *problem, struct reason *reason);

	/* Buffers for one pass of `problem`, inputs copied in; outputs and guard bands poisoned.
	 * `problem` and the tensors of `inputs` must outlive it. NULL and a filled `err` on
	 * failure. */
	struct workload *(*upload)(struct device *device, const struct problem *problem,
		enum pass pass, const struct inputs *inputs, struct err *err);
	/* Compiles and lays out `schedule`, which is usable. NULL and a filled `err` on failure. */
	struct kernel *(*prepare)(
		struct workload *workload, const struct schedule *schedule, struct err *err);
	/* Fills outputs and accumulators with NaN and renews the guard bands. */
	int (*poison)(struct workload *workload, struct err *err);
	/* `passes` whole passes back to back; `*seconds` for all of them by the device's clock. */
	int (*run)(struct kernel *kernel, int passes, double *seconds, struct err *err);
	/* Copies the outputs back. `*overrun` becomes the name of a buffer whose guard band was
	 * written, or NULL. */
	int (*download)(struct workload *workload, const struct outputs *outputs,
		const char **overrun, struct err *err);
	void (*finish)(struct kernel *kernel);      /* undoes prepare */
	void (*release)(struct workload *workload); /* undoes upload */

	/* Optional. */
	int (*flush)(struct device *device, struct err *err); /* empties the last-level cache */
	int (*measure)(struct device *device, struct ceiling *ceiling, struct err *err);
	void (*sense)(struct device *device, struct sensed *sensed); /* since the last call */
};

/* The registry, best device first: what `auto` tries in order. */
extern const struct backend *const backends[];
extern const int backend_count;

/* Opens what `--device` names: "auto" or a backend's name, with ":N" for its Nth device. An unknown
 * name is ERR_USAGE, a device that cannot be had ERR_UNAVAILABLE. */
struct device *device_open(const char *name, struct device_options options, struct err *err);
void device_close(struct device *device); /* NULL is fine */

#endif
