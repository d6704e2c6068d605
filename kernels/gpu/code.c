#include "kernels/gpu/code.h"

#include "base/mem.h"
#include "kernels/gpu/cache.h"

static int find_code(const struct gpu *gpu, const struct gpu_source *source, struct gpu_code *code,
	struct err *err)
{
	const struct gpu_driver *driver = gpu->driver;
	const char *folder = gpu->cache.length ? gpu->cache.text : NULL;
	uint64_t key;

	if (driver->builtin && !gpu->from_folder && driver->builtin(source, code))
		return 0;
	key = cache_key(
		source, driver->options, gpu->limits.architecture, gpu->device.info.compiler);
	if (folder && cache_read(folder, source->instance, key, code))
		return 0;
	if (driver->compile(source, gpu->limits.architecture, code, NULL, err))
		return -1;
	if (folder)
		cache_write(folder, source->instance, key, code);
	return 0;
}

int code_load(const struct gpu *gpu, const char *entry, const struct gpu_instance *instance,
	int64_t shared, struct gpu_code_loaded *loaded, struct err *err)
{
	const struct gpu_driver *driver = gpu->driver;
	struct gpu_source source = {
		.instance = instance->name,
		.entry = entry,
		.kernel = *sources_kernel(&gpu->sources, entry),
		.headers = gpu->sources.headers,
		.header_count = gpu->sources.header_count,
		.defines = instance->defines,
	};
	struct gpu_code code = {0};

	*loaded = (struct gpu_code_loaded){0};
	if (find_code(gpu, &source, &code, err))
		return -1;
	loaded->module = driver->load(gpu->handle, &code, err);
	mem_free(code.bytes);
	if (!loaded->module)
		return -1;
	loaded->function = driver->function(gpu->handle, loaded->module, &source, shared, err);
	return loaded->function ? 0 : -1;
}

void code_unload(const struct gpu *gpu, struct gpu_code_loaded *loaded)
{
	gpu->driver->unload(gpu->handle, loaded->module);
}
