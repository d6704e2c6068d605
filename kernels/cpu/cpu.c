#include "kernels/cpu/cpu.h"

#include <stdio.h>

#include "kernels/cpu/device.h"
#include "kernels/cpu/workload.h"

static bool cpu_usable(const struct device *device, const struct schedule *schedule,
	const struct problem *problem, struct reason *reason)
{
	(void)device;
	(void)problem;
	if (schedule->matrix) {
		snprintf(reason->text, sizeof reason->text, "needs a matrix unit");
		return false;
	}
	return true;
}

const struct backend cpu_backend = {
	.name = "cpu",
	.summary = "this machine's processor",
	.probe = cpu_probe,
	.open = cpu_open,
	.close = cpu_close,
	.usable = cpu_usable,
	.upload = cpu_upload,
	.prepare = cpu_prepare,
	.poison = cpu_poison,
	.run = cpu_run,
	.download = cpu_download,
	.finish = cpu_finish,
	.release = cpu_release,
	.flush = cpu_flush,
	.measure = cpu_measure,
	.sense = cpu_sense,
};
