#include "data/lens_file.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "data/lens_json.h"

#define FILE_LIMIT ((size_t)256 << 20)
#define SPACE      " \t\r\n\v\f"

static int parse_number(struct lens *lens, const char *text, size_t length, struct err *err)
{
	char number[64];
	int64_t len;

	snprintf(number, sizeof number, "%.*s", (int)(length < 64 ? length : 64), text);
	if (length >= sizeof number || !str_to_int(number, &len) || len < 0 || len > LENS_MAX_LEN)
		return err_set(err, ERR_USAGE, "'%s%s' is not a whole number from 0 to %lld",
			number, length < sizeof number ? "" : "...", (long long)LENS_MAX_LEN);
	return lens_add(lens, 1, len, err);
}

static int parse_text(struct lens *lens, const char *text, const char *name, struct err *err)
{
	int64_t line = 1;
	bool after_number = false; /* a comma may follow */
	size_t length;

	for (const char *at = text; *at;) {
		switch (*at) {
		case '#': at += strcspn(at, "\n"); break;
		case ',':
			if (!after_number)
				return err_set(err, ERR_USAGE,
					"%s, line %lld: a number is missing before a comma", name,
					(long long)line);
			after_number = false;
			at++;
			break;
		case '\n': line++; /* fall through */
		case ' ':
		case '\t':
		case '\r':
		case '\v':
		case '\f': at++; break;
		default:
			length = strcspn(at, SPACE ",#");
			if (parse_number(lens, at, length, err))
				return err_prefix(err, "%s, line %lld", name, (long long)line);
			after_number = true;
			at += length;
		}
	}
	return 0;
}

int lens_parse_file(struct lens *lens, const char *path, struct err *err)
{
	const char *name = strcmp(path, "-") ? path : "standard input";
	int64_t before = lens->count;
	struct str text = {0};
	int result = -1;
	const char *first;

	if (file_read(path, FILE_LIMIT, &text, err))
		goto out;
	if (strlen(text.text) != text.length) {
		err_set(err, ERR_USAGE, "%s holds a NUL byte; give a text file of numbers", name);
		goto out;
	}
	first = text.text + strspn(text.text, SPACE);
	result = *first == '[' ? lens_parse_json(lens, text.text, name, err)
			       : parse_text(lens, text.text, name, err);
	if (!result && lens->count == before)
		result = err_set(err, ERR_USAGE,
			"%s holds no lengths; write numbers separated by white space or commas",
			name);
out:
	str_release(&text);
	return result;
}
