#include "cmd/plan_json.h"

#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "cmd/options.h"
#include "cmd/suggest.h"

#define MOST_BYTES ((size_t)16 << 20)

/* A row of the plan as read so far. */
struct row {
	const char *spec; /* NULL: none yet */
	int64_t heads;
	int64_t windows[MAX_WINDOWS];
	int window_count;
	enum dtype dtypes[DTYPE_COUNT];
	int dtype_count;
	bool passes[PASS_COUNT];
};

/* What a command line without options asks for; lengths have no default here. */
static const struct row defaults = {
	.heads = 12,
	.windows = {NO_WINDOW, 64},
	.window_count = 2,
	.dtypes = {DTYPE_F32},
	.dtype_count = 1,
	.passes = {true, true},
};

/* `value` is not what was wanted. */
static int refuse(const cJSON *value, const char *wanted, struct err *err)
{
	char *text = cJSON_PrintUnformatted(value);

	err_set(err, ERR_USAGE, "'%.60s' is not %s", text ? text : "", wanted);
	cJSON_free(text);
	return -1;
}

/* A whole number in [least, most]. */
static bool is_whole(const cJSON *value, double least, double most)
{
	return cJSON_IsNumber(value) && value->valuedouble >= least && value->valuedouble <= most &&
	       value->valuedouble == floor(value->valuedouble);
}

static int read_lens(struct row *row, const cJSON *value, struct err *err)
{
	if (!cJSON_IsString(value))
		return refuse(value, "a string; write lengths as --lens takes them", err);
	row->spec = value->valuestring;
	return 0;
}

static int read_heads(struct row *row, const cJSON *value, struct err *err)
{
	if (!is_whole(value, 1, INT32_MAX))
		return refuse(value, "a whole number from 1 to 2147483647", err);
	row->heads = (int64_t)value->valuedouble;
	return 0;
}

static int add_window(struct row *row, const cJSON *value, struct err *err)
{
	int64_t window = NO_WINDOW;

	if (is_whole(value, 0, LENS_MAX_LEN))
		window = (int64_t)value->valuedouble;
	else if (!cJSON_IsString(value) || strcmp(value->valuestring, "none"))
		return refuse(value, "a window; write \"none\" or a whole number, 0 or more", err);
	for (int i = 0; i < row->window_count; i++)
		if (row->windows[i] == window)
			return 0;
	if (row->window_count == MAX_WINDOWS)
		return err_set(
			err, ERR_USAGE, "more than %d; make two problems of it", MAX_WINDOWS);
	row->windows[row->window_count++] = window;
	return 0;
}

static int add_dtype(struct row *row, const cJSON *value, struct err *err)
{
	enum dtype dtype;

	if (!cJSON_IsString(value) || !dtype_find(value->valuestring, &dtype))
		return refuse(value, "a type; there are \"f32\", \"bf16\" and \"f16\"", err);
	for (int i = 0; i < row->dtype_count; i++)
		if (row->dtypes[i] == dtype)
			return 0;
	row->dtypes[row->dtype_count++] = dtype;
	return 0;
}

static int add_pass(struct row *row, const cJSON *value, struct err *err)
{
	for (enum pass pass = 0; pass < PASS_COUNT; pass++)
		if (cJSON_IsString(value) && !strcmp(value->valuestring, pass_name(pass))) {
			row->passes[pass] = true;
			return 0;
		}
	return refuse(value, "a pass; there are \"forward\" and \"backward\"", err);
}

/* Each element of the array `value`, of which there is one at least. */
static int read_each(struct row *row, const cJSON *value,
	int (*add)(struct row *row, const cJSON *value, struct err *err), struct err *err)
{
	const cJSON *element;

	if (!cJSON_IsArray(value) || !cJSON_GetArraySize(value))
		return refuse(value, "an array of one element or more", err);
	cJSON_ArrayForEach(element, value)
	{
		if (add(row, element, err))
			return -1;
	}
	return 0;
}

static int read_windows(struct row *row, const cJSON *value, struct err *err)
{
	row->window_count = 0;
	return read_each(row, value, add_window, err);
}

static int read_dtypes(struct row *row, const cJSON *value, struct err *err)
{
	row->dtype_count = 0;
	return read_each(row, value, add_dtype, err);
}

