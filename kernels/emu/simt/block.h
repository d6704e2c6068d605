/* One thread block in execution: its threads, warps and shared memory. */
#ifndef KERNELS_EMU_SIMT_BLOCK_H
#define KERNELS_EMU_SIMT_BLOCK_H

#include <stdatomic.h>
#include <stdbool.h>

#include "kernels/emu/simt/fiber.h"
#include "kernels/emu/simt/simt.h"

#define SLOT_BYTES  112
#define COPIES_MAX  64
#define ARRAYS_MAX  16
#define THREADS_MAX 1024

struct copy {
	void *to;
	const void *from;
	int valid;
	const char *site;
};

struct thread {
	struct fiber fiber;
	struct block *block;
	struct warp *warp;
	unsigned id, lane;
	bool done;
	const char *waits, *site; /* what it stands in, and where */
	int arrays;               /* shared arrays it has taken */
	struct copy copies[COPIES_MAX];
	int copy_count;
};

/* What lanes hand in and get back, by turns in two sets, so that the next operation may begin
 * while slow lanes still read the last one's results. */
struct slots {
	_Alignas(16) unsigned char in[SIMT_WARP_MAX][SLOT_BYTES];
	_Alignas(16) unsigned char out[SIMT_WARP_MAX][SLOT_BYTES];
};

struct warp {
	struct slots slots[2];
	struct thread *lanes;
	unsigned width, alive, arrived, generation;
	const char *kind, *site;
	uint64_t order[2]; /* addresses for the sanitizer to order by */
};

struct array {
	const char *name;
	unsigned char *at;
	size_t bytes;
};

struct shared {
	unsigned char *memory;
	size_t room, used, limit, asked;
	struct array arrays[ARRAYS_MAX];
	int count;
};

/* State of a launch that its OS threads share. */
struct run {
	const struct simt_launch *launch;
	_Atomic uint64_t next; /* block */
	atomic_bool failed;
	char *error;
	size_t room;
	uint64_t order_end;
};

struct block {
	struct run *run;
	struct simt_place place;
	struct thread *threads;
	struct warp *warps;
	unsigned count, lanes, warp_count, alive; /* `lanes` make a warp */
	struct thread **queue;                    /* a ring of threads that can run */
	unsigned head, queued;
	struct fiber host;
	bool failed;
	unsigned arrived, generation; /* of the barrier */
	const char *barrier_site;
	uint64_t order[2];
	struct shared shared;
	unsigned char *stacks;
	void **retired; /* the sanitizer's fibers of finished blocks */
	size_t retired_count, retired_room;
	uint64_t random;
	struct simt_counts counts;
};

/* The thread that runs on this OS thread; NULL outside kernels. */
extern __thread struct thread *simt_self;

/* `block` for the launch of `run`; -1 when there is no memory. */
int block_init(struct block *block, struct run *run);
void block_release(struct block *block);
/* Runs block number `index` to its end or to its failure. */
void block_run(struct block *block, uint64_t index);

/* Fails the launch with the text and ends the calling thread's block. */
_Noreturn void simt_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* One warp-wide operation: `in` goes to the lane's slot, `compute` runs once all lanes have come,
 * the result is the lane's own. `kind` and `site` must be the same for all. */
const void *warp_meet(const char *kind, const char *site, const void *in, size_t bytes,
	void (*compute)(struct block *block, struct slots *slots));

int shared_init(struct shared *shared, size_t asked);
void shared_release(struct shared *shared);
/* Forgets the arrays and fills all of it with NaN. */
void shared_reset(struct shared *shared);
/* The name of an array written past its end, or NULL. */
const char *shared_overrun(const struct shared *shared);
/* Fails the launch unless the bytes lie in one array of this block. */
void shared_check(const void *address, size_t bytes, const char *what, const char *site);

/* Whether each block needs memory that no other has used: the race detector's shadow of it would
 * order blocks that nothing orders. */
bool memory_renewed(void);
void *memory_map(size_t bytes);
void memory_unmap(void *memory, size_t bytes);

#endif
