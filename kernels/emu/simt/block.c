#include "kernels/emu/simt/block.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "kernels/emu/simt/sanitizer.h"

#define STACK_BYTES   (256 * 1024)
#define STACK_GUARD   4096
#define RETIRED_LIMIT 4096 /* the race detector knows 8128 fibers at most */

__thread struct thread *simt_self __attribute__((tls_model("initial-exec")));

struct simt_place simt_place(void)
{
	struct simt_place place = simt_self->block->place;
	place.thread = simt_self->id;
	return place;
}

bool memory_renewed(void)
{
	return __tsan_create_fiber != NULL;
}

void *memory_map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return memory == MAP_FAILED ? NULL : memory;
}

void memory_unmap(void *memory, size_t bytes)
{
	if (memory)
		munmap(memory, bytes);
}

static void fail(struct block *block, const char *where, const char *format, va_list list)
{
	struct run *run = block->run;
	block->failed = true;
	if (atomic_exchange(&run->failed, true))
		return;
	int used = snprintf(run->error, run->room, "%s%s: ", run->launch->name, where);
	if (used >= 0 && (size_t)used < run->room)
		vsnprintf(run->error + used, run->room - (size_t)used, format, list);
}

void simt_fail(const char *format, ...)
{
	struct thread *self = simt_self;
	struct block *block = self->block;
	char where[96];
	snprintf(where, sizeof where, " block (%u,%u) thread %u", block->place.block_x,
		block->place.block_y, self->id);
	va_list list;
	va_start(list, format);
	fail(block, where, format, list);
	va_end(list);
	order_release(&block->run->order_end);
	simt_self = NULL;
	fiber_leave(&self->fiber, &block->host);
}

static void queue_push(struct block *block, struct thread *thread)
{
	block->queue[(block->head + block->queued++) % block->count] = thread;
}

/* A random one of those that can run changes places with the first. */
static void queue_stir(struct block *block)
{
	block->random ^= block->random << 13;
	block->random ^= block->random >> 7;
	block->random ^= block->random << 17;
	unsigned pick =
		(block->head + (unsigned)(block->random >> 33) % block->queued) % block->count;
	struct thread *thread = block->queue[pick];
	block->queue[pick] = block->queue[block->head];
	block->queue[block->head] = thread;
}

static struct thread *queue_pop(struct block *block)
{
	if (!block->queued)
		return NULL;
	if (block->random)
		queue_stir(block);
	struct thread *thread = block->queue[block->head];
	block->head = (block->head + 1) % block->count;
	block->queued--;
	return thread;
}

static _Noreturn void fail_stuck(struct block *block)
{
	for (unsigned i = 0; i < block->count; i++) {
		const struct thread *other = &block->threads[i];
		if (other != simt_self && !other->done)
			simt_fail("no thread can run: this one waits in %s at %s, thread %u in %s "
				  "at %s",
				simt_self->waits, simt_self->site, other->id, other->waits,
				other->site);
	}
	simt_fail(
		"no thread can run: this one waits in %s at %s", simt_self->waits, simt_self->site);
}

/* Lets others run until someone queues this thread again. */
static void thread_wait(const char *waits, const char *site)
{
	struct thread *self = simt_self;
	struct block *block = self->block;
	self->waits = waits;
	self->site = site;
	struct thread *next = queue_pop(block);
	if (!next)
		fail_stuck(block);
	simt_self = next;
	/* A launch that fails elsewhere meanwhile never comes back here, and ends all the same. */
	order_release(&block->run->order_end);
	fiber_switch(&self->fiber, &next->fiber);
}

static bool same_place(const char *a, const char *b)
{
	return a == b || !strcmp(a, b);
}

void simt_barrier(const char *site)
{
	struct block *block = simt_self->block;
	if (!block->arrived)
		block->barrier_site = site;
	else if (!same_place(block->barrier_site, site))
		simt_fail("barrier at %s while others are at the one at %s", site,
			block->barrier_site);
	if (block->alive != block->count)
		simt_fail("barrier at %s after a thread has returned", site);
	uint64_t *order = &block->order[block->generation & 1];
	order_release(order);
	if (++block->arrived < block->count) {
		thread_wait("a barrier", site);
	} else {
		block->arrived = 0;
		block->generation++;
		block->counts.barriers++;
		for (unsigned i = 0; i < block->count; i++)
			if (&block->threads[i] != simt_self)
				queue_push(block, &block->threads[i]);
	}
	order_acquire(order);
}

