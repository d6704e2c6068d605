/* What the store says to SQLite, beside its schema. */
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

extern const char *const store_statements[STATEMENT_COUNT];

/* clang-format on */

#endif
