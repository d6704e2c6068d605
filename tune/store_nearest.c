#include "tune/store_nearest.h"

#include <stdlib.h>
#include <string.h>

#include "tune/store_place.h"
#include "tune/store_sqlite.h"

/* How far a key is from another, what counts most first. */
struct distance {
	int64_t parts[4];
};

/* 0 for 0, else one more than the power of two. */
static int bits(int64_t value)
{
	return value > 0 ? 64 - __builtin_clzll((unsigned long long)value) : 0;
}

static struct distance distance_between(const struct key *a, const struct key *b)
{
	return (struct distance){{
		a->heads != b->heads,
		abs(bits(a->tokens) - bits(b->tokens)) + abs(bits(a->longest) - bits(b->longest)),
		llabs(a->heads - b->heads),
		llabs(a->window - b->window),
	}};
}

static bool is_nearer(const struct distance *a, const struct distance *b)
{
	for (int i = 0; i < 4; i++)
		if (a->parts[i] != b->parts[i])
			return a->parts[i] < b->parts[i];
	return false;
}

int store_nearest(struct store *store, const struct key *key, struct key *nearest, struct err *err)
{
	sqlite3_stmt *rows = statement_take(store, READ_RANKED);
	struct distance least = {{INT64_MAX}};
	int code = SQLITE_DONE, status = 0, found = 0;

	put_key(rows, key);
	while (!status && (code = sqlite3_step(rows)) == SQLITE_ROW) {
		struct key other;
		struct distance distance;

		status = key_read(store, rows, &other, err);
		distance = distance_between(key, &other);
		if (status || !is_nearer(&distance, &least))
			continue;
		*nearest = other;
		least = distance;
		found = 1;
	}
	return rows_end(store, rows, code, err) || status ? -1 : found;
}