/* Not memcpy, which race detectors watch even in code that they do not. */
static void copy_words(void *to, const void *from, size_t bytes)
{
	volatile uint32_t *target = to;
	const uint32_t *source = from;
	for (size_t i = 0; i < bytes / sizeof *source; i++)
		target[i] = source[i];
}

const void *warp_meet(const char *kind, const char *site, const void *in, size_t bytes,
	void (*compute)(struct block *block, struct slots *slots))
{
	struct thread *self = simt_self;
	struct warp *warp = self->warp;
	struct slots *slots = &warp->slots[warp->generation & 1];
	if (!warp->arrived) {
		warp->kind = kind;
		warp->site = site;
	} else if (warp->kind != kind || !same_place(warp->site, site)) {
		simt_fail("the warp has diverged: %s at %s, other lanes in %s at %s", kind, site,
			warp->kind, warp->site);
	}
	if (warp->alive != warp->width)
		simt_fail("%s at %s after a lane has returned", kind, site);
	copy_words(slots->in[self->lane], in, bytes);
	if (++warp->arrived < warp->width) {
		thread_wait(kind, site);
	} else {
		compute(self->block, slots);
		warp->arrived = 0;
		warp->generation++;
		for (unsigned i = 0; i < warp->width; i++)
			if (&warp->lanes[i] != self)
				queue_push(self->block, &warp->lanes[i]);
	}
	return slots->out[self->lane];
}

static void compute_nothing(struct block *block, struct slots *slots)
{
	(void)block;
	(void)slots;
}

void simt_warp_barrier(const char *site)
{
	struct warp *warp = simt_self->warp;
	uint64_t *order = &warp->order[warp->generation & 1];
	order_release(order);
	warp_meet("a warp barrier", site, NULL, 0, compute_nothing);
	order_acquire(order);
}

static void check_return(struct thread *self)
{
	struct block *block = self->block;
	if (self->copy_count)
		simt_fail("returned with a copy from %s not waited for", self->copies[0].site);
	if (self->warp->arrived)
		simt_fail("returned while other lanes wait in %s at %s", self->warp->kind,
			self->warp->site);
	if (block->arrived)
		simt_fail("returned while others wait in the barrier at %s", block->barrier_site);
}

static void thread_main(void)
{
	struct thread *self = simt_self;
	struct block *block = self->block;
	block->run->launch->kernel(*block->run->launch->args);
	check_return(self);
	order_release(&block->run->order_end);
	self->done = true;
	block->alive--;
	self->warp->alive--;
	struct thread *next = queue_pop(block);
	if (!next && block->alive)
		fail_stuck(block);
	simt_self = next;
	fiber_leave(&self->fiber, next ? &next->fiber : &block->host);
}

static void retired_free(struct block *block)
{
	for (size_t i = 0; i < block->retired_count; i++)
		__tsan_destroy_fiber(block->retired[i]);
	block->retired_count = 0;
}

/* The race detector sees each thread of each block as one of its own, and forgets none of them
 * before it must: an access of a finished block can still race with a later one's. */
static void thread_watch(struct block *block, struct thread *thread)
{
	if (!__tsan_create_fiber)
		return;
	if (thread->fiber.tsan)
		block->retired[block->retired_count++] = thread->fiber.tsan;
	thread->fiber.tsan = __tsan_create_fiber(0);
	char name[64];
	snprintf(name, sizeof name, "block (%u,%u) thread %u", block->place.block_x,
		block->place.block_y, thread->id);
	__tsan_set_fiber_name(thread->fiber.tsan, name);
}

static void thread_start(struct block *block, unsigned id)
{
	struct thread *thread = &block->threads[id];
	thread->id = id;
	thread->block = block;
	thread->done = false;
	thread->arrays = thread->copy_count = 0;
	thread_watch(block, thread);
	fiber_start(
		&thread->fiber, block->stacks + (size_t)id * STACK_BYTES, STACK_BYTES, thread_main);
	queue_push(block, thread);
}

