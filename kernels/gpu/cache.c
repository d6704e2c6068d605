#include "kernels/gpu/cache.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/hash.h"
#include "base/mem.h"

#define CODE_LIMIT (64 << 20)

/* What a file of the cache begins with; the code follows. */
struct header {
	char magic[8];
	uint64_t key;
	uint64_t check; /* hash of the code */
	int64_t count;
};

#define MAGIC "pattn-1"

bool cache_folder(struct str *path)
{
	const char *chosen = getenv("PATTN_CACHE"), *xdg = getenv("XDG_CACHE_HOME");
	const char *home = getenv("HOME");

	if (chosen)
		str_add(path, chosen);
	else if (xdg && *xdg)
		str_addf(path, "%s/pattn", xdg);
	else if (home && *home)
		str_addf(path, "%s/.cache/pattn", home);
	return path->length > 0;
}

static uint64_t hash_text(uint64_t hash, const char *text)
{
	return hash_bytes(hash, text, strlen(text) + 1);
}

static uint64_t hash_list(uint64_t hash, const char *const *list)
{
	for (; *list; list++)
		hash = hash_text(hash, *list);
	return hash_text(hash, "");
}

uint64_t cache_key(const struct gpu_source *source, const char *const *options,
	const char *architecture, const char *compiler)
{
	uint64_t hash = hash_text(HASH_SEED, compiler);

	hash = hash_text(hash, architecture);
	hash = hash_list(hash, options);
	hash = hash_list(hash, source->defines);
	hash = hash_text(hash, source->instance);
	hash = hash_text(hash, source->kernel.name);
	hash = hash_text(hash, source->kernel.text);
	for (int i = 0; i < source->header_count; i++) {
		hash = hash_text(hash, source->headers[i].name);
		hash = hash_text(hash, source->headers[i].text);
	}
	return hash;
}

static void add_path(struct str *path, const char *folder, const char *instance, uint64_t key)
{
	str_addf(path, "%s/%s-%016" PRIx64, folder, instance, key);
}

/* Whether `file` holds undamaged code for `key`. */
static bool is_whole(const struct str *file, const struct header *header, uint64_t key)
{
	size_t count = file->length - sizeof *header;

	return !memcmp(header->magic, MAGIC, sizeof header->magic) && header->key == key &&
	       header->count == (int64_t)count &&
	       header->check == hash_bytes(HASH_SEED, file->text + sizeof *header, count);
}

bool cache_read(const char *folder, const char *instance, uint64_t key, struct gpu_code *code)
{
	struct str path = {0}, file = {0};
	struct header header;
	struct err err;
	bool found = false;

	add_path(&path, folder, instance, key);
	if (file_read(path.text, CODE_LIMIT, &file, &err) || file.length < sizeof header)
		goto out;
	memcpy(&header, file.text, sizeof header);
	if (!is_whole(&file, &header, key))
		goto out;
	code->count = header.count;
	code->bytes = mem_new(code->count, 1, "compiled code", &err);
	if (!code->bytes)
		goto out;
	memcpy(code->bytes, file.text + sizeof header, (size_t)code->count);
	found = true;
out:
	str_release(&file);
	str_release(&path);
	return found;
}

/* `folder` and the folders it is in. */
static int make_folders(const char *folder, struct err *err)
{
	char *path = str_copy(folder);
	int result = 0;

	for (char *slash = strchr(path + 1, '/'); slash && !result;
		slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		result = file_make_dir(path, err);
		*slash = '/';
	}
	if (!result)
		result = file_make_dir(path, err);
	free(path);
	return result;
}

void cache_write(
	const char *folder, const char *instance, uint64_t key, const struct gpu_code *code)
{
	struct header header = {.magic = MAGIC,
		.key = key,
		.check = hash_bytes(HASH_SEED, code->bytes, (size_t)code->count),
		.count = code->count};
	struct str path = {0}, file = {0};
	struct err err;

	if (make_folders(folder, &err))
		return;
	add_path(&path, folder, instance, key);
	str_add_bytes(&file, (const char *)&header, sizeof header);
	str_add_bytes(&file, code->bytes, (size_t)code->count);
	file_write(path.text, file.text, file.length, &err);
	str_release(&file);
	str_release(&path);
}
