#include "cmd/keep.h"

#include "base/mem.h"

/* Fills `ids` with the number of each trial. */
static int keep_trials(struct store *store, const struct key *key, const struct contest *contest,
	const struct circumstances *circumstances, int64_t *ids, struct err *err)
{
	for (int i = 0; i < contest->count; i++)
		if (contest->trials[i].outcome != OUTCOME_UNTRIED &&
			store_add_trial(store, key, contest, &contest->trials[i], circumstances,
				&ids[i], err))
			return -1;
	return 0;
}

int keep_contest(struct store *store, const struct key *key, const struct contest *contest,
	const struct circumstances *circumstances, bool ranked, struct err *err)
{
	int64_t *ids = mem_new(contest->count, sizeof *ids, "trial numbers", err);
	int64_t *ranking = mem_new(contest->ranked, sizeof *ranking, "the ranking", err);
	int result = -1;

	if (!ids || !ranking || keep_trials(store, key, contest, circumstances, ids, err))
		goto out;
	for (int rank = 0; rank < contest->ranked; rank++)
		ranking[rank] = ids[contest->ranking[rank]];
	result = ranked && contest->decision != DECISION_NONE
			 ? store_set_winner(
				   store, key, contest->decision, ranking, contest->ranked, err)
			 : 0;
out:
	mem_free(ids);
	mem_free(ranking);
	return result;
}
