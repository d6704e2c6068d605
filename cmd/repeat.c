#include "cmd/repeat.h"

#include <ctype.h>
#include <string.h>

#include "cmd/escape.h"

static bool is_plain(const char *value)
{
	if (!*value)
		return false;
	for (; *value; value++)
		if (!isalnum((unsigned char)*value) && !strchr("_@%+=:,./-", *value))
			return false;
	return true;
}

void repeat_option(struct str *text, const char *name, const char *value)
{
	str_addf(text, " --%s ", name);
	if (is_plain(value)) {
		str_add(text, value);
		return;
	}
	str_add(text, "'");
	escape_add(text, value, '\'', "'\\''");
	str_add(text, "'");
}

void repeat_number(struct str *text, const char *name, int64_t value)
{
	str_addf(text, " --%s %lld", name, (long long)value);
}

void repeat_problem(struct str *text, const char *command, const struct options *options,
	const char *lens, const struct problem *problem, enum pass pass)
{
	char window[32];

	str_addf(text, "pattn %s", command);
	if (options_given(options, "device"))
		repeat_option(text, "device", options->device);
	if (options->isa)
		repeat_option(text, "isa", options->isa);
	if (options->threads)
		repeat_number(text, "threads", options->threads);
	if (options->emu)
		repeat_option(text, "emu", options->emu);
	if (options->kernel_dir)
		repeat_option(text, "kernel-dir", options->kernel_dir);
	repeat_option(text, "lens", lens);
	repeat_number(text, "heads", problem->heads);
	repeat_option(text, "window", window_name(problem->window, window));
	repeat_option(text, "dtype", dtype_name(problem->dtype));
	repeat_option(text, "pass", pass_name(pass));
}
