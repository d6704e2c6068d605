/* An import in SQL, from a copy of the other file that is called `source`; docs/store.md explains
 * the rules. Included by tune/store_import.c alone. */
#ifndef TUNE_STORE_MERGE_H
#define TUNE_STORE_MERGE_H

#include <stddef.h>

#include "tune/store_import.h"
#include "tune/store_statements.h"

/* clang-format off */

/* What quick_check does not see: a row for each fault, in words. */
static const char merge_check[] =
	"SELECT 'a ' || \"table\" || ' has lost its ' || parent"
	" FROM pragma_foreign_key_check(NULL, 'source')"
	" UNION ALL "
	"SELECT 'trial ' || trial.id || ' is ranked, but did not go well or is of another build'"
	" FROM source.ranking JOIN source.trial ON trial.id = ranking.trial"
	" JOIN source.decision ON decision.id = ranking.decision"
	" WHERE outcome != 'ok'"
	" OR (trial.shape, trial.code, trial.compiler)"
	" != (decision.shape, decision.code, decision.compiler)"
	" UNION ALL "
	"SELECT 'decision ' || id || ' has no winner' FROM source.decision"
	" WHERE id NOT IN (SELECT decision FROM source.ranking WHERE rank = 0)"
	" UNION ALL "
	"SELECT 'trial ' || their.id || ' has the uid of another here'"
	" FROM source.trial AS their JOIN main.trial AS our USING (uid)"
	" WHERE (their.schedule, their.outcome, their.samples, their.code, their.created)"
	" != (our.schedule, our.outcome, our.samples, our.code, our.created)";

/* Which row here is the same as one there. */
#define SHAPES_HERE \
	"WITH same (theirs, ours) AS MATERIALIZED (SELECT their.id, our.id" \
	" FROM source.shape AS their" \
	" JOIN source.device AS their_device ON their_device.id = their.device" \
	" JOIN main.device AS our_device ON our_device.fingerprint = their_device.fingerprint" \
	" JOIN main.shape AS our ON our.device = our_device.id AND our.pass = their.pass" \
	" AND our.dtype = their.dtype AND our.heads = their.heads AND our.dim = their.dim" \
	" AND our.window = their.window AND our.tokens = their.tokens" \
	" AND our.longest = their.longest AND our.cache = their.cache) "
#define WORKLOAD_HERE \
	" JOIN source.workload AS their_workload ON their_workload.id = their.workload" \
	" JOIN main.workload AS our_workload ON our_workload.lens = their_workload.lens" \
	" AND our_workload.tokens = their_workload.tokens" \
	" AND our_workload.longest = their_workload.longest"

#define COPIED(name) ", " #name
#define COPIED_THEIRS(name) ", their." #name

/* A ranking's trials in order: the last word between two. */
#define UIDS(schema, id) \
	"(SELECT group_concat(uid) FROM (SELECT uid FROM " schema ".ranking" \
	" JOIN " schema ".trial ON trial.id = ranking.trial" \
	" WHERE ranking.decision = " id " ORDER BY rank))"
#define IS_BETTER \
	"(" PRECEDENCE("our.origin") ", their.decided, " UIDS("source", "their.id") \
	", their.decision) > (" PRECEDENCE("their.origin") ", our.decided, " \
	UIDS("main", "our.id") ", our.decision)"

#define COUNT(member) offsetof(struct import_counts, member)
#define UNCOUNTED ((size_t)-1)

