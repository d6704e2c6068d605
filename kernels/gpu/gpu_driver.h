/* What the GPU backend needs of a vendor's driver and run-time compiler, or of the emulator that
 * stands in for both: a table of functions, one a vendor. */
#ifndef KERNELS_GPU_GPU_DRIVER_H
#define KERNELS_GPU_GPU_DRIVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "kernels/backend.h"
#include "kernels/gpu/args.h"
#include "kernels/gpu/plan.h"

struct gpu_device;   /* an open device with one stream of work; the driver's own */
struct gpu_module;   /* loaded code */
struct gpu_function; /* an entry of it */
struct gpu_graph;    /* captured work */

/* What the backend has to know of a device. */
struct gpu_limits {
	char model[128];       /* "NVIDIA H200" */
	char architecture[32]; /* what compile takes: "sm_90" */
	char driver[96];       /* "CUDA 13.0, driver 580.65" */
	int units;             /* multiprocessors */
	int warp;              /* lanes */
	int64_t memory;        /* bytes */
	int64_t cache;         /* bytes of the last-level cache */
	int64_t shared;        /* most shared memory a block may ask for */
	bool matrix;           /* has the register-level matrix unit the m schedules need */
};

/* A named text: a kernel's source, or a header as its #include line names it. */
struct gpu_text {
	const char *name;
	const char *text;
};

/* One kernel to compile. */
struct gpu_source {
	const char *instance; /* "attend_bf16_r64_c32": unique, and a C identifier */
	const char *entry;    /* "attend" */
	struct gpu_text kernel;
	const struct gpu_text *headers;
	int header_count;
	const char *const *defines; /* "-DROWS=64", ...; NULL at the end */
};

/* Compiled code; mem_free releases the bytes. */
struct gpu_code {
	void *bytes;
	int64_t count;
};

struct gpu_launch {
	unsigned grid[2]; /* blocks: tiles, heads */
	unsigned threads; /* of a block */
	int64_t shared;   /* bytes of dynamic shared memory a block */
	const struct args *args;
};

enum gpu_mark { GPU_START, GPU_STOP };

struct gpu_driver {
	enum gpu_maker maker;
	const char *folder;         /* of its kernels: "kernels/cuda/" */
	const char *const *headers; /* folders of the headers they include; NULL at the end */

	/* The compiler's own options, part of what compiled code is cached by; NULL at the end. */
	const char *const *options;

	/* How many devices there are; -1 and a filled `err` that says what is missing and how to
	 * get it when there are none. */
	int (*probe)(struct err *err);
	/* NULL and a filled `err` on failure. */
	struct gpu_device *(*open)(
		const struct device_options *options, struct gpu_limits *limits, struct err *err);
	void (*close)(struct gpu_device *device);

	/* Device memory, at least 256-byte aligned: `bytes` for kernels to use, then `guard` bytes
	 * that copies and fills may touch and kernels must not. NULL and a filled `err` on failure.
	 */
	void *(*alloc)(struct gpu_device *device, int64_t bytes, int64_t guard, struct err *err);
	void (*free)(struct gpu_device *device, void *memory); /* NULL is fine */
	/* In the order of the stream; the host's memory is free to change on return. */
	int (*copy_in)(struct gpu_device *device, void *to, const void *from, int64_t bytes,
		struct err *err);
	int (*copy_out)(struct gpu_device *device, void *to, const void *from, int64_t bytes,
		struct err *err);
	int (*fill)(
		struct gpu_device *device, void *memory, int byte, int64_t bytes, struct err *err);

	/* The compiler and its version, "NVRTC 13.0"; -1 and a filled `err` when there is none. */
	int (*compiler)(char text[96], struct err *err);
	/* Compiles for `architecture`; no device need be open. Appends what the compiler said to
	 * `log` (NULL: dropped). On failure -1, with the first error in `err`. */
	int (*compile)(const struct gpu_source *source, const char *architecture,
		struct gpu_code *code, struct str *log, struct err *err);
	/* Optional: code for `source` that came with the tool, asked for first unless the sources
	 * come from a folder; never cached. False where there is none. */
	bool (*builtin)(const struct gpu_source *source, struct gpu_code *code);

	struct gpu_module *(*load)(
		struct gpu_device *device, const struct gpu_code *code, struct err *err);
	void (*unload)(struct gpu_device *device, struct gpu_module *module); /* NULL is fine */
	/* The entry of `source` in `module`, allowed `shared` bytes of dynamic shared memory; owned
	 * by the module. NULL and a filled `err` on failure. */
	struct gpu_function *(*function)(struct gpu_device *device, struct gpu_module *module,
		const struct gpu_source *source, int64_t shared, struct err *err);

	/* Enqueues; what goes wrong on the device may only show at the next `wait`. */
	int (*launch)(struct gpu_device *device, struct gpu_function *function,
		const struct gpu_launch *launch, struct err *err);
	/* Waits for all that was enqueued; a fault on the device is a failure. */
	int (*wait)(struct gpu_device *device, struct err *err);

	/* Enqueues a reading of the device's clock; under capture a node of the graph. */
	int (*mark)(struct gpu_device *device, enum gpu_mark mark, struct err *err);
	/* Waits; seconds between the last two marks. */
	int (*elapsed)(struct gpu_device *device, double *seconds, struct err *err);

	/* Optional, all or none: work between begin and end is recorded and not run. */
	int (*capture_begin)(struct gpu_device *device, struct err *err);
	struct gpu_graph *(*capture_end)(struct gpu_device *device, struct err *err);
	int (*replay)(struct gpu_device *device, struct gpu_graph *graph, struct err *err);
	void (*graph_free)(struct gpu_device *device, struct gpu_graph *graph); /* NULL is fine */

	/* Optional: empties the last-level cache. */
	int (*flush)(struct gpu_device *device, struct err *err);
	/* Optional: what befell the device since the last look. */
	void (*sense)(struct gpu_device *device, struct sensed *sensed);
};

#endif
