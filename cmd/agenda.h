/* The problems a session takes, in order. */
#ifndef CMD_AGENDA_H
#define CMD_AGENDA_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "data/lens.h"
#include "data/problem.h"

/* One problem, and the passes of it that are wanted. */
struct task {
	const struct lens *lens;
	const char *spec; /* of the lengths, as asked for */
	int64_t heads;
	int64_t window;
	enum dtype dtype;
	bool passes[PASS_COUNT];
	int64_t seed; /* of the tensors */
};

/* Lengths, and every type and window they are to be tried with. */
struct sweep {
	const char *spec;
	int64_t heads;
	const int64_t *windows;
	int window_count;
	const enum dtype *dtypes;
	int dtype_count;
	const bool *passes; /* [PASS_COUNT] */
	int64_t seed;       /* of drawn lengths, and of the tensors */
};

/* Zero-initialise; agenda_release frees it. */
struct agenda {
	struct task *tasks;
	int64_t count, room;
	struct lengths *lengths; /* what the tasks point to */
};

void agenda_release(struct agenda *agenda);

/* Adds the tasks of a sweep, window by window within each type. */
int agenda_add(struct agenda *agenda, const struct sweep *sweep, struct err *err);

/* Keeps every `shards`th task, beginning with the `shard`th; both count from 1. */
void agenda_shard(struct agenda *agenda, int64_t shard, int64_t shards);

#endif
