#include "kernels/gpu/sources.h"

#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#define TEXT_LIMIT (1 << 20)

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static bool is_in(const char *path, const char *folder)
{
	return !strncmp(path, folder, strlen(folder));
}

static bool is_header(const char *path, const struct gpu_driver *driver)
{
	for (const char *const *folder = driver->headers; *folder; folder++)
		if (is_in(path, *folder))
			return true;
	return false;
}

/* Points `text` at the file of its base name in `dir`, where there is one. */
static int read_over(
	struct sources *sources, struct gpu_text *text, const char *dir, struct err *err)
{
	struct str path = {0}, *file = &sources->files[sources->file_count];
	int result = 0;

	str_addf(&path, "%s/%s", dir, base_name(text->name));
	if (!access(path.text, F_OK)) {
		sources->file_count++;
		result = file_read(path.text, TEXT_LIMIT, file, err);
		text->text = file->text;
	}
	str_release(&path);
	return result;
}

int sources_init(
	struct sources *sources, const struct gpu_driver *driver, const char *dir, struct err *err)
{
	sources->headers = mem_new(gpu_text_count, sizeof *sources->headers, "kernel headers", err);
	sources->kernels = mem_new(gpu_text_count, sizeof *sources->kernels, "kernels", err);
	sources->files = mem_new(gpu_text_count, sizeof *sources->files, "kernel sources", err);
	if (!sources->headers || !sources->kernels || !sources->files)
		return -1;
	sources->hash = HASH_SEED;
	for (int i = 0; i < gpu_text_count; i++) {
		struct gpu_text *text;

		if (is_header(gpu_texts[i].name, driver))
			text = &sources->headers[sources->header_count++];
		else if (is_in(gpu_texts[i].name, driver->folder))
			text = &sources->kernels[sources->kernel_count++];
		else
			continue;
		*text = gpu_texts[i];
		if (dir && read_over(sources, text, dir, err))
			return -1;
		sources->hash = hash_bytes(sources->hash, text->name, strlen(text->name) + 1);
		sources->hash = hash_bytes(sources->hash, text->text, strlen(text->text) + 1);
	}
	if (dir && !sources->file_count)
		return err_set(err, ERR_USAGE,
			"the folder '%s' has no kernel source; name its files as in %s", dir,
			driver->folder);
	return 0;
}

void sources_release(struct sources *sources)
{
	for (int i = 0; i < sources->file_count; i++)
		str_release(&sources->files[i]);
	mem_free(sources->files);
	mem_free(sources->kernels);
	mem_free(sources->headers);
	*sources = (struct sources){0};
}

const struct gpu_text *sources_kernel(const struct sources *sources, const char *entry)
{
	size_t length = strlen(entry);

	for (int i = 0; i < sources->kernel_count; i++) {
		const char *name = base_name(sources->kernels[i].name);

		if (!strncmp(name, entry, length) && name[length] == '.')
			return &sources->kernels[i];
	}
	bug("no source for the kernel %s", entry);
}