/* In one change, in this order. What a step changes or finds is the number counted. */
static const struct {
	const char *sql;
	size_t count;
} merge_steps[] = {
	/* In the copy: what was local there is imported here. */
	{"UPDATE source.trial SET source = :path WHERE source = ''", UNCOUNTED},
	{"UPDATE source.trial SET origin = 'imported' WHERE origin = 'local'", UNCOUNTED},
	{"UPDATE source.decision SET origin = 'imported' WHERE origin = 'local'", UNCOUNTED},
	{"SELECT count(*) FROM source.trial WHERE uid IN (SELECT uid FROM main.trial)",
		COUNT(trials_known)},
	{"INSERT INTO main.device (fingerprint, backend, model, architecture, units)"
	 " SELECT fingerprint, backend, model, architecture, units FROM source.device"
	 " WHERE id IN (SELECT device FROM source.shape WHERE id IN"
	 " (SELECT shape FROM source.trial)) ON CONFLICT DO NOTHING", UNCOUNTED},
	{"INSERT INTO main.shape"
	 " (device, pass, dtype, heads, dim, window, tokens, longest, cache)"
	 " SELECT our_device.id, pass, dtype, heads, dim, window, tokens, longest, cache"
	 " FROM source.shape AS their"
	 " JOIN source.device AS their_device ON their_device.id = their.device"
	 " JOIN main.device AS our_device ON our_device.fingerprint = their_device.fingerprint"
	 " WHERE their.id IN (SELECT shape FROM source.trial) ON CONFLICT DO NOTHING", UNCOUNTED},
	{"INSERT INTO main.workload (lens, tokens, longest)"
	 " SELECT lens, tokens, longest FROM source.workload"
	 " WHERE id IN (SELECT workload FROM source.trial) ON CONFLICT DO NOTHING", UNCOUNTED},
	{"UPDATE main.trial SET origin = their.origin, source = their.source"
	 " FROM source.trial AS their WHERE their.uid = trial.uid"
	 " AND (" PRECEDENCE("their.origin") ", their.source)"
	 " < (" PRECEDENCE("trial.origin") ", trial.source)", UNCOUNTED},
	{SHAPES_HERE
	 "INSERT INTO main.trial (uid, shape, workload, origin, source" TRIAL_COLUMNS(COPIED) ")"
	 " SELECT uid, same.ours, our_workload.id, origin, source" TRIAL_COLUMNS(COPIED_THEIRS)
	 " FROM source.trial AS their JOIN same ON same.theirs = their.shape" WORKLOAD_HERE
	 " WHERE uid NOT IN (SELECT uid FROM main.trial) ORDER BY their.id", COUNT(trials_new)},
	{"INSERT INTO main.judgement"
	 " (trial, tensor, ceiling, rel, sequence_rel, nmse, sequence, token, head, dimension, got,"
	 " want)"
	 " SELECT our.id, tensor, ceiling, rel, sequence_rel, nmse, sequence, token, head, dimension,"
	 " got, want"
	 " FROM source.judgement JOIN source.trial AS their ON their.id = judgement.trial"
	 " JOIN main.trial AS our ON our.uid = their.uid"
	 " WHERE true ORDER BY judgement.rowid ON CONFLICT DO NOTHING", UNCOUNTED},
	{"CREATE TABLE source.coming AS " SHAPES_HERE
	 "SELECT their.*, same.ours AS shape_here, our.id AS replaced, CASE WHEN our.id IS NULL"
	 " THEN 'new' WHEN " IS_BETTER " THEN 'better' ELSE 'kept' END AS fate"
	 " FROM source.decision AS their JOIN same ON same.theirs = their.shape"
	 " LEFT JOIN main.decision AS our ON our.shape = same.ours AND our.code = their.code"
	 " AND our.compiler = their.compiler", UNCOUNTED},
	{"SELECT count(*) FROM source.coming WHERE fate = 'new'", COUNT(winners_new)},
	{"SELECT count(*) FROM source.coming WHERE fate = 'better'", COUNT(winners_replaced)},
	{"SELECT count(*) FROM source.coming WHERE fate = 'kept'", COUNT(winners_kept)},
	{"DELETE FROM source.coming WHERE fate = 'kept'", UNCOUNTED},
	{"DELETE FROM main.decision WHERE id IN (SELECT replaced FROM source.coming)", UNCOUNTED},
	{"INSERT INTO main.decision (shape, code, compiler, decision, decided, origin)"
	 " SELECT shape_here, code, compiler, decision, decided, origin"
	 " FROM source.coming ORDER BY id", UNCOUNTED},
	{"INSERT INTO main.ranking (decision, rank, shape, trial)"
	 " SELECT decision.id, their.rank, decision.shape, our_trial.id"
	 " FROM source.coming JOIN main.decision ON decision.shape = coming.shape_here"
	 " AND decision.code = coming.code AND decision.compiler = coming.compiler"
	 " JOIN source.ranking AS their ON their.decision = coming.id"
	 " JOIN source.trial AS their_trial ON their_trial.id = their.trial"
	 " JOIN main.trial AS our_trial ON our_trial.uid = their_trial.uid", UNCOUNTED},
	{"DELETE FROM main.miss WHERE shape IN (SELECT shape_here FROM source.coming)", UNCOUNTED},
};

/* clang-format on */

#endif
