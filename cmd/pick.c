#include <string.h>

#include "cmd/repeat.h"
#include "cmd/session.h"

static void show_pick(struct session *session, const struct entry *entry)
{
	const struct finding *best = &entry->findings[0];
	const struct key *key = &entry->key;
	struct str text = {0};
	char window[32];

	str_addf(&text, "%-5s  %6s  %-8s  %-9s %11.5f ms  %s\n", dtype_name(key->dtype),
		window_name(key->window, window), pass_name(key->pass), best->schedule,
		1e3 * best->trial.stats.median,
		best->rank ? "next in rank" : decision_name(entry->decision));
	session_show(session, &text);
}

/* The command that fills `key`, onto `text`. */
static void add_remedy(struct str *text, const struct session *session,
	const struct problem *problem, const struct key *key)
{
	const struct options *options = session->options;
	struct str folded = {0};

	/* Standard input can't be read twice. */
	if (strstr(options->lens, "@-"))
		lens_format(&session->lens, &folded);
	repeat_problem(text, "tune", options, folded.text ? folded.text : options->lens, problem,
		key->pass);
	if (options_given(options, "seed"))
		repeat_number(text, "seed", options->seed);
	if (options_given(options, "db"))
		repeat_option(text, "db", options->db);
	if (!options->cold)
		str_add(text, " --hot");
	str_release(&folded);
}

static void note_missing(struct session *session, const struct problem *problem,
	const struct key *key, const struct recall *found)
{
	struct str remedy = {0};
	char place[64];

	add_remedy(&remedy, session, problem, key);
	progress_note(&session->progress,
		"%s for %s, %lld head%s, up to %lld tokens and %lld in a sequence, "
		"%s, "
		"on %s%s%s; fill it with: %s",
		*found->why ? "nothing usable is stored" : "nothing is stored",
		place_name(key, place), (long long)key->heads, plural(key->heads),
		(long long)key->tokens, (long long)key->longest, mode_name(key->cold), key->device,
		*found->why ? ": " : "", found->why, remedy.text);
	str_release(&remedy);
}

int pick_run(const struct options *options, struct err *err)
{
	const struct plan plan = {
		.source = SOURCE_STORE,
		.show_entry = show_pick,
		.show_missing = note_missing,
	};

	return session_run(options, &plan, err);
}
