/* The kernels a pass is made of: which ones, how they are compiled, how they are launched. */
#ifndef KERNELS_GPU_PLAN_H
#define KERNELS_GPU_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "kernels/schedule.h"

/* Whose kernels: each has a folder of its own and lays out shared memory in its own way. */
enum gpu_maker { GPU_NVIDIA, GPU_AMD, GPU_MAKERS };

/* A row of kernels/gpu/kernels.def. */
struct gpu_entry {
	const char *name;
	bool (*serves)(const struct schedule *schedule); /* among those of its pass */
	int (*threads)(int rows, int keys, int warp);
	int64_t (*shared[GPU_MAKERS])(int rows, int keys, int size);
	enum pass pass;
	bool tiled;
};

extern const struct gpu_entry gpu_entries[];
extern const int gpu_entry_count;

#define GPU_PLAN_MAX 4 /* kernels a pass */

/* The kernels of a pass in the order of their launch. Returns how many. */
int gpu_plan(const struct schedule *schedule, const struct gpu_entry *plan[GPU_PLAN_MAX]);

/* The largest shared memory a block of the pass's kernels takes. */
int64_t gpu_plan_shared(enum gpu_maker maker, const struct schedule *schedule, enum dtype dtype);

/* `warp` lanes make a warp. */
int gpu_entry_threads(const struct gpu_entry *entry, const struct schedule *schedule, int warp);
int64_t gpu_entry_shared(enum gpu_maker maker, const struct gpu_entry *entry,
	const struct schedule *schedule, enum dtype dtype);

/* What an entry is compiled as. */
struct gpu_instance {
	char name[64]; /* "attend_bf16_r64_c32", "delta_bf16" */
	char text[5][24];
	const char *defines[6]; /* into `text`; NULL at the end */
};

void gpu_instance_init(struct gpu_instance *instance, const struct gpu_entry *entry,
	const struct schedule *schedule, enum dtype dtype);

#endif
