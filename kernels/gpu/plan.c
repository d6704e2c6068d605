#include "kernels/gpu/plan.h"

#include <stdio.h>

#include "base/err.h"
#include "kernels/gpu/shared_hip.h"

static bool serves_any(const struct schedule *schedule)
{
	(void)schedule;
	return true;
}

static bool serves_plain(const struct schedule *schedule)
{
	return !schedule->matrix;
}

static bool serves_matrix(const struct schedule *schedule)
{
	return schedule->matrix;
}

static bool serves_split(const struct schedule *schedule)
{
	return schedule->split;
}

static bool serves_joined(const struct schedule *schedule)
{
	return !schedule->split;
}

/* kernels/gpu/kernels.def in lower case. */
#define serves_ANY    serves_any
#define serves_PLAIN  serves_plain
#define serves_MATRIX serves_matrix
#define serves_SPLIT  serves_split
#define serves_JOINED serves_joined

#define WARP warp /* a parameter */
#define KERNEL(entry, pass, schedules, tiled)                                                      \
	static int entry##_threads(int rows, int keys, int warp)                                   \
	{                                                                                          \
		(void)rows, (void)keys, (void)warp;                                                \
		return THREADS_##entry(rows, keys);                                                \
	}                                                                                          \
	static int64_t entry##_shared(int rows, int keys, int size)                                \
	{                                                                                          \
		(void)rows, (void)keys, (void)size;                                                \
		return SHARED_##entry(rows, keys, size);                                           \
	}                                                                                          \
	static int64_t entry##_lds(int rows, int keys, int size)                                   \
	{                                                                                          \
		(void)rows, (void)keys, (void)size;                                                \
		return LDS_##entry(rows, keys, size);                                              \
	}
#include "kernels/gpu/kernels.def"
#undef KERNEL

const struct gpu_entry gpu_entries[] = {
#define KERNEL(entry, pass, schedules, tiled)                                                      \
	{#entry, serves_##schedules, entry##_threads, {entry##_shared, entry##_lds}, PASS_##pass,  \
		tiled},
#include "kernels/gpu/kernels.def"
#undef KERNEL
};

const int gpu_entry_count = sizeof gpu_entries / sizeof *gpu_entries;

int gpu_plan(const struct schedule *schedule, const struct gpu_entry *plan[GPU_PLAN_MAX])
{
	int count = 0;

	for (int i = 0; i < gpu_entry_count; i++) {
		const struct gpu_entry *entry = &gpu_entries[i];

		if (entry->pass != schedule->pass || !entry->serves(schedule))
			continue;
		if (count == GPU_PLAN_MAX)
			bug("more than %d kernels for %s", GPU_PLAN_MAX, schedule->name);
		plan[count++] = entry;
	}
	return count;
}

int64_t gpu_plan_shared(enum gpu_maker maker, const struct schedule *schedule, enum dtype dtype)
{
	const struct gpu_entry *plan[GPU_PLAN_MAX];
	int count = gpu_plan(schedule, plan);
	int64_t most = 0;

	for (int i = 0; i < count; i++) {
		int64_t shared = gpu_entry_shared(maker, plan[i], schedule, dtype);

		if (shared > most)
			most = shared;
	}
	return most;
}

int gpu_entry_threads(const struct gpu_entry *entry, const struct schedule *schedule, int warp)
{
	return entry->threads(schedule->rows, schedule->keys, warp);
}

int64_t gpu_entry_shared(enum gpu_maker maker, const struct gpu_entry *entry,
	const struct schedule *schedule, enum dtype dtype)
{
	return entry->shared[maker](schedule->rows, schedule->keys, dtype_size(dtype));
}

static void define(struct gpu_instance *instance, int *count, const char *name, int value)
{
	snprintf(instance->text[*count], sizeof instance->text[0], "-D%s=%d", name, value);
	instance->defines[*count] = instance->text[*count];
	instance->defines[++*count] = NULL;
}

void gpu_instance_init(struct gpu_instance *instance, const struct gpu_entry *entry,
	const struct schedule *schedule, enum dtype dtype)
{
	int count = 0;

	snprintf(instance->name, sizeof instance->name, "%s_%s%s%s", entry->name, dtype_name(dtype),
		entry->tiled ? "_" : "", entry->tiled ? schedule->name : "");
	define(instance, &count, "HEAD_DIM", HEAD_DIM);
	define(instance, &count, "ELEM", dtype);
	if (entry->tiled) {
		define(instance, &count, "ROWS", schedule->rows);
		define(instance, &count, "KEYS", schedule->keys);
		define(instance, &count, "SPLIT", schedule->split);
	}
}