static int read_passes(struct row *row, const cJSON *value, struct err *err)
{
	memset(row->passes, 0, sizeof row->passes);
	return read_each(row, value, add_pass, err);
}

static const struct member {
	const char *name;
	int (*read)(struct row *row, const cJSON *value, struct err *err);
} members[] = {
	{"lens", read_lens},
	{"heads", read_heads},
	{"windows", read_windows},
	{"dtypes", read_dtypes},
	{"passes", read_passes},
};
#define MEMBER_COUNT ((int)(sizeof members / sizeof *members))

static const struct member *find_member(const char *name, struct err *err)
{
	const char *names[MEMBER_COUNT];

	for (int i = 0; i < MEMBER_COUNT; i++) {
		names[i] = members[i].name;
		if (!strcmp(names[i], name))
			return &members[i];
	}
	const char *near = suggest(name, names, MEMBER_COUNT);
	if (near)
		err_set(err, ERR_USAGE, "unknown member '%.60s'; did you mean '%s'?", name, near);
	else
		err_set(err, ERR_USAGE,
			"unknown member '%.60s'; there are lens, heads, windows, dtypes and passes",
			name);
	return NULL;
}

static int read_row(struct row *row, const cJSON *object, struct err *err)
{
	const cJSON *value;

	*row = defaults;
	if (!cJSON_IsObject(object))
		return refuse(object, "an object", err);
	cJSON_ArrayForEach(value, object)
	{
		const struct member *member = find_member(value->string, err);

		if (!member)
			return -1;
		if (member->read(row, value, err))
			return err_prefix(err, "%s", member->name);
	}
	if (!row->spec)
		return err_set(err, ERR_USAGE, "no lens; write lengths as --lens takes them");
	return 0;
}

static int add_row(struct agenda *agenda, const cJSON *object, int64_t seed, struct err *err)
{
	struct row row;

	if (read_row(&row, object, err))
		return -1;
	return agenda_add(agenda,
		&(struct sweep){
			.spec = row.spec,
			.heads = row.heads,
			.windows = row.windows,
			.window_count = row.window_count,
			.dtypes = row.dtypes,
			.dtype_count = row.dtype_count,
			.passes = row.passes,
			.seed = seed,
		},
		err);
}

static int add_rows(struct agenda *agenda, const cJSON *root, int64_t seed, struct err *err)
{
	const cJSON *problems = cJSON_GetObjectItemCaseSensitive(root, "problems"), *member;
	int number = 0;

	if (!cJSON_IsArray(problems) || !cJSON_GetArraySize(problems))
		return err_set(err, ERR_USAGE,
			"no problems; write {\"problems\": [{\"lens\": \"bench\"}]}");
	cJSON_ArrayForEach(member, root)
	{
		if (strcmp(member->string, "problems") && strcmp(member->string, "$schema"))
			return err_set(err, ERR_USAGE,
				"unknown member '%.60s'; a plan has problems", member->string);
	}
	cJSON_ArrayForEach(member, problems)
	{
		number++;
		if (add_row(agenda, member, seed, err))
			return err_prefix(err, "problem %d", number);
	}
	return 0;
}

static int line_of(const char *text, const char *at)
{
	int line = 1;

	for (; text < at && *text; text++)
		line += *text == '\n';
	return line;
}

int plan_read(struct agenda *agenda, const char *path, int64_t seed, struct err *err)
{
	const char *name = strcmp(path, "-") ? path : "standard input", *end = NULL;
	struct str text = {0};
	cJSON *root = NULL;
	int result = -1;

	if (file_read(path, MOST_BYTES, &text, err))
		goto out;
	root = cJSON_ParseWithOpts(text.text, &end, 1);
	if (!root) {
		err_set(err, ERR_USAGE,
			"%s, line %d: malformed JSON; write {\"problems\": [{\"lens\": "
			"\"bench\"}]}",
			name, line_of(text.text, end));
		goto out;
	}
	result = add_rows(agenda, root, seed, err);
	if (result)
		err_prefix(err, "%s", name);
out:
	cJSON_Delete(root);
	str_release(&text);
	return result;
}
