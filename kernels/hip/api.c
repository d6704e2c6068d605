#include "kernels/hip/api.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/str.h"
#include "kernels/gpu/library.h"

static const struct library_symbol hip_symbols[] = {
#define HIP(name, symbol, arguments) {symbol, offsetof(struct hip_api, name)},
#define HIP_TEXT(name, symbol)       {symbol, offsetof(struct hip_api, name)},
#include "kernels/hip/api.def"
	{NULL, 0},
};

static const struct library_symbol hiprtc_symbols[] = {
#define HIPRTC(name, symbol, arguments) {symbol, offsetof(struct hiprtc_api, name)},
#include "kernels/hip/api.def"
	{NULL, 0},
};

/* Releases of ROCm whose libraries differ in name, newest first, and where each keeps the compiler.
 */
static const struct release {
	const char *runtime, *compiler;
} releases[] = {
	{"libamdhip64.so.7", "libhiprtc.so.7"},
	{"libamdhip64.so.6", "libhiprtc.so.6"},
	{"libamdhip64.so.5", "libamdhip64.so.5"},
};
#define RELEASES ((int)(sizeof releases / sizeof *releases))

/* By the loader's own search, then where ROCm puts it. */
static void *open_file(const char *file)
{
	const char *home = getenv("ROCM_PATH");
	void *library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
	struct str path = {0};

	if (!library) {
		str_addf(&path, "%s/lib/%s", home ? home : "/opt/rocm", file);
		library = dlopen(path.text, RTLD_NOW | RTLD_LOCAL);
		str_release(&path);
	}
	return library;
}

/* The newest runtime that loads, once and for all: it starts threads of its own, so it is never
 * closed. NULL when there is none. */
static const struct release *find_release(void **library)
{
	static const struct release *found;
	static void *runtime;

	for (int i = 0; i < RELEASES && !found; i++) {
		runtime = open_file(releases[i].runtime);
		if (runtime)
			found = &releases[i];
	}
	*library = runtime;
	return found;
}

static const char *find_properties(void *library, struct hip_api *api)
{
	static const struct library_symbol newer[] = {
		{"hipGetDevicePropertiesR0600", offsetof(struct hip_api, device_properties)},
		{NULL, 0}};
	static const struct library_symbol older[] = {
		{"hipGetDeviceProperties", offsetof(struct hip_api, device_properties)}, {NULL, 0}};

	return library_symbols(library, newer, api) ? library_symbols(library, older, api) : NULL;
}

const struct hip_api *hip_load(struct err *err)
{
	static struct hip_api api;
	void *library;
	const char *missing;
	int status;

	if (!find_release(&library)) {
		err_set(err, ERR_UNAVAILABLE,
			"no HIP runtime (libamdhip64.so of ROCm 5 to 7 does not load); install "
			"ROCm, or use --device hip-emu to check the same kernels without a GPU");
		return NULL;
	}
	missing = library_symbols(library, hip_symbols, &api);
	if (!missing)
		missing = find_properties(library, &api);
	status = missing ? 0 : api.init(0);
	if (!missing && !status)
		return &api;
	if (missing)
		err_set(err, ERR_UNAVAILABLE, "the HIP runtime lacks %s; install ROCm 5 or later",
			missing);
	else if (status == HIP_ERROR_NO_DEVICE || status == HIP_ERROR_INVALID_DEVICE)
		err_set(err, ERR_UNAVAILABLE,
			"the HIP runtime finds no AMD GPU; look at rocminfo, HIP_VISIBLE_DEVICES "
			"and whether you may open /dev/kfd (group render)");
	else
		err_set(err, ERR_UNAVAILABLE,
			"the HIP runtime does not start: %s (%s); look at rocminfo",
			api.error_text(status), api.error_name(status));
	return NULL;
}

const struct hiprtc_api *hiprtc_load(struct err *err)
{
	static struct hiprtc_api api;
	static bool loaded;
	void *runtime;
	const struct release *release = find_release(&runtime);
	const char *file = release ? release->compiler : releases[0].compiler;
	void *library = loaded ? NULL : open_file(file);
	const char *missing = library ? library_symbols(library, hiprtc_symbols, &api) : NULL;

	loaded |= library && !missing;
	if (loaded)
		return &api;
	if (missing)
		err_set(err, ERR_UNAVAILABLE, "%s lacks %s; install ROCm 5 or later", file,
			missing);
	else
		err_set(err, ERR_UNAVAILABLE,
			"no HIP run-time compiler (%s does not load); install hiprtc of the "
			"runtime's ROCm, or name ROCm's folder in ROCM_PATH",
			file);
	return NULL;
}
