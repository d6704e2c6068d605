#include "tune/store_miss.h"

#include <stdlib.h>

#include "tune/store_place.h"
#include "tune/store_sqlite.h"

static int add_miss(struct store *store, const struct key *key, const struct problem *problem,
	const struct circumstances *circumstances, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_MISS);

	put_key(statement, key);
	put_workload(statement, circumstances->lens, problem);
	put_seed(statement, circumstances->protocol->seed);
	put_now(statement, ":asked");
	return statement_run(store, statement, err);
}

int store_add_miss(struct store *store, const struct key *key, const struct problem *problem,
	const struct circumstances *circumstances, struct err *err)
{
	int status = change_begin(store, err);

	if (status)
		return -1;
	status = place_add(store, key, problem, circumstances, err);
	if (!status)
		status = add_miss(store, key, problem, circumstances, err);
	return change_end(store, status, err);
}

static int miss_read(
	const struct store *store, sqlite3_stmt *row, struct miss *miss, struct err *err)
{
	*miss = (struct miss){
		.lens = get_text(row, MISS_LENS),
		.tokens = sqlite3_column_int64(row, MISS_EXACT_TOKENS),
		.longest = sqlite3_column_int64(row, MISS_EXACT_LONGEST),
		.seed = strtoull(get_text(row, MISS_SEED), NULL, 10),
		.asked = get_text(row, MISS_ASKED),
		.times = sqlite3_column_int64(row, MISS_TIMES),
	};
	return key_read(store, row, &miss->key, err);
}

int store_each_miss(struct store *store, int (*visit)(void *context, const struct miss *miss),
	void *context, struct err *err)
{
	sqlite3_stmt *rows = statement_take(store, READ_MISSES);
	int code = SQLITE_DONE, status = 0, visited = 0;
	bool enough = false;

	while (!status && !enough && (code = sqlite3_step(rows)) == SQLITE_ROW) {
		struct miss miss;

		status = miss_read(store, rows, &miss, err);
		if (!status)
			enough = visit(context, &miss);
		visited++;
	}
	return rows_end(store, rows, code, err) || status ? -1 : visited;
}
