/* The search for a winner: a few rounds for all, finals for those still in sight of the best, and
 * an end as soon as more rounds would not change the verdict. */
#ifndef TUNE_SEARCH_H
#define TUNE_SEARCH_H

#include "tune/measure.h"

#define SEARCH_SCREENING 3   /* rounds for all */
#define SEARCH_BEHIND    1.5 /* what is this much slower than the best falls */
#define SEARCH_FINALS    10  /* rounds at least before a verdict */

/* Takes the rounds the protocol asks for: `rounds` of them for every candidate, or a search. Says
 * why it stopped in `contest->stop` and who fell in its story. -1 with ERR_INTERRUPTED keeps the
 * samples so far. */
int search_run(struct contest *contest, struct candidate *candidates, int count,
	const struct protocol *protocol, const struct watch *watch, struct err *err);

#endif
