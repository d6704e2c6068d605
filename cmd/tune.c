#include "cmd/timed.h"

int tune_run(const struct options *options, struct err *err)
{
	const struct plan plan = {
		.timed = true,
		.source = SOURCE_STORE_FIRST,
		.keep = KEEP_RANKING,
		.show_head = timed_head,
		.show_entry = timed_entry,
	};

	return session_run(options, &plan, err);
}
