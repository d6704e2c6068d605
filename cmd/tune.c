#include "cmd/timed.h"

static void show_head(struct session *session)
{
	timed_head(session);
	if (session->options->schedule)
		progress_note(&session->progress,
			"with --schedule not all take part: trials are stored, no winner is");
}

int tune_run(const struct options *options, struct err *err)
{
	const struct plan plan = {
		.timed = true,
		.source = SOURCE_STORE_FIRST,
		.keep = KEEP_RANKING,
		.show_head = show_head,
		.show_entry = timed_entry,
	};

	return session_run(options, &plan, err);
}
