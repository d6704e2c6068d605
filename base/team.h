/* A team of threads that share out numbered items of work. */
#ifndef BASE_TEAM_H
#define BASE_TEAM_H

#include <stdint.h>

#include "base/err.h"

struct team;

/* `threads` workers, the caller included. NULL and a filled `err` on failure. */
struct team *team_new(int threads, struct err *err);
void team_free(struct team *team); /* NULL is fine */
int team_size(const struct team *team);

/* Calls `work(context, item, thread)` for every item in [0, items), handed out in ascending order
 * to whichever thread is free (put the longest first), and returns when all are done. `thread` is
 * in [0, team_size), one per running thread: index scratch space by it. Not re-entrant. */
void team_run(struct team *team, int64_t items,
	void (*work)(void *context, int64_t item, int thread), void *context);

/* Processors this process may run on. */
int team_processors(void);

#endif
