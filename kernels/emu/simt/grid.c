/* A launch: its blocks shared out over OS threads. */
#include "kernels/emu/simt/block.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "kernels/emu/simt/fault.h"
#include "kernels/emu/simt/sanitizer.h"

#define FAULT_STACK 65536

struct worker {
	struct run *run;
	struct block block;
	pthread_t thread;
	unsigned char fault_stack[FAULT_STACK];
};

static void *worker_main(void *context)
{
	struct worker *worker = context;
	struct run *run = worker->run;
	uint64_t blocks = (uint64_t)run->launch->grid_x * run->launch->grid_y, index;
	fault_stack(worker->fault_stack, FAULT_STACK);
	while (!atomic_load(&run->failed) && (index = atomic_fetch_add(&run->next, 1)) < blocks)
		block_run(&worker->block, index);
	fault_stack(NULL, 0);
	return NULL;
}

static void counts_add(struct simt_counts *sum, const struct simt_counts *part)
{
	sum->blocks += part->blocks;
	sum->barriers += part->barriers;
	sum->mma += part->mma;
	sum->ldmatrix += part->ldmatrix;
	sum->conflicts += part->conflicts;
}

/* The calling thread is the first worker; one that cannot be had leaves its share to the others. */
static void workers_run(struct worker *workers, int count)
{
	int started = 1;
	while (started < count &&
		!pthread_create(&workers[started].thread, NULL, worker_main, &workers[started]))
		started++;
	worker_main(&workers[0]);
	for (int i = 1; i < started; i++)
		pthread_join(workers[i].thread, NULL);
}

int simt_run(struct simt_launch *launch, char *error, size_t room)
{
	struct run run = {.launch = launch, .error = error, .room = room};
	uint64_t blocks = (uint64_t)launch->grid_x * launch->grid_y;
	int wanted = launch->workers < 1 ? 1 : launch->workers, count = 0;
	if (blocks < (uint64_t)wanted)
		wanted = (int)blocks;
	launch->counts = (struct simt_counts){0};
	launch->warp = launch->warp ? launch->warp : SIMT_WARP;
	if (launch->threads < 1 || launch->threads > THREADS_MAX ||
		launch->threads % launch->warp) {
		snprintf(error, room, "%s: a block of %u threads is not 1 to %d whole warps",
			launch->name, launch->threads, THREADS_MAX / (int)launch->warp);
		return -1;
	}
	if (!blocks)
		return 0;
	struct worker *workers = calloc((size_t)wanted, sizeof *workers);
	struct fault_trap trap;
	while (workers && count < wanted) {
		workers[count].run = &run;
		if (block_init(&workers[count].block, &run))
			break;
		count++;
	}
	fault_catch(&trap);
	if (count)
		workers_run(workers, count);
	else
		snprintf(error, room, "%s: no memory for a block", launch->name);
	fault_release(&trap);
	order_acquire(&run.order_end);
	for (int i = 0; i < count; i++) {
		counts_add(&launch->counts, &workers[i].block.counts);
		block_release(&workers[i].block);
	}
	free(workers);
	return count && !atomic_load(&run.failed) ? 0 : -1;
}