static void warp_start(struct block *block, unsigned index)
{
	struct warp *warp = &block->warps[index];
	unsigned first = index * block->lanes;
	unsigned left = block->count - first;
	warp->lanes = &block->threads[first];
	warp->width = warp->alive = left < block->lanes ? left : block->lanes;
	warp->arrived = warp->generation = 0;
	for (unsigned i = 0; i < warp->width; i++) {
		warp->lanes[i].warp = warp;
		warp->lanes[i].lane = i;
	}
}

static int stacks_renew(struct block *block)
{
	size_t bytes = (size_t)block->count * STACK_BYTES;
	if (block->stacks && !memory_renewed())
		return 0;
	memory_unmap(block->stacks, bytes);
	block->stacks = memory_map(bytes);
	for (unsigned i = 0; block->stacks && i < block->count; i++)
		mprotect(block->stacks + (size_t)i * STACK_BYTES, STACK_GUARD, PROT_NONE);
	return block->stacks ? 0 : -1;
}

int block_init(struct block *block, struct run *run)
{
	const struct simt_launch *launch = run->launch;
	unsigned count = launch->threads;
	*block = (struct block){.run = run, .count = count, .lanes = launch->warp};
	block->warp_count = (count + block->lanes - 1) / block->lanes;
	block->retired_room = RETIRED_LIMIT + count;
	block->threads = calloc(count, sizeof *block->threads);
	block->queue = calloc(count, sizeof *block->queue);
	block->warps = aligned_alloc(16, block->warp_count * sizeof *block->warps);
	block->retired = calloc(block->retired_room, sizeof *block->retired);
	if (!block->threads || !block->queue || !block->warps || !block->retired ||
		stacks_renew(block) || shared_init(&block->shared, launch->shared)) {
		block_release(block);
		return -1;
	}
	return 0;
}

void block_release(struct block *block)
{
	for (unsigned i = 0; block->threads && i < block->count; i++) {
		fiber_release(&block->threads[i].fiber);
		if (block->threads[i].fiber.tsan)
			__tsan_destroy_fiber(block->threads[i].fiber.tsan);
	}
	if (block->retired_count)
		retired_free(block);
	fiber_release(&block->host);
	shared_release(&block->shared);
	memory_unmap(block->stacks, (size_t)block->count * STACK_BYTES);
	free(block->retired);
	free(block->warps);
	free(block->queue);
	free(block->threads);
}

static void __attribute__((format(printf, 2, 3)))
block_fail(struct block *block, const char *format, ...)
{
	char where[64];
	snprintf(where, sizeof where, " block (%u,%u)", block->place.block_x, block->place.block_y);
	va_list list;
	va_start(list, format);
	fail(block, where, format, list);
	va_end(list);
}

/* xorshift's state must not be 0; neighbours' first states should differ in many bits. */
static uint64_t block_seed(uint64_t seed, uint64_t index)
{
	uint64_t mixed = (seed + index) * UINT64_C(0x9e3779b97f4a7c15);
	return seed && !mixed ? 1 : seed ? mixed : 0;
}

void block_run(struct block *block, uint64_t index)
{
	const struct simt_launch *launch = block->run->launch;
	block->place = (struct simt_place){
		.block_x = (unsigned)(index % launch->grid_x),
		.block_y = (unsigned)(index / launch->grid_x),
		.threads = launch->threads,
		.grid_x = launch->grid_x,
		.grid_y = launch->grid_y,
	};
	block->alive = block->count;
	block->head = block->queued = block->arrived = block->generation = 0;
	block->random = block_seed(launch->seed, index);
	if (stacks_renew(block)) {
		block_fail(block, "no memory for its stacks");
		return;
	}
	shared_reset(&block->shared);
	if (block->retired_count > RETIRED_LIMIT - block->count)
		retired_free(block);
	for (unsigned i = 0; i < block->warp_count; i++)
		warp_start(block, i);
	for (unsigned i = 0; i < block->count; i++)
		thread_start(block, i);
	fiber_release(&block->host);
	fiber_adopt(&block->host);
	struct thread *first = queue_pop(block);
	simt_self = first;
	fiber_switch(&block->host, &first->fiber);
	block->counts.blocks++;
	const char *overrun = shared_overrun(&block->shared);
	if (!block->failed && overrun)
		block_fail(block, "wrote past the end of the shared array '%s'", overrun);
}
