#include "cmd/device.h"

#include "tune/isolate.h"

struct device *device_ask(const struct options *options, struct err *err)
{
	struct device_options how = {.threads = (int)options->threads,
		.isa = options->isa,
		.emu = options->emu,
		.kernel_dir = options->kernel_dir};

	return device_open(options->device, how, err);
}

static struct device *open_asked(const void *context, struct err *err)
{
	return device_ask(context, err);
}

struct device *device_ask_isolated(const struct options *options, struct err *err)
{
	if (options->in_process)
		return device_ask(options, err);
	return isolate_open(
		&(struct opener){
			.open = open_asked, .context = options, .patience = options->patience},
		err);
}
