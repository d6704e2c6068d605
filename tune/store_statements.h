/* What the store says to SQLite, beside its schema. */
#ifndef TUNE_STORE_STATEMENTS_H
#define TUNE_STORE_STATEMENTS_H

/* clang-format off */

/* Columns of a trial that are written as they are. */
#define TRIAL_COLUMNS(COLUMN) \
	COLUMN(schedule) COLUMN(outcome) COLUMN(why) COLUMN(warning) COLUMN(samples) \
	COLUMN(marks) COLUMN(sample_count) COLUMN(min) COLUMN(first_quartile) COLUMN(median) \
	COLUMN(third_quartile) COLUMN(max) COLUMN(batch) COLUMN(flops) COLUMN(bytes) \
	COLUMN(fraction) COLUMN(floor_seconds) COLUMN(scratch) COLUMN(code) COLUMN(compiler) \
	COLUMN(driver) COLUMN(rounds) COLUMN(time_limit) COLUMN(seed) COLUMN(stop) \
	COLUMN(version) COLUMN(created)

/* Columns of the statements that read rows, each with what fills it; those of a key first. */
#define KEY_COLUMNS(COLUMN) \
	COLUMN(DEVICE, "fingerprint") \
	COLUMN(PASS, "pass") \
	COLUMN(DTYPE, "dtype") \
	COLUMN(HEADS, "heads") \
	COLUMN(DIM, "dim") \
	COLUMN(WINDOW, "window") \
	COLUMN(TOKENS, "shape.tokens") \
	COLUMN(LONGEST, "shape.longest") \
	COLUMN(COLD, "cache = 'cold'")

#define ROW_COLUMNS(COLUMN) \
	KEY_COLUMNS(COLUMN) \
	COLUMN(TRIAL, "trial.id") \
	COLUMN(RANK, "ifnull(rank, -1)") \
	COLUMN(DECISION, "iif(rank IS NULL, 'none', decision.decision)") \
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
	COLUMN(MARKS, "marks") \
	COLUMN(SAMPLE_COUNT, "sample_count") \
	COLUMN(BATCH, "batch") \
	COLUMN(SCRATCH, "scratch") \
	COLUMN(FLOPS, "flops") \
	COLUMN(BYTES, "bytes") \
	COLUMN(FRACTION, "fraction") \
	COLUMN(FLOOR_SECONDS, "floor_seconds") \
	COLUMN(CODE, "trial.code") \
	COLUMN(COMPILER, "trial.compiler") \
	COLUMN(DRIVER, "driver") \
	COLUMN(ARCHITECTURE, "architecture") \
	COLUMN(LENS, "lens") \
	COLUMN(VERSION, "version") \
	COLUMN(CREATED, "created") \
	COLUMN(ORIGIN, "trial.origin") \
	COLUMN(SOURCE, "source") \
	COLUMN(EXACT_TOKENS, "workload.tokens") \
	COLUMN(EXACT_LONGEST, "workload.longest")

#define MISS_COLUMNS(COLUMN) \
	KEY_COLUMNS(COLUMN) \
	COLUMN(LENS, "lens") \
	COLUMN(EXACT_TOKENS, "workload.tokens") \
	COLUMN(EXACT_LONGEST, "workload.longest") \
	COLUMN(SEED, "seed") \
	COLUMN(ASKED, "asked") \
	COLUMN(TIMES, "times")

#define CANDIDATE_COLUMNS(COLUMN) \
	COLUMN(SCHEDULE, "schedule") \
	COLUMN(OUTCOME, "outcome") \
	COLUMN(WHY, "why") \
	COLUMN(SAMPLES, "samples") \
	COLUMN(MARKS, "marks") \
	COLUMN(SAMPLE_COUNT, "sample_count") \
	COLUMN(BATCH, "batch") \
	COLUMN(FELL, "fell")

enum key_column {
#define COLUMN(name, sql) KEY_##name,
	KEY_COLUMNS(COLUMN)
#undef COLUMN
};

enum row_column {
#define COLUMN(name, sql) ROW_##name,
	ROW_COLUMNS(COLUMN)
#undef COLUMN
};

enum miss_column {
#define COLUMN(name, sql) MISS_##name,
	MISS_COLUMNS(COLUMN)
#undef COLUMN
};

enum candidate_column {
#define COLUMN(name, sql) CANDIDATE_##name,
	CANDIDATE_COLUMNS(COLUMN)
#undef COLUMN
};

/* Which of two rankings goes first: of less precedence, then decided later. */
#define PRECEDENCE(origin) "instr('local imported shipped', " origin ")"

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
	ADD_MISS,
	DROP_MISS,
	READ_MISSES,
	READ_RANKED,
	READ_FAILURE,
	ADD_CHECKPOINT,
	ADD_CANDIDATE,
	DROP_CHECKPOINTS,
	DROP_OLD_CHECKPOINTS,
	TAKE_CHECKPOINT,
	READ_CANDIDATES,
	STATEMENT_COUNT,
};

extern const char *const store_statements[STATEMENT_COUNT];

/* clang-format on */

#endif
