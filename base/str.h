/* Strings: a growing buffer, strict numbers, shell patterns. */
#ifndef BASE_STR_H
#define BASE_STR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A growing, always NUL-terminated string. Zero-initialise; str_release frees it. Running out of
 * memory for text is a bug, not an error to handle. */
struct str {
	char *text; /* NULL until the first add */
	size_t length;
	size_t room;
};

void str_add(struct str *str, const char *text);
void str_add_bytes(struct str *str, const char *bytes, size_t count);
void str_addf(struct str *str, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_release(struct str *str);

/* A heap copy of `text`, never NULL; the caller frees it. */
char *str_copy(const char *text);

/* A whole decimal number and nothing else: optional sign, no white space, in range. */
bool str_to_int(const char *text, int64_t *value);
/* A whole finite decimal number and nothing else. */
bool str_to_double(const char *text, double *value);

/* Shell pattern match with `*`, `?` and `[...]` (fnmatch). */
bool str_matches(const char *pattern, const char *text);

/* Calls `item` with each comma-separated piece of `list`, empty pieces included; stops at and
 * returns the first value that is not 0. The piece is only valid during the call. */
int str_each(const char *list, int (*item)(void *context, const char *piece), void *context);

/* Bytes for people: "1.5 GiB". Returns `text`. */
const char *str_bytes(int64_t bytes, char text[32]);

#endif
