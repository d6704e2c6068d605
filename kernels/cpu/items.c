#include "kernels/cpu/items.h"

#include <stdlib.h>

#include "base/mem.h"
#include "kernels/cpu/span.h"

#define ITEMS_A_THREAD 4   /* so that the last one to finish is not long alone */
#define LEAST_ROWS     256 /* below this, packing the keys again costs more than it gains */
#define MOST_DQ_PARTS  8   /* partial dQ costs memory: a whole dQ a part */

static double head_work(const struct problem *problem, int64_t length)
{
	int64_t seen =
		problem->window == NO_WINDOW ? length : least(length, 2 * problem->window + 1);
	return (double)length * (double)seen;
}

static int64_t head_parts(
	const struct problem *problem, enum pass pass, int64_t length, double share, int threads)
{
	if (threads == 1)
		return 1;
	int64_t wanted = (int64_t)(head_work(problem, length) / share) + 1;
	int64_t parts = most(1, least(wanted, length / LEAST_ROWS));
	if (pass == PASS_BACKWARD)
		parts = least(parts, MOST_DQ_PARTS);
	/* Shares are whole multiples of 64 rows: fewer may cover the sequence. */
	while (parts > 1 && part_of(length, parts, parts - 1).first >= length)
		parts--;
	return parts;
}

static int by_work(const void *left, const void *right)
{
	const struct cpu_item *a = left, *b = right;
	if (a->work != b->work)
		return a->work < b->work ? 1 : -1;
	return a->sequence != b->sequence ? (a->sequence > b->sequence ? 1 : -1)
	       : a->head != b->head       ? (a->head > b->head ? 1 : -1)
					  : (a->part > b->part ? 1 : -1);
}

static void add_head(struct cpu_items *items, const struct problem *problem, int64_t sequence,
	int64_t head, int64_t parts)
{
	int64_t length = problem->lens[sequence];
	for (int64_t part = 0; part < parts; part++) {
		struct span rows = part_of(length, parts, part);
		items->items[items->count++] = (struct cpu_item){
			.sequence = sequence,
			.head = head,
			.first = rows.first,
			.end = rows.end,
			.part = part,
			.parts = parts,
			.group = items->groups,
			.partial = items->partials,
			.work = head_work(problem, length) * (double)(rows.end - rows.first) /
				(double)length,
		};
		items->longest = most(items->longest, rows.end - rows.first);
	}
	if (parts > 1) {
		items->groups++;
		items->partials += parts * length * HEAD_DIM;
	}
}

int items_make(struct cpu_items *items, const struct problem *problem, enum pass pass, int threads,
	struct err *err)
{
	double total = 0;
	for (int64_t s = 0; s < problem->count; s++)
		total += head_work(problem, problem->lens[s]) * (double)problem->heads;
	double share = total / (double)(threads * ITEMS_A_THREAD);
	int64_t count = 0;
	for (int64_t s = 0; s < problem->count; s++)
		if (problem->lens[s])
			count += problem->heads *
				 head_parts(problem, pass, problem->lens[s], share, threads);
	items->items = mem_new(count, sizeof *items->items, "the list of work items", err);
	if (!items->items)
		return -1;
	for (int64_t s = 0; s < problem->count; s++)
		for (int64_t h = 0; problem->lens[s] && h < problem->heads; h++)
			add_head(items, problem, s, h,
				head_parts(problem, pass, problem->lens[s], share, threads));
	qsort(items->items, (size_t)items->count, sizeof *items->items, by_work);
	return 0;
}

void items_release(struct cpu_items *items)
{
	mem_free(items->items);
	*items = (struct cpu_items){0};
}
