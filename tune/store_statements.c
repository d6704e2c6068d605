#include "tune/store_statements.h"

/* clang-format off */

/* Columns of a trial that are bound to a parameter of the same name. */
#define TRIAL_COLUMNS(COLUMN) \
	COLUMN(schedule) COLUMN(outcome) COLUMN(why) COLUMN(warning) COLUMN(samples) \
	COLUMN(sample_count) COLUMN(min) COLUMN(first_quartile) COLUMN(median) \
	COLUMN(third_quartile) COLUMN(max) COLUMN(batch) COLUMN(flops) COLUMN(bytes) \
	COLUMN(fraction) COLUMN(floor_seconds) COLUMN(scratch) COLUMN(code) COLUMN(compiler) \
	COLUMN(driver) COLUMN(rounds) COLUMN(time_limit) COLUMN(seed) COLUMN(stop) \
	COLUMN(version) COLUMN(created)
#define NAMED(name) ", " #name
#define BOUND(name) ", :" #name

#define SHAPES "shape JOIN device ON device.id = shape.device"
#define IS_KEY \
	"fingerprint = :device AND pass = :pass AND dtype = :dtype AND heads = :heads" \
	" AND dim = :dim AND window = :window AND cache = :cache" \
	" AND shape.tokens = :tokens AND shape.longest = :longest"
#define IS_WORKLOAD \
	"workload.lens = :lens AND workload.tokens = :exact_tokens" \
	" AND workload.longest = :exact_longest"
#define SELECTED(name, sql) sql ", "
#define ROWS \
	"SELECT " ROW_COLUMNS(SELECTED) "NULL FROM " SHAPES \
	" JOIN trial ON trial.shape = shape.id" \
	" JOIN workload ON workload.id = trial.workload" \
	" LEFT JOIN ranking ON ranking.trial = trial.id" \
	" LEFT JOIN decision ON decision.shape = ranking.shape"

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
		" WHERE shape = (SELECT shape.id FROM " SHAPES " WHERE " IS_KEY ")",
	[ADD_DECISION] =
		"INSERT INTO decision (shape, decision, decided)"
		" SELECT shape.id, :decision, :decided FROM " SHAPES " WHERE " IS_KEY,
	[ADD_RANK] =
		"INSERT INTO ranking (shape, rank, trial)"
		" SELECT shape.id, :rank, trial.id"
		" FROM " SHAPES " JOIN trial ON trial.shape = shape.id"
		" WHERE " IS_KEY " AND trial.id = :trial AND outcome = 'ok'",
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
};

/* clang-format on */
