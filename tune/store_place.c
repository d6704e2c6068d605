#include "tune/store_place.h"

#include <stdio.h>
#include <string.h>

void put_key(sqlite3_stmt *statement, const struct key *key)
{
	put_text(statement, ":device", key->device);
	put_text(statement, ":pass", pass_name(key->pass));
	put_text(statement, ":dtype", dtype_name(key->dtype));
	put_integer(statement, ":heads", key->heads);
	put_integer(statement, ":dim", key->dim);
	put_integer(statement, ":window", key->window);
	put_integer(statement, ":tokens", key->tokens);
	put_integer(statement, ":longest", key->longest);
	put_text(statement, ":cache", key->cold ? "cold" : "hot");
}

void put_workload(sqlite3_stmt *statement, const char *lens, const struct problem *problem)
{
	put_text(statement, ":lens", lens);
	put_integer(statement, ":exact_tokens", problem->tokens);
	put_integer(statement, ":exact_longest", problem->longest);
}

static int add_device(struct store *store, const struct key *key, const struct device_info *device,
	struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_DEVICE);
	char backend[sizeof device->name];

	snprintf(backend, sizeof backend, "%.*s", (int)strcspn(device->name, ":"), device->name);
	put_text(statement, ":device", key->device);
	put_text(statement, ":backend", backend);
	put_text(statement, ":model", device->model);
	put_text(statement, ":architecture", device->architecture);
	put_integer(statement, ":units", device->units);
	return statement_run(store, statement, err);
}

static int add_shape(struct store *store, const struct key *key, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_SHAPE);

	put_key(statement, key);
	return statement_run(store, statement, err);
}

static int add_workload(
	struct store *store, const char *lens, const struct problem *problem, struct err *err)
{
	sqlite3_stmt *statement = statement_take(store, ADD_WORKLOAD);

	put_workload(statement, lens, problem);
	return statement_run(store, statement, err);
}

int place_add(struct store *store, const struct key *key, const struct problem *problem,
	const struct circumstances *circumstances, struct err *err)
{
	if (add_device(store, key, circumstances->device, err) || add_shape(store, key, err))
		return -1;
	return add_workload(store, circumstances->lens, problem, err);
}

int key_read(const struct store *store, sqlite3_stmt *row, struct key *key, struct err *err)
{
	const char *const passes[] = {pass_name(PASS_FORWARD), pass_name(PASS_BACKWARD)};
	const char *device = get_text(row, KEY_DEVICE), *pass = get_text(row, KEY_PASS);
	const char *dtype = get_text(row, KEY_DTYPE);
	int which = name_find(pass, passes, PASS_COUNT);

	*key = (struct key){
		.pass = (enum pass)which,
		.heads = sqlite3_column_int64(row, KEY_HEADS),
		.dim = sqlite3_column_int64(row, KEY_DIM),
		.window = sqlite3_column_int64(row, KEY_WINDOW),
		.tokens = sqlite3_column_int64(row, KEY_TOKENS),
		.longest = sqlite3_column_int64(row, KEY_LONGEST),
		.cold = sqlite3_column_int(row, KEY_COLD),
	};
	if (which < 0)
		return refuse_row(store, "a shape", "pass", pass, err);
	if (!dtype_find(dtype, &key->dtype))
		return refuse_row(store, "a shape", "type", dtype, err);
	if (snprintf(key->device, sizeof key->device, "%s", device) >= (int)sizeof key->device)
		return refuse_row(store, "a shape", "device", device, err);
	return 0;
}
