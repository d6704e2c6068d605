/* What the store says to SQLite, beside its schema. Included by tune/store.c alone. */
#ifndef TUNE_STORE_STATEMENTS_H
#define TUNE_STORE_STATEMENTS_H

/* clang-format off */

/* Columns of the statements that read rows, each with what fills it. */
#define ROW_COLUMNS(COLUMN) \
	COLUMN(DEVICE, "fingerprint") \
	COLUMN(PASS, "pass") \
	COLUMN(DTYPE, "dtype") \
	COLUMN(HEADS, "heads") \
	COLUMN(DIM, "dim") \
	COLUMN(WINDOW, "window") \
	COLUMN(TOKENS, "shape.tokens") \
	COLUMN(LONGEST, "shape.longest") \
	COLUMN(COLD, "cache = 'cold'") \
	COLUMN(TRIAL, "trial.id") \
	COLUMN(RANK, "ifnull(rank, -1)") \
	COLUMN(DECISION, "ifnull(decision, 'none')") \
	COLUMN(SCHEDULE, "schedule") \
	COLUMN(OUTCOME, "outcome") \
	COLUMN(WHY, "why") \
	COLUMN(WARNING, "warning") \
	COLUMN(STOP, "stop") \
	COLUMN(MIN, "min") \
	COLUMN(FIRST_QUARTILE, "first_quartile") \
	COLUMN(MEDIAN, "median") \
	COLUMN(THIRD_QUARTILE, "third_quartile") \
	COLUMN(MAX, "max") \
	COLUMN(SAMPLES, "samples") \
	COLUMN(SAMPLE_COUNT, "sample_count") \
	COLUMN(BATCH, "batch") \
	COLUMN(SCRATCH, "scratch") \
	COLUMN(FLOPS, "flops") \
	COLUMN(BYTES, "bytes") \
	COLUMN(FRACTION, "fraction") \
	COLUMN(FLOOR_SECONDS, "floor_seconds") \
	COLUMN(CODE, "code") \
	COLUMN(COMPILER, "compiler") \
	COLUMN(DRIVER, "driver") \
	COLUMN(LENS, "lens") \
	COLUMN(VERSION, "version") \
	COLUMN(CREATED, "created") \
	COLUMN(EXACT_TOKENS, "workload.tokens") \
	COLUMN(EXACT_LONGEST, "workload.longest")

enum row_column {
#define COLUMN(name, sql) ROW_##name,
	ROW_COLUMNS(COLUMN)
#undef COLUMN
};

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

enum statement {
	ADD_DEVICE,
	ADD_SHAPE,
	ADD_WORKLOAD,
	ADD_TRIAL,
	ADD_JUDGEMENT,
	DROP_DECISION,
	ADD_DECISION,
	ADD_RANK,
	READ_RANKING,
	READ_EACH,
	READ_JUDGEMENTS,
	STATEMENT_COUNT,
};

static const char *const statements[STATEMENT_COUNT] = {
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

#endif
