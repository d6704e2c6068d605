/* One backend for every GPU: what it does to run attention over any `struct gpu_driver`. */
#ifndef KERNELS_GPU_GPU_H
#define KERNELS_GPU_GPU_H

#include "kernels/backend.h"
#include "kernels/gpu/gpu_driver.h"
#include "kernels/gpu/sources.h"

/* An open device. */
struct gpu {
	struct device device;
	const struct gpu_driver *driver;
	struct gpu_device *handle;
	struct gpu_limits limits;
	struct sources sources;
	bool from_folder; /* some sources are not those embedded */
	struct str cache; /* folder of compiled code; empty: none is kept */
};

static inline struct gpu *gpu_of(const struct device *device)
{
	return (struct gpu *)device;
}

/* Opens what `backend` drives by `driver`. NULL and a filled `err` on failure. */
struct device *gpu_open(const struct backend *backend, const struct gpu_driver *driver,
	const struct device_options *options, struct err *err);

void gpu_close(struct device *device);
bool gpu_usable(const struct device *device, const struct schedule *schedule,
	const struct problem *problem, struct reason *reason);
struct workload *gpu_upload(struct device *device, const struct problem *problem, enum pass pass,
	const struct inputs *inputs, struct err *err);
struct kernel *gpu_prepare(
	struct workload *workload, const struct schedule *schedule, struct err *err);
int gpu_poison(struct workload *workload, struct err *err);
int gpu_run(struct kernel *kernel, int passes, double *seconds, struct err *err);
int gpu_download(struct workload *workload, const struct outputs *outputs, const char **overrun,
	struct err *err);
void gpu_finish(struct kernel *kernel);
void gpu_release(struct workload *workload);
int gpu_flush(struct device *device, struct err *err);
/* Rates by kernels of its own; not for emulators, whose times mean nothing. */
int gpu_measure(struct device *device, struct ceiling *ceiling, struct err *err);
void gpu_sense(struct device *device, struct sensed *sensed);

/* What every GPU's `struct backend` has in common. */
#define GPU_BACKEND_SLOTS                                                                          \
	.close = gpu_close, .usable = gpu_usable, .upload = gpu_upload, .prepare = gpu_prepare,    \
	.poison = gpu_poison, .run = gpu_run, .download = gpu_download, .finish = gpu_finish,      \
	.release = gpu_release, .flush = gpu_flush, .sense = gpu_sense

#endif
