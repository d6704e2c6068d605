#include "cmd/format_table.h"
#include "cmd/fuzz.h"
#include "cmd/session.h"

static void show_head(struct session *session)
{
	struct str text = {0};

	table_device(&session->device->info, session->colour, &text);
	checks_head(session->colour, &text);
	session_show(session, &text);
}

static void show_trial(
	struct session *session, const struct contest *contest, const struct trial *trial)
{
	struct str text = {0};

	checks_trial(contest->problem, trial, session->colour, &text);
	session_show(session, &text);
}

static void show_tail(struct session *session)
{
	struct str text = {0};

	str_addf(&text, "%d right, %d failed, %d unsupported\n", session->right, session->failed,
		session->unsupported);
	session_show(session, &text);
}

int verify_run(const struct options *options, struct err *err)
{
	const struct plan plan = {
		.show_head = show_head,
		.show_trial = show_trial,
		.show_tail = show_tail,
	};

	return options->fuzz ? fuzz_run(options, err) : session_run(options, &plan, err);
}
