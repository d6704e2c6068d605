/* A problem's buffers in memory and a schedule's run over them. */
#ifndef KERNELS_CPU_WORKLOAD_H
#define KERNELS_CPU_WORKLOAD_H

#include "kernels/backend.h"

struct workload *cpu_upload(struct device *device, const struct problem *problem, enum pass pass,
	const struct inputs *inputs, struct err *err);
int cpu_poison(struct workload *workload, struct err *err);
int cpu_download(struct workload *workload, const struct outputs *outputs, const char **overrun,
	struct err *err);
void cpu_release(struct workload *workload);

struct kernel *cpu_prepare(
	struct workload *workload, const struct schedule *schedule, struct err *err);
int cpu_run(struct kernel *kernel, int passes, double *seconds, struct err *err);
void cpu_finish(struct kernel *kernel);

#endif
