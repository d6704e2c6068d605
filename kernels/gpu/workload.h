/* A problem's buffers on a GPU. */
#ifndef KERNELS_GPU_WORKLOAD_H
#define KERNELS_GPU_WORKLOAD_H

#include "kernels/gpu/gpu.h"

#define GPU_GUARD   INT64_C(65536) /* bytes behind each buffer that nothing may write */
#define GPU_BUFFERS 9

struct gpu_buffer {
	void *memory; /* NULL where the pass has no such buffer */
	int64_t bytes;
};

struct gpu_workload {
	struct workload workload;
	struct gpu_buffer buffers[GPU_BUFFERS]; /* by the rows of the table in workload.c */
	struct args args;                       /* all but the tiles */
};

#endif
