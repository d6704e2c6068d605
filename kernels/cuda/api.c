#include "kernels/cuda/api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/str.h"
#include "kernels/gpu/library.h"

static const struct library_symbol cuda_symbols[] = {
#define CUDA(name, symbol, arguments) {symbol, offsetof(struct cuda_api, name)},
#include "kernels/cuda/api.def"
	{NULL, 0},
};

static const struct library_symbol nvrtc_symbols[] = {
#define NVRTC(name, symbol, arguments) {symbol, offsetof(struct nvrtc_api, name)},
#include "kernels/cuda/api.def"
	{NULL, 0},
};

static const struct library_symbol nvml_symbols[] = {
#define NVML(name, symbol, arguments) {symbol, offsetof(struct nvml_api, name)},
#include "kernels/cuda/api.def"
	{NULL, 0},
};

const struct cuda_api *cuda_load(struct err *err)
{
	static struct cuda_api api;
	static void *library;
	const char *missing;
	int status;

	if (library)
		return &api;
	library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library) {
		err_set(err, ERR_UNAVAILABLE,
			"no NVIDIA driver (libcuda.so.1 does not load); install one, or use "
			"--device cuda-emu to check the same kernels without a GPU");
		return NULL;
	}
	missing = library_symbols(library, cuda_symbols, &api);
	status = missing ? 0 : api.init(0);
	if (missing)
		err_set(err, ERR_UNAVAILABLE,
			"the NVIDIA driver lacks %s; install one for CUDA 11.4 or later", missing);
	else if (status == CUDA_ERROR_NO_DEVICE)
		err_set(err, ERR_UNAVAILABLE,
			"the NVIDIA driver finds no GPU; look at nvidia-smi and "
			"CUDA_VISIBLE_DEVICES");
	else if (status)
		err_set(err, ERR_UNAVAILABLE,
			"the NVIDIA driver does not start (cuInit returns %d); look at nvidia-smi",
			status);
	if (!missing && !status)
		return &api;
	dlclose(library);
	library = NULL;
	return NULL;
}

/* Major versions of NVRTC, newest first, as their libraries are named. */
static const struct release {
	int major;
	const char *file;
} releases[] = {
	{13, "libnvrtc.so.13"},
	{12, "libnvrtc.so.12"},
	{11, "libnvrtc.so.11.2"},
};

/* The library by the loader's own search, then where toolkits put it. */
static void *open_release(const char *file)
{
	const char *home = getenv("CUDA_HOME");
	const char *const roots[] = {
		home ? home : "/usr/local/cuda", "/usr/local/cuda", "/opt/cuda"};
	const char *const folders[] = {"lib64", "lib"};
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);

	for (int i = 0; i < 6 && !library; i++) {
		struct str path = {0};

		str_addf(&path, "%s/%s/%s", roots[i / 2], folders[i % 2], file);
		library = dlopen(path.text, RTLD_NOW | RTLD_LOCAL);
		str_release(&path);
	}
	return library;
}

/* The CUDA version whose code the driver loads; the newest there is where no driver is. */
static int newest_major(void)
{
	struct err err;
	const struct cuda_api *cuda = cuda_load(&err);
	int version = 0;

	if (!cuda || cuda->driver_version(&version))
		return releases[0].major;
	return version / 1000;
}

const struct nvrtc_api *nvrtc_load(struct err *err)
{
	static struct nvrtc_api api;
	static void *library;
	int newest = newest_major();

	for (size_t i = 0; i < sizeof releases / sizeof *releases && !library; i++) {
		if (releases[i].major > newest)
			continue;
		library = open_release(releases[i].file);
		if (library && library_symbols(library, nvrtc_symbols, &api)) {
			dlclose(library);
			library = NULL;
		}
	}
	if (library)
		return &api;
	err_set(err, ERR_UNAVAILABLE,
		"no CUDA run-time compiler (libnvrtc.so of CUDA 11 to %d); install "
		"nvidia-cuda-nvrtc-cu12 by pip or the toolkit, and put its lib folder on "
		"LD_LIBRARY_PATH",
		newest);
	return NULL;
}

const struct nvml_api *nvml_load(void)
{
	static struct nvml_api api;
	static void *library;

	if (library)
		return &api;
	library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return NULL;
	if (!library_symbols(library, nvml_symbols, &api) && !api.init())
		return &api;
	dlclose(library);
	library = NULL;
	return NULL;
}
