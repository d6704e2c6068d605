#include "kernels/emu/memory.h"

#include <sys/mman.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/str.h"

#define ALIGN INT64_C(256)

__attribute__((weak)) void __asan_poison_memory_region(const volatile void *address, size_t bytes);
__attribute__((weak)) void __asan_unpoison_memory_region(
	const volatile void *address, size_t bytes);

/* A page that is never there, pages that end where the buffer does, pages of guard, and again a
 * page that is never there. */
struct buffer {
	struct buffer *next;
	char *map, *address;
	int64_t map_bytes, bytes, guard;
	char *fence; /* the first page behind the buffer */
	int64_t fence_bytes;
};

static int64_t round_up(int64_t bytes, int64_t to)
{
	return (bytes + to - 1) / to * to;
}

static int buffer_map(struct buffer *buffer, int64_t page)
{
	int64_t padded = round_up(buffer->bytes, ALIGN), body = round_up(padded, page);

	buffer->fence_bytes = round_up(buffer->guard, page);
	buffer->map_bytes = body + buffer->fence_bytes + 2 * page;
	buffer->map = mmap(NULL, (size_t)buffer->map_bytes, PROT_NONE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (buffer->map == MAP_FAILED)
		return -1;
	buffer->fence = buffer->map + page + body;
	buffer->address = buffer->fence - padded;
	if (mprotect(buffer->map + page, (size_t)(body + buffer->fence_bytes),
		    PROT_READ | PROT_WRITE)) {
		munmap(buffer->map, (size_t)buffer->map_bytes);
		return -1;
	}
	return 0;
}

void *memory_alloc(struct memory *memory, int64_t bytes, int64_t guard, struct err *err)
{
	int64_t page = sysconf(_SC_PAGESIZE), whole;
	struct buffer *buffer;

	if (!mem_add(bytes, guard, &whole) || whole > INT64_MAX - 8 * page) {
		err_set(err, ERR_UNAVAILABLE, "the size does not fit 63 bits");
		return NULL;
	}
	buffer = mem_new(1, sizeof *buffer, "device memory", err);
	if (!buffer)
		return NULL;
	buffer->bytes = bytes;
	buffer->guard = guard;
	if (buffer_map(buffer, page)) {
		char size[32];

		err_set(err, ERR_UNAVAILABLE, "no memory for %s", str_bytes(whole, size));
		mem_free(buffer);
		return NULL;
	}
	buffer->next = memory->first;
	memory->first = buffer;
	return buffer->address;
}

void memory_free(struct memory *memory, void *address)
{
	for (struct buffer **link = &memory->first; *link; link = &(*link)->next) {
		struct buffer *buffer = *link;

		if (buffer->address != address)
			continue;
		*link = buffer->next;
		munmap(buffer->map, (size_t)buffer->map_bytes);
		mem_free(buffer);
		return;
	}
}

void memory_guard(struct memory *memory, bool kernels)
{
	for (struct buffer *buffer = memory->first; buffer; buffer = buffer->next) {
		char *end = buffer->address + buffer->bytes;
		size_t guard = (size_t)buffer->guard;

		if (kernels && __asan_poison_memory_region)
			__asan_poison_memory_region(end, guard);
		if (!kernels && __asan_unpoison_memory_region)
			__asan_unpoison_memory_region(end, guard);
		mprotect(buffer->fence, (size_t)buffer->fence_bytes,
			kernels ? PROT_NONE : PROT_READ | PROT_WRITE);
	}
}
