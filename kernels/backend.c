#include "kernels/backend.h"

#include <string.h>

#include "base/str.h"
#include "kernels/cpu/cpu.h"
#include "kernels/cuda/cuda.h"
#include "kernels/emu/emu.h"
#include "kernels/hip/hip.h"

/* Best device first. */
const struct backend *const backends[] = {
	&cuda_backend,
	&hip_backend,
	&cpu_backend,
	&cuda_emu_backend,
	&hip_emu_backend,
};

const int backend_count = sizeof backends / sizeof *backends;

static struct device *open_best(const struct device_options *options, struct err *err)
{
	struct device *device = NULL;
	for (int i = 0; i < backend_count && !device; i++)
		if (backends[i]->probe(err) > 0)
			device = backends[i]->open(options, err);
	return device;
}

struct device *device_open(const char *name, struct device_options options, struct err *err)
{
	const char *colon = strchr(name, ':');
	size_t length = colon ? (size_t)(colon - name) : strlen(name);
	int64_t index = 0;
	if (colon && (!str_to_int(colon + 1, &index) || index < 0 || index > INT32_MAX)) {
		err_set(err, ERR_USAGE, "device '%s': '%s' is not a device number; write %.*s:0",
			name, colon + 1, (int)length, name);
		return NULL;
	}
	options.index = (int)index;
	if (!strcmp(name, "auto"))
		return open_best(&options, err);
	for (int i = 0; i < backend_count; i++) {
		if (strlen(backends[i]->name) != length || memcmp(backends[i]->name, name, length))
			continue;
		int found = backends[i]->probe(err);
		if (found < 0)
			return NULL;
		if (index >= found) {
			err_set(err, ERR_UNAVAILABLE,
				"device '%s': there are %d of them, numbered from 0", name, found);
			return NULL;
		}
		return backends[i]->open(&options, err);
	}
	struct str names = {0};
	for (int i = 0; i < backend_count; i++)
		str_addf(&names, ", %s", backends[i]->name);
	err_set(err, ERR_USAGE, "unknown device '%s'; this build has auto%s", name, names.text);
	str_release(&names);
	return NULL;
}

void device_close(struct device *device)
{
	if (device)
		device->backend->close(device);
}
