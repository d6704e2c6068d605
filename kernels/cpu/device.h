/* The processor as a device: a rung of the ladder and a team of threads. */
#ifndef KERNELS_CPU_DEVICE_H
#define KERNELS_CPU_DEVICE_H

#include "base/team.h"
#include "kernels/backend.h"
#include "kernels/cpu/isa.h"

struct cpu_device {
	struct device device;
	const struct cpu_isa *isa;
	struct team *team;
	float *cache_filler; /* larger than the last-level cache; NULL until the first flush */
	int64_t filler_count;
	long preempted; /* involuntary context switches when last looked at */
	int64_t stolen; /* clock ticks the host gave to others */
};

int cpu_probe(struct err *err);
struct device *cpu_open(const struct device_options *options, struct err *err);
void cpu_close(struct device *device);
int cpu_flush(struct device *device, struct err *err);
int cpu_measure(struct device *device, struct ceiling *ceiling, struct err *err);
void cpu_sense(struct device *device, struct sensed *sensed);

#endif
