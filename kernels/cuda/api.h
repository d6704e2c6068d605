/* The vendor's libraries, loaded when first asked for: no header of theirs is needed to build and
 * none of them to start. Constants are those of the CUDA driver API, NVRTC and NVML;
 * the structs stand for their opaque handles, and device addresses are pointers. */
#ifndef KERNELS_CUDA_API_H
#define KERNELS_CUDA_API_H

#include <stddef.h>

#include "base/err.h"

enum {
	CUDA_WARP_SIZE = 10,
	CUDA_MULTIPROCESSORS = 16,
	CUDA_L2_BYTES = 38,
	CUDA_CAPABILITY_MAJOR = 75,
	CUDA_CAPABILITY_MINOR = 76,
	CUDA_SHARED_OPTIN = 97,
};
#define CUDA_FUNCTION_DYNAMIC_SHARED 8
#define CUDA_STREAM_NON_BLOCKING     1
#define CUDA_RECORD_EXTERNAL         1
#define CUDA_CAPTURE_THREAD_LOCAL    1
#define CUDA_ERROR_NO_DEVICE         100
#define NVML_CLOCK_SM                1
/* Of the clock event reasons: power cap, slowdown, heat by software and hardware, power brake. */
#define NVML_HELD_DOWN 0xecull

struct cuda_context;
struct cuda_module;
struct cuda_function;
struct cuda_stream;
struct cuda_event;
struct cuda_graph;
struct cuda_graph_exec;
struct nvrtc_program;
struct nvml_device;

/* Each function returns 0 or the library's error code. */
struct cuda_api {
#define CUDA(name, symbol, arguments) int(*name) arguments;
#include "kernels/cuda/api.def"
};

struct nvrtc_api {
#define NVRTC(name, symbol, arguments) int(*name) arguments;
#include "kernels/cuda/api.def"
};

struct nvml_api {
#define NVML(name, symbol, arguments) int(*name) arguments;
#include "kernels/cuda/api.def"
};

/* NULL and a filled `err` that says what is missing and how to get it. */
const struct cuda_api *cuda_load(struct err *err);
/* The newest compiler of at most the major version the driver loads code of; any where there is no
 * driver. */
const struct nvrtc_api *nvrtc_load(struct err *err);
/* NULL where it is not to be had: nothing depends on it. */
const struct nvml_api *nvml_load(void);

#endif
