#include "kernels/emu/library.h"

#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"

#define NAME "pattn-emu.so"

/* The folder of this executable, without a slash at the end. */
static void own_folder(char *path, size_t room)
{
	ssize_t length = readlink("/proc/self/exe", path, room - 1);
	char *slash;

	path[length < 0 ? 0 : length] = '\0';
	slash = strrchr(path, '/');
	if (slash)
		*slash = '\0';
}

/* dlsym's result is an object pointer that POSIX lets us take for a function's. */
static void *symbol(void *handle, const char *name)
{
	return handle ? dlsym(handle, name) : NULL;
}

emu_kernel *emu_kernel_find(void *handle, const char *instance)
{
	emu_kernel *kernel;

	*(void **)&kernel = symbol(handle, instance);
	return kernel;
}

static int load(struct emu_library *library, struct err *err)
{
	static const char *const above[] = {"", "/.."};
	char folder[4096];
	struct str path = {0};

	own_folder(folder, sizeof folder);
	for (int i = 0; i < 2 && !library->handle; i++) {
		path.length = 0;
		str_addf(&path, "%s%s/" NAME, folder, above[i]);
		/* Global, so that kernels compiled later find the machine in it. */
		library->handle = dlopen(path.text, RTLD_NOW | RTLD_GLOBAL);
	}
	str_release(&path);
	*(void **)&library->run = symbol(library->handle, "simt_run");
	if (library->run)
		return 0;
	library->handle = NULL;
	return err_set(err, ERR_UNAVAILABLE,
		"the emulator cannot be loaded: %s; build it with make", dlerror());
}

const struct emu_library *emu_library(struct err *err)
{
	static struct emu_library library;

	return library.handle || !load(&library, err) ? &library : NULL;
}
