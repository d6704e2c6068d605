/* AMD's libraries, loaded when first asked for. Constants are those of HIP since version 5; the
 * structs stand for its opaque handles. */
#ifndef KERNELS_HIP_API_H
#define KERNELS_HIP_API_H

#include <stddef.h>

#include "base/err.h"

enum {
	HIP_L2_BYTES = 19,
	HIP_COMPUTE_UNITS = 63,
	HIP_SHARED_BYTES = 74,
	HIP_WAVE_SIZE = 87,
};
#define HIP_STREAM_NON_BLOCKING  1
#define HIP_CAPTURE_THREAD_LOCAL 1
#define HIP_ERROR_NO_DEVICE      100
#define HIP_ERROR_INVALID_DEVICE 101 /* what version 5 says instead */

struct hip_module;
struct hip_function;
struct hip_stream;
struct hip_event;
struct hip_graph;
struct hip_graph_exec;
struct hiprtc_program;

struct hip_api {
#define HIP(name, symbol, arguments) int(*name) arguments;
#define HIP_TEXT(name, symbol)       const char *(*name)(int error);
#include "kernels/hip/api.def"
	/* Its name differs between releases. */
	int (*device_properties)(void *properties, int device);
};

struct hiprtc_api {
#define HIPRTC(name, symbol, arguments) int(*name) arguments;
#include "kernels/hip/api.def"
};

/* The runtime, started. NULL and a filled `err` that says what is missing and how to get it. */
const struct hip_api *hip_load(struct err *err);
/* The compiler that came with it. */
const struct hiprtc_api *hiprtc_load(struct err *err);

#endif
