#include "tune/store_statements.h"

/* clang-format off */

#define NAMED(name) ", " #name
#define BOUND(name) ", :" #name

#define SHAPES "shape JOIN device ON device.id = shape.device"
#define IS_KEY \
	"fingerprint = :device AND pass = :pass AND dtype = :dtype AND heads = :heads" \
	" AND dim = :dim AND window = :window AND cache = :cache" \
	" AND shape.tokens = :tokens AND shape.longest = :longest"
#define THE_SHAPE "(SELECT shape.id FROM " SHAPES " WHERE " IS_KEY ")"
#define IS_WORKLOAD \
	"workload.lens = :lens AND workload.tokens = :exact_tokens" \
	" AND workload.longest = :exact_longest"
#define SELECTED(name, sql) sql ", "

/* Trials; ranked are those in the shape's ranking of the build asked for, or else its first. */
#define ROWS \
	"SELECT " ROW_COLUMNS(SELECTED) "NULL FROM " SHAPES \
	" LEFT JOIN decision ON decision.id =" \
	" (SELECT one.id FROM decision AS one WHERE one.shape = shape.id" \
	" ORDER BY one.code = :code AND one.compiler = :compiler DESC, " \
	PRECEDENCE("one.origin") ", one.decided DESC, one.code, one.compiler LIMIT 1)" \
	" JOIN trial ON trial.shape = shape.id" \
	" JOIN workload ON workload.id = trial.workload" \
	" LEFT JOIN ranking ON ranking.trial = trial.id AND ranking.decision = decision.id"

