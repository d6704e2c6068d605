#include <string.h>

#include "cmd/options.h"
#include "cmd/output.h"
#include "kernels/backend.h"
#include "kernels/cpu/cpu.h"

/* The ladder, best first: the rung in use is marked, and those that do not run are in brackets. */
static void add_ladder(const struct device_info *info, struct str *text)
{
	str_add(text, "    instruction sets");
	for (int rung = 0; cpu_isa_name(rung); rung++) {
		const char *name = cpu_isa_name(rung);
		const char *mark = strcmp(name, info->architecture) ? "" : "*";
		str_addf(text, cpu_isa_runs(rung) ? " %s%s" : " (%s%s)", name, mark);
	}
	str_add(text, "\n");
}

static void add_device(const struct device *device, struct str *text)
{
	const struct device_info *info = &device->info;
	char memory[32];

	str_addf(text, "  %s: %s\n", info->name, info->model);
	str_addf(text, "    architecture %s, %d units, %s\n", info->architecture, info->units,
		str_bytes(info->memory, memory));
	if (device->backend == &cpu_backend)
		add_ladder(info, text);
	str_addf(text, "    kernels %s, %s\n", info->code, info->compiler);
	if (*info->driver)
		str_addf(text, "    driver %s\n", info->driver);
}

static void add_backend(const struct backend *backend, struct str *text)
{
	struct err err = {0};
	int found = backend->probe(&err);

	str_addf(text, "%s, %s\n", backend->name, backend->summary);
	for (int i = 0; i < found; i++) {
		struct device *device = backend->open(&(struct device_options){.index = i}, &err);
		if (device)
			add_device(device, text);
		else
			str_addf(
				text, "  %s:%d cannot be opened: %s\n", backend->name, i, err.text);
		device_close(device);
	}
	if (found <= 0)
		str_addf(text, "  none: %s\n", err.text);
}

int devices_run(const struct options *options, struct err *err)
{
	struct str text = {0};

	(void)options, (void)err;
	for (int i = 0; i < backend_count; i++)
		add_backend(backends[i], &text);
	out(text.text);
	str_release(&text);
	return EXIT_FINE;
}
