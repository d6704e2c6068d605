#include "data/lens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "data/lens_file.h"

const struct lens_preset lens_presets[] = {
#define PRESET(name, spec, summary) {name, spec, summary},
#include "data/presets.def"
#undef PRESET
};

const int lens_preset_count = sizeof lens_presets / sizeof *lens_presets;

int lens_add(struct lens *lens, int64_t count, int64_t len, struct err *err)
{
	int64_t *grown, room = lens->room ? lens->room : 64;

	if (count < 0 || count > LENS_MAX_COUNT - lens->count)
		return err_set(err, ERR_USAGE, "more than %lld sequences; use fewer",
			(long long)LENS_MAX_COUNT);
	if (len < 0 || len > LENS_MAX_LEN)
		return err_set(err, ERR_USAGE, "a sequence of %lld tokens; use 0 to %lld",
			(long long)len, (long long)LENS_MAX_LEN);
	while (room < lens->count + count)
		room *= 2;
	if (room != lens->room) {
		grown = realloc(lens->len, (size_t)room * sizeof *lens->len);
		if (!grown)
			return err_set(err, ERR_UNAVAILABLE, "no memory for %lld sequence lengths",
				(long long)room);
		lens->len = grown;
		lens->room = room;
	}
	for (int64_t i = 0; i < count; i++)
		lens->len[lens->count++] = len;
	return 0;
}

void lens_release(struct lens *lens)
{
	free(lens->len);
	*lens = (struct lens){0};
}

void lens_format(const struct lens *lens, struct str *text)
{
	for (int64_t i = 0, run; i < lens->count; i += run) {
		for (run = 1; i + run < lens->count && lens->len[i + run] == lens->len[i];)
			run++;
		if (i)
			str_add(text, ",");
		if (run > 1)
			str_addf(text, "%lldx", (long long)run);
		str_addf(text, "%lld", (long long)lens->len[i]);
	}
}

struct parser {
	struct lens *lens;
	const char *spec;
	int item; /* the one under way, from 1 */
	struct rng rng;
	struct err *err;
};

/* Where text stops being shown. */
#define SHOWN 200

static const char *ellipsis(const char *text)
{
	return strlen(text) > SHOWN ? "..." : "";
}

/* `text`, `role` in the spec ("length", "count"), is refused for `problem`. */
static int refuse(
	const struct parser *parser, const char *role, const char *text, const char *problem)
{
	struct str presets = {0};

	for (int i = 0; i < lens_preset_count; i++)
		str_addf(&presets, "%s%s", i ? ", " : "", lens_presets[i].name);
	err_set(parser->err, ERR_USAGE,
		"%s '%.*s%s' (item %d of --lens '%.*s%s') %s; write for example 5,40,1 or 8x512 or "
		"64..191x32 or @FILE, or a preset (%s)",
		role, SHOWN, text, ellipsis(text), parser->item, SHOWN, parser->spec,
		ellipsis(parser->spec), problem, presets.text);
	str_release(&presets);
	return -1;
}

static int parse_number(const struct parser *parser, const char *role, const char *text,
	int64_t low, int64_t high, int64_t *value)
{
	char problem[96];

	if (str_to_int(text, value) && *value >= low && *value <= high)
		return 0;
	snprintf(problem, sizeof problem, "is not a whole number from %lld to %lld", (long long)low,
		(long long)high);
	return refuse(parser, role, text, problem);
}

static int parse_len(const struct parser *parser, const char *role, const char *text, int64_t *len)
{
	return parse_number(parser, role, text, 0, LENS_MAX_LEN, len);
}

static int parse_count(const struct parser *parser, const char *text, int64_t *count)
{
	return parse_number(parser, "count", text, 1, LENS_MAX_COUNT, count);
}

static int add(const struct parser *parser, int64_t count, int64_t len)
{
	if (lens_add(parser->lens, count, len, parser->err))
		return err_prefix(parser->err, "item %d of --lens", parser->item);
	return 0;
}

/* The pieces of COUNT "x" LEN. */
static int parse_repeat(const struct parser *parser, const char *count_text, const char *len_text)
{
	int64_t count, len;

	if (parse_count(parser, count_text, &count) || parse_len(parser, "length", len_text, &len))
		return -1;
	return add(parser, count, len);
}

/* The pieces of LOW ".." HIGH "x" COUNT. */
static int parse_range(
	struct parser *parser, const char *low_text, const char *high_text, const char *count_text)
{
	int64_t low, high, count, first = parser->lens->count;

	if (parse_len(parser, "low end", low_text, &low) ||
		parse_len(parser, "high end", high_text, &high) ||
		parse_count(parser, count_text, &count))
		return -1;
	if (low > high)
		return refuse(parser, "low end", low_text, "is above the high end of its range");
	if (add(parser, count, low))
		return -1;
	for (int64_t i = 0; i < count; i++)
		parser->lens->len[first + i] = rng_between(&parser->rng, low, high);
	return 0;
}

static int parse_preset(const struct parser *parser, const struct lens_preset *preset)
{
	if (preset->spec)
		return lens_parse(parser->lens, preset->spec, 0, parser->err);
	for (int i = 0; i < 32; i++)
		if (add(parser, 1, 64 + 37 * i % 128))
			return -1;
	return 0;
}

/* Ends `text` at its first `separator`; what is behind it, or NULL where there is none. */
static char *cut(char *text, const char *separator)
{
	char *found = strstr(text, separator);

	if (!found)
		return NULL;
	*found = '\0';
	return found + strlen(separator);
}

static int parse_item(struct parser *parser, char *item)
{
	char *high, *behind;
	int64_t len;

	for (int i = 0; i < lens_preset_count; i++)
		if (!strcmp(lens_presets[i].name, item))
			return parse_preset(parser, &lens_presets[i]);
	if (!*item)
		return refuse(parser, "item", item, "is empty");
	if (!strcmp(item, "@"))
		return refuse(parser, "item", item, "names no file");
	if (*item == '@')
		return lens_parse_file(parser->lens, item + 1, parser->err);
	behind = cut(item, "x");
	high = cut(item, "..");
	if (high)
		return parse_range(parser, item, high, behind ? behind : "");
	if (behind)
		return parse_repeat(parser, item, behind);
	return parse_len(parser, "length", item, &len) ? -1 : add(parser, 1, len);
}

int lens_parse(struct lens *lens, const char *spec, uint64_t seed, struct err *err)
{
	struct parser parser = {.lens = lens, .spec = spec, .rng = {seed}, .err = err};
	char *copy = str_copy(spec), *rest = copy, *item;
	int result = 0;

	while (!result && (item = strsep(&rest, ","))) {
		parser.item++;
		result = parse_item(&parser, item);
	}
	free(copy);
	return result;
}
