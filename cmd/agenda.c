#include "cmd/agenda.h"

#include <stdlib.h>

#include "base/str.h"

struct lengths {
	struct lens lens;
	char *spec;
	struct lengths *next;
};

static void *need(void *memory)
{
	if (!memory)
		bug("no memory for a row of the agenda");
	return memory;
}

/* New lengths at the head of the list. */
static struct lengths *lengths_new(struct agenda *agenda, const char *spec)
{
	struct lengths *lengths = need(calloc(1, sizeof *lengths));

	lengths->spec = str_copy(spec);
	lengths->next = agenda->lengths;
	return agenda->lengths = lengths;
}

static void add_task(struct agenda *agenda, const struct task *task)
{
	if (agenda->count == agenda->room) {
		agenda->room = agenda->room ? 2 * agenda->room : 16;
		agenda->tasks =
			need(realloc(agenda->tasks, (size_t)agenda->room * sizeof *agenda->tasks));
	}
	agenda->tasks[agenda->count++] = *task;
}

int agenda_add(struct agenda *agenda, const struct sweep *sweep, struct err *err)
{
	struct lengths *lengths = lengths_new(agenda, sweep->spec);

	if (lens_parse(&lengths->lens, sweep->spec, (uint64_t)sweep->seed, err))
		return -1;
	for (int i = 0; i < sweep->dtype_count; i++)
		for (int j = 0; j < sweep->window_count; j++)
			add_task(agenda, &(struct task){
						 .lens = &lengths->lens,
						 .spec = lengths->spec,
						 .heads = sweep->heads,
						 .window = sweep->windows[j],
						 .dtype = sweep->dtypes[i],
						 .passes = {sweep->passes[0], sweep->passes[1]},
						 .seed = sweep->seed,
					 });
	return 0;
}

void agenda_shard(struct agenda *agenda, int64_t shard, int64_t shards)
{
	int64_t kept = 0;

	for (int64_t i = shard - 1; i < agenda->count; i += shards)
		agenda->tasks[kept++] = agenda->tasks[i];
	agenda->count = kept;
}

void agenda_release(struct agenda *agenda)
{
	while (agenda->lengths) {
		struct lengths *lengths = agenda->lengths;

		agenda->lengths = lengths->next;
		lens_release(&lengths->lens);
		free(lengths->spec);
		free(lengths);
	}
	free(agenda->tasks);
	*agenda = (struct agenda){0};
}
