#include "kernels/emu/simt/block.h"

#include <string.h>

#include "kernels/emu/simt/sanitizer.h"

#define RED_ZONE 256
#define ALIGN    128
#define NAN_BYTE 0xff /* a NaN in f32, bf16 and f16 alike */

static size_t align_up(size_t bytes, size_t to)
{
	return (bytes + to - 1) / to * to;
}

int shared_init(struct shared *shared, size_t asked)
{
	shared->asked = asked;
	shared->room = align_up(asked, ALIGN) + (ARRAYS_MAX + 1) * (RED_ZONE + ALIGN);
	shared->memory = memory_map(shared->room);
	shared_reset(shared);
	return shared->memory ? 0 : -1;
}

void shared_release(struct shared *shared)
{
	if (shared->memory)
		memory_allow(shared->memory, shared->room);
	memory_unmap(shared->memory, shared->room);
	shared->memory = NULL;
}

void shared_reset(struct shared *shared)
{
	if (memory_renewed()) {
		memory_unmap(shared->memory, shared->room);
		shared->memory = memory_map(shared->room);
	}
	shared->count = 0;
	shared->used = RED_ZONE;
	shared->limit = 0;
	if (!shared->memory)
		return;
	memory_allow(shared->memory, shared->room);
	memset(shared->memory, NAN_BYTE, shared->room);
	memory_forbid(shared->memory, shared->room);
}

static struct array *array_add(struct shared *shared, const char *name, size_t bytes)
{
	if (shared->count == ARRAYS_MAX)
		simt_fail("takes more than %d shared arrays", ARRAYS_MAX);
	shared->limit = align_up(shared->limit, 16) + bytes;
	if (shared->limit > shared->asked)
		simt_fail("takes %zu bytes of shared memory by '%s', the launch gives %zu",
			shared->limit, name, shared->asked);
	struct array *array = &shared->arrays[shared->count++];
	*array = (struct array){name, shared->memory + shared->used, bytes};
	shared->used = align_up(shared->used + bytes + RED_ZONE, ALIGN);
	memory_allow(array->at, bytes);
	return array;
}

void *simt_shared(const char *name, size_t bytes)
{
	struct thread *self = simt_self;
	struct shared *shared = &self->block->shared;
	if (!shared->memory)
		simt_fail("no memory for its shared arrays");
	if (self->arrays == shared->count)
		array_add(shared, name, bytes);
	const struct array *array = &shared->arrays[self->arrays++];
	if (array->bytes != bytes || strcmp(array->name, name))
		simt_fail("takes the shared array '%s' where another thread took '%s'", name,
			array->name);
	return array->at;
}

static bool untouched(const unsigned char *from, const unsigned char *to)
{
	while (from < to)
		if (*from++ != NAN_BYTE)
			return false;
	return true;
}

const char *shared_overrun(const struct shared *shared)
{
	for (int i = 0; i < shared->count; i++) {
		const struct array *array = &shared->arrays[i];
		const unsigned char *end = array->at + array->bytes;
		if (!untouched(end, end + RED_ZONE))
			return array->name;
	}
	return NULL;
}

void shared_check(const void *address, size_t bytes, const char *what, const char *site)
{
	const struct shared *shared = &simt_self->block->shared;
	const unsigned char *at = address;
	if ((uintptr_t)at % 16)
		simt_fail("%s at %s: the address is not a multiple of 16 bytes", what, site);
	for (int i = 0; i < shared->count; i++) {
		const struct array *array = &shared->arrays[i];
		if (at >= array->at && at + bytes <= array->at + array->bytes)
			return;
	}
	simt_fail("%s at %s is outside every shared array", what, site);
}