const char *const store_statements[STATEMENT_COUNT] = {
	[ADD_DEVICE] =
		"INSERT INTO device (fingerprint, backend, model, architecture, units)"
		" VALUES (:device, :backend, :model, :architecture, :units)"
		" ON CONFLICT DO NOTHING",
	[ADD_SHAPE] =
		"INSERT INTO shape (device, pass, dtype, heads, dim, window, tokens, longest, cache)"
		" SELECT id, :pass, :dtype, :heads, :dim, :window, :tokens, :longest, :cache"
		" FROM device WHERE fingerprint = :device"
		" ON CONFLICT DO NOTHING",
	[ADD_WORKLOAD] =
		"INSERT INTO workload (lens, tokens, longest)"
		" VALUES (:lens, :exact_tokens, :exact_longest)"
		" ON CONFLICT DO NOTHING",
	[ADD_TRIAL] =
		"INSERT INTO trial (shape, workload" TRIAL_COLUMNS(NAMED) ")"
		" SELECT shape.id, workload.id" TRIAL_COLUMNS(BOUND)
		" FROM " SHAPES ", workload WHERE " IS_KEY " AND " IS_WORKLOAD,
	[ADD_JUDGEMENT] =
		"INSERT INTO judgement"
		" (trial, tensor, ceiling, rel, sequence_rel, nmse, sequence, token, head, dimension,"
		" got, want)"
		" VALUES (:trial, :tensor, :ceiling, :rel, :sequence_rel, :nmse, :sequence, :token,"
		" :head, :dimension, :got, :want)",
	[DROP_DECISION] =
		"DELETE FROM decision"
		" WHERE shape = " THE_SHAPE " AND code = :code AND compiler = :compiler",
	[ADD_DECISION] =
		"INSERT INTO decision (shape, code, compiler, decision, decided)"
		" VALUES (" THE_SHAPE ", :code, :compiler, :decision, :decided)",
	[ADD_RANK] =
		"INSERT INTO ranking (decision, rank, shape, trial)"
		" SELECT decision.id, :rank, trial.shape, trial.id"
		" FROM trial JOIN decision USING (shape, code, compiler) WHERE trial.id = :trial",
	[READ_RANKING] =
		ROWS " WHERE " IS_KEY " AND rank IS NOT NULL ORDER BY rank",
	[READ_EACH] =
		ROWS " WHERE :all OR rank IS NOT NULL"
		" ORDER BY fingerprint, pass DESC, dtype, heads, dim, window, shape.tokens,"
		" shape.longest, cache, rank IS NULL, rank, trial.id",
	[READ_JUDGEMENTS] =
		"SELECT tensor, ceiling, rel, sequence_rel, nmse, sequence, token, head, dimension,"
		" got, want"
		" FROM judgement WHERE trial = :trial ORDER BY rowid",
	[ADD_MISS] =
		"INSERT INTO miss (shape, workload, seed, asked)"
		" SELECT shape.id, workload.id, :seed, :asked"
		" FROM " SHAPES ", workload WHERE " IS_KEY " AND " IS_WORKLOAD
		" ON CONFLICT (shape) DO UPDATE SET workload = excluded.workload,"
		" seed = excluded.seed, asked = excluded.asked, times = times + 1",
	[DROP_MISS] =
		"DELETE FROM miss WHERE shape = " THE_SHAPE,
	[READ_MISSES] =
		"SELECT " MISS_COLUMNS(SELECTED) "NULL FROM " SHAPES
		" JOIN miss ON miss.shape = shape.id JOIN workload ON workload.id = miss.workload"
		" ORDER BY times DESC, asked DESC, shape.id",
	[READ_RANKED] =
		"SELECT " KEY_COLUMNS(SELECTED) "NULL FROM " SHAPES
		" WHERE fingerprint = :device AND pass = :pass AND dtype = :dtype AND dim = :dim"
		" AND cache = :cache AND (window < 0) = (:window < 0) AND NOT (" IS_KEY ")"
		" AND shape.id IN (SELECT shape FROM decision)"
		" ORDER BY shape.tokens, shape.longest, heads, window",
	[READ_FAILURE] =
		"SELECT outcome, why, created FROM " SHAPES
		" JOIN trial AS failed ON failed.shape = shape.id"
		" WHERE fingerprint = :device AND pass = :pass AND dtype = :dtype"
		" AND schedule = :schedule AND code = :code AND compiler = :compiler"
		" AND outcome IN ('run-failed', 'timed-out') AND NOT EXISTS"
		" (SELECT 1 FROM trial AS later WHERE later.shape = failed.shape"
		" AND later.schedule = failed.schedule AND later.outcome = 'ok'"
		" AND later.code = failed.code AND later.compiler = failed.compiler"
		" AND (later.created, later.id) > (failed.created, failed.id))"
		" ORDER BY created DESC, failed.id DESC LIMIT 1",
	[ADD_CHECKPOINT] =
		"INSERT INTO checkpoint (shape, workload, owner, code, compiler, driver, rounds,"
		" pattern, seed, done, saved)"
		" SELECT shape.id, workload.id, :owner, :code, :compiler, :driver, :rounds,"
		" :pattern, :seed, :done, :saved"
		" FROM " SHAPES ", workload WHERE " IS_KEY " AND " IS_WORKLOAD,
	[ADD_CANDIDATE] =
		"INSERT INTO candidate"
		" (checkpoint, schedule, outcome, why, samples, marks, sample_count, batch, fell)"
		" VALUES (:checkpoint, :schedule, :outcome, :why, :samples, :marks, :sample_count,"
		" :batch, :fell)",
	[DROP_CHECKPOINTS] =
		"DELETE FROM checkpoint WHERE shape = " THE_SHAPE
		" AND (owner = :owner OR (:gone_too AND is_gone(owner)))",
	[DROP_OLD_CHECKPOINTS] =
		"DELETE FROM checkpoint WHERE shape = " THE_SHAPE " AND is_gone(owner)"
		" AND (code, compiler) != (:code, :compiler)",
	[TAKE_CHECKPOINT] =
		"UPDATE OR REPLACE checkpoint SET owner = :owner WHERE id ="
		" (SELECT one.id FROM checkpoint AS one JOIN workload ON workload.id = one.workload"
		" WHERE one.shape = " THE_SHAPE " AND " IS_WORKLOAD
		" AND one.code = :code AND one.compiler = :compiler AND one.driver = :driver"
		" AND one.rounds = :rounds AND one.pattern = :pattern AND one.seed = :seed"
		" AND (one.owner = :owner OR is_gone(one.owner))"
		" ORDER BY one.done DESC, one.owner = :owner DESC, one.id LIMIT 1)"
		" RETURNING id, done",
	[READ_CANDIDATES] =
		"SELECT " CANDIDATE_COLUMNS(SELECTED) "NULL"
		" FROM candidate WHERE checkpoint = :checkpoint ORDER BY rowid",
};

/* clang-format on */
