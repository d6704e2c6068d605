#include <string.h>

#include "cmd/repeat.h"
#include "cmd/session.h"
#include "cmd/version.h"
#include "tune/store_miss.h"
#include "tune/store_nearest.h"

static void show_pick(struct session *session, const struct entry *entry)
{
	const struct finding *best = &entry->findings[0];
	const struct key *key = &entry->key;
	struct str text = {0};
	char window[32];

	str_addf(&text, "%-5s  %6s  %-8s  %-9s %11.5f ms  %-12s  %-5s  %s\n",
		dtype_name(key->dtype), window_name(key->window, window), pass_name(key->pass),
		best->schedule, 1e3 * best->trial.stats.median,
		best->rank ? "next in rank" : decision_name(entry->decision),
		best->origin->freshness, best->origin->origin);
	session_show(session, &text);
}

/* The command that fills `key`, onto `text`. */
static void add_remedy(struct str *text, const struct session *session, const struct task *task,
	const struct problem *problem, const struct key *key)
{
	const struct options *options = session->options;
	struct str folded = {0};

	/* Standard input can't be read twice. */
	if (strstr(options->lens, "@-"))
		lens_format(task->lens, &folded);
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

/* What is stored nearest to `key`, onto `text`; a store that fails here costs no answer. */
static void add_nearest(struct str *text, const struct session *session, const struct key *key)
{
	struct key near;
	struct err ignored;
	char window[32];

	if (!session->store || store_nearest(session->store, key, &near, &ignored) <= 0)
		return;
	str_addf(text, "; nearest: %lld head%s, up to %lld token%s and %lld in a sequence",
		(long long)near.heads, plural(near.heads), (long long)near.tokens,
		plural(near.tokens), (long long)near.longest);
	if (near.window != key->window)
		str_addf(text, ", window %s", window_name(near.window, window));
}

/* Where the store can be written, `pattn tune --missing` is to know of it. */
static void record_miss(struct session *session, const struct task *task,
	const struct problem *problem, const struct key *key)
{
	const struct protocol protocol = {.cold = key->cold, .seed = (uint64_t)task->seed};
	struct str lens = {0};
	struct store *store;
	struct err ignored;

	if (!session->store || !(store = store_open(session->options->db, STORE_WRITE, &ignored)))
		return;
	lens_format(task->lens, &lens);
	store_add_miss(store, key, problem,
		&(struct circumstances){&session->device->info, &protocol, lens.text, version_text},
		&ignored);
	str_release(&lens);
	store_close(store);
}

static void note_missing(struct session *session, const struct task *task,
	const struct problem *problem, const struct key *key, const struct recall *found)
{
	struct str remedy = {0}, near = {0};
	char place[64];

	add_remedy(&remedy, session, task, problem, key);
	if (found->stale) {
		progress_note(&session->progress, "%s: %s; renew it with: %s",
			place_name(key, place), found->why, remedy.text);
	} else {
		add_nearest(&near, session, key);
		progress_note(&session->progress,
			"%s for %s, %lld head%s, up to %lld tokens and %lld in a sequence, %s, on "
			"%s%s%s%s; fill it with: %s",
			*found->why ? "nothing usable is stored" : "nothing is stored",
			place_name(key, place), (long long)key->heads, plural(key->heads),
			(long long)key->tokens, (long long)key->longest, mode_name(key->cold),
			key->device, *found->why ? ": " : "", found->why,
			near.text ? near.text : "", remedy.text);
	}
	record_miss(session, task, problem, key);
	str_release(&near);
	str_release(&remedy);
}

int pick_run(const struct options *options, struct err *err)
{
	const struct conduct conduct = {
		.source = SOURCE_STORE,
		.show_entry = show_pick,
		.show_missing = note_missing,
	};

	return session_run(options, &conduct, err);
}
