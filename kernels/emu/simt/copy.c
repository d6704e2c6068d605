/* Copies from global to shared memory that run beside the kernel (cp.async). */
#include "kernels/emu/simt/block.h"

#include <string.h>

#include "kernels/emu/simt/sanitizer.h"

#define COPY_BYTES 16

void simt_copy(void *to, const void *from, int valid, const char *site)
{
	struct thread *self = simt_self;
	shared_check(to, COPY_BYTES, "an asynchronous copy", site);
	if (valid && (uintptr_t)from % COPY_BYTES)
		simt_fail("copy at %s: the source is not a multiple of 16 bytes", site);
	if (self->copy_count == COPIES_MAX)
		simt_fail("copy at %s: more than %d are under way", site, COPIES_MAX);
	watch_write(to, COPY_BYTES);
	memset(to, 0xff, COPY_BYTES);
	self->copies[self->copy_count++] = (struct copy){to, from, valid, site};
}

static void copy_finish(const struct copy *copy)
{
	watch_write(copy->to, COPY_BYTES);
	if (!copy->valid) {
		memset(copy->to, 0, COPY_BYTES);
		return;
	}
	watch_read(copy->from, COPY_BYTES);
	memcpy(copy->to, copy->from, COPY_BYTES);
}

void simt_copy_wait(void)
{
	struct thread *self = simt_self;
	for (int i = 0; i < self->copy_count; i++)
		copy_finish(&self->copies[i]);
	self->copy_count = 0;
}
