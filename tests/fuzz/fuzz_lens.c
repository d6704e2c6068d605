/* Fuzzes the grammar of lengths: whatever comes, lengths within their limits or a message.
 * Links with base and data under clang -fsanitize=fuzzer,address,undefined. */
#include <stdlib.h>
#include <string.h>

#include "data/lens.h"
#include "data/lens_json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* Either outcome must be whole. A list that was read is written and read again, the same. */
static void check(const struct lens *lens, int result, const struct err *err)
{
	struct lens again = {0};
	struct str text = {0};
	struct err ignored;

	if (result) {
		if (result != -1 || err->kind != ERR_USAGE || !*err->text ||
			strchr(err->text, '\n'))
			abort();
		return;
	}
	if (lens->count < 0 || lens->count > LENS_MAX_COUNT)
		abort();
	for (int64_t i = 0; i < lens->count; i++)
		if (lens->len[i] < 0 || lens->len[i] > LENS_MAX_LEN)
			abort();
	/* Few enough to keep the rate up. */
	if (lens->count > 0 && lens->count < 10000) {
		lens_format(lens, &text);
		if (lens_parse(&again, text.text, 1, &ignored) || again.count != lens->count ||
			memcmp(again.len, lens->len, (size_t)lens->count * sizeof *lens->len))
			abort();
		lens_release(&again);
		str_release(&text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	struct lens spec = {0}, json = {0};
	struct err err = {0};
	struct str text = {0};
	int result;

	str_add_bytes(&text, (const char *)bytes, count);
	/* '@' would read files. */
	if (!strchr(text.text, '@')) {
		result = lens_parse(&spec, text.text, 1, &err);
		check(&spec, result, &err);
		if (!result && !spec.count)
			abort();
	}
	result = lens_parse_json(&json, text.text, "input", &err);
	check(&json, result, &err);
	lens_release(&spec);
	lens_release(&json);
	str_release(&text);
	return 0;
}
