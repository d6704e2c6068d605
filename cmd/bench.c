#include "cmd/timed.h"

int bench_run(const struct options *options, struct err *err)
{
	const struct plan plan = {
		.timed = true,
		.keep = options_given(options, "db") ? KEEP_TRIALS : KEEP_NOTHING,
		.show_head = timed_head,
		.show_entry = timed_entry,
	};

	return session_run(options, &plan, err);
}
