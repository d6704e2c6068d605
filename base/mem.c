#include "base/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/file.h"
#include "base/str.h"

#define CACHE_LINE INT64_C(64)
#define HUGE_PAGE  (INT64_C(2) << 20)

bool mem_mul(int64_t a, int64_t b, int64_t *product)
{
	return !__builtin_mul_overflow(a, b, product);
}

bool mem_add(int64_t a, int64_t b, int64_t *sum)
{
	return !__builtin_add_overflow(a, b, sum);
}

void *mem_new(int64_t count, int64_t size, const char *what, struct err *err)
{
	void *memory;
	int64_t bytes;
	char text[32];

	if (!mem_mul(count, size, &bytes)) {
		err_set(err, ERR_UNAVAILABLE, "%s: the size does not fit 63 bits; use less", what);
		return NULL;
	}
	if (posix_memalign(&memory, bytes < HUGE_PAGE ? CACHE_LINE : HUGE_PAGE,
		    bytes ? (size_t)bytes : 1)) {
		err_set(err, ERR_UNAVAILABLE, "%s: cannot allocate %s of memory; use less", what,
			str_bytes(bytes, text));
		return NULL;
	}
	if (bytes >= HUGE_PAGE)
		madvise(memory, (size_t)(bytes / HUGE_PAGE * HUGE_PAGE), MADV_HUGEPAGE);
	return memset(memory, 0, (size_t)bytes);
}

void mem_free(void *memory)
{
	free(memory);
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* The whole contents of a small file of the kernel's; false where there is none. */
static bool read_all(struct str *text, const char *path)
{
	struct err err;

	str_release(text);
	return file_read(path, 1 << 20, text, &err) == 0;
}

/* The number after `name` at the start of a line of `text`. */
static bool find_field(const char *text, const char *name, int64_t *value)
{
	size_t length = strlen(name);

	for (const char *line = text; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (!strncmp(line, name, length) && strchr(": \t", line[length])) {
			*value = strtoll(line + length + 1, NULL, 10);
			return true;
		}
	}
	return false;
}

/* How a version of control groups names what we read. */
struct hierarchy {
	const char *tag; /* what follows the number on its line of /proc/self/cgroup */
	const char *root, *limit, *usage, *reclaimable;
};

static const struct hierarchy hierarchies[] = {
	{"::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
	{":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
		"total_inactive_file"},
};

/* What the group in `folder` may still take; INT64_MAX where it has no limit. */
static int64_t group_room(const struct hierarchy *hierarchy, const char *folder)
{
	struct str path = {0}, text = {0};
	int64_t limit, usage, cache = 0, room = INT64_MAX;

	str_addf(&path, "%s/%s", folder, hierarchy->limit);
	if (!read_all(&text, path.text) || !strncmp(text.text, "max", 3))
		goto out;
	limit = strtoll(text.text, NULL, 10);
	str_release(&path);
	str_addf(&path, "%s/%s", folder, hierarchy->usage);
	if (!read_all(&text, path.text))
		goto out;
	usage = strtoll(text.text, NULL, 10);
	str_release(&path);
	str_addf(&path, "%s/memory.stat", folder);
	if (read_all(&text, path.text))
		find_field(text.text, hierarchy->reclaimable, &cache);
	room = limit - (usage - least(cache, usage));
out:
	str_release(&text);
	str_release(&path);
	return room;
}

/* The least room of the process's own group and the groups above it. Inside a container the path
 * may be the host's: then only the root exists, and that is the container's own group. */
static int64_t hierarchy_room(const struct hierarchy *hierarchy, const char *memberships)
{
	int64_t room = INT64_MAX;
	struct str folder = {0};
	const char *line = strstr(memberships, hierarchy->tag);
	size_t root = strlen(hierarchy->root);
	char *slash;

	if (!line)
		return room;
	line += strlen(hierarchy->tag);
	str_add(&folder, hierarchy->root);
	str_add_bytes(&folder, line, strcspn(line, "\n"));
	do {
		room = least(room, group_room(hierarchy, folder.text));
		slash = strrchr(folder.text, '/');
		*slash = '\0';
	} while (strlen(folder.text) >= root);
	str_release(&folder);
	return room;
}

static int64_t address_space_room(void)
{
	struct rlimit limit;
	struct str text = {0};
	int64_t used = 0;

	if (getrlimit(RLIMIT_AS, &limit) || limit.rlim_cur > INT64_MAX)
		return INT64_MAX;
	if (read_all(&text, "/proc/self/statm"))
		used = strtoll(text.text, NULL, 10) * sysconf(_SC_PAGESIZE);
	str_release(&text);
	return (int64_t)limit.rlim_cur - used;
}

int64_t mem_available(void)
{
	struct str text = {0};
	int64_t kib, room = address_space_room();

	if (read_all(&text, "/proc/meminfo") && find_field(text.text, "MemAvailable", &kib))
		room = least(room, kib * 1024);
	if (read_all(&text, "/proc/self/cgroup"))
		for (size_t i = 0; i < sizeof hierarchies / sizeof *hierarchies; i++)
			room = least(room, hierarchy_room(&hierarchies[i], text.text));
	str_release(&text);
	return room < 0 ? 0 : room;
}
