/* Failures that travel up to the one place that prints them. */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include <stdarg.h>

enum err_kind {
	ERR_NONE,
	ERR_USAGE,       /* what the user asked for makes no sense: exit 2 */
	ERR_UNAVAILABLE, /* a device, a file, memory: not to be had: exit 3 */
	ERR_TIMED_OUT,   /* no answer in the time allowed: exit 3 */
	ERR_INTERRUPTED, /* stopped by a signal: exit 130 */
};

/* Filled by the function that fails; the text is one line without a full stop that names the
 * offending input and the remedy. */
struct err {
	enum err_kind kind;
	char text[1024];
};

/* Fills `err` and returns -1, so that a failing function ends in `return err_set(...)`.
 * A newline or other control character in the text is shown as '?'. */
int err_set(struct err *err, enum err_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts `prefix: ` before the text of a filled `err`; returns -1. */
int err_prefix(struct err *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* A broken invariant of our own: prints file, line and message, and aborts. */
#define bug(...) bug_at(__FILE__, __LINE__, __VA_ARGS__)
_Noreturn void bug_at(const char *file, int line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#endif
