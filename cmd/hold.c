#include "cmd/hold.h"

#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "cmd/version.h"
#include "tune/store_checkpoint.h"
#include "tune/store_quarantine.h"

#define BETWEEN_SAVES 0.25 /* seconds */

struct holding {
	struct session *session;
	const struct key *key;
	struct str lens; /* folded */
	struct protocol protocol;
	struct circumstances circumstances;
	bool kept;    /* round by round, to be taken up again */
	double saved; /* when the last checkpoint was; infinite: no more are to be */
};

static bool has_store(const struct session *session)
{
	return session->store && !session->lost.kind;
}

/* Only a contest among all schedules is ranked. */
static bool is_ranked(const struct session *session)
{
	return session->conduct->keep == KEEP_RANKING && !session->options->schedule;
}

/* What crashed or hung here before is not run again. */
static void admit(void *context, const struct contest *contest, struct trial *trial)
{
	const struct holding *holding = context;
	struct session *session = holding->session;
	struct quarantine quarantine;
	struct err err;
	int found;

	(void)contest;
	if (!has_store(session) || session->options->retry)
		return;
	found = store_quarantine(session->store, holding->key, &session->device->info,
		trial->schedule, &quarantine, &err);
	if (found < 0)
		session_lose(session, &err);
	if (found <= 0)
		return;
	trial->quarantined = true;
	trial_fail(trial, quarantine.outcome, "quarantined since %.10s: %s", quarantine.created,
		quarantine.why);
}

static void take_up(void *context, struct contest *contest)
{
	struct holding *holding = context;
	struct session *session = holding->session;
	struct err err;
	int found = store_load_checkpoint(
		session->store, holding->key, contest, &holding->circumstances, &err);

	if (found < 0)
		session_lose(session, &err);
	if (found > 0)
		progress_note(&session->progress, "%s: taken up again after %d round%s",
			session->place, contest->rounds, plural(contest->rounds));
	holding->saved = clock_seconds();
}

/* A checkpoint that cannot be written costs no result. */
static void save(void *context, const struct contest *contest)
{
	struct holding *holding = context;
	struct err ignored;

	if (!holding->kept || !has_store(holding->session) ||
		clock_seconds() - holding->saved < BETWEEN_SAVES)
		return;
	if (store_save_checkpoint(holding->session->store, holding->key, contest,
		    &holding->circumstances, &ignored))
		holding->saved = INFINITY;
	else
		holding->saved = clock_seconds();
}

static void show_progress(void *context, const char *what, double done, double total)
{
	session_progress(((struct holding *)context)->session, what, total > 0 ? done / total : 0);
}

static void note_warnings(struct session *session, const struct entry *entry)
{
	for (int i = 0; i < entry->count; i++)
		if (*entry->findings[i].trial.warning)
			progress_note(&session->progress, "%s: %s", entry->findings[i].schedule,
				entry->findings[i].trial.warning);
}

static void finish(
	struct holding *holding, const struct stage *stage, struct contest *contest, bool whole)
{
	struct session *session = holding->session;
	struct entry *entry;
	struct err err;

	if (has_store(session) &&
		store_add_contest(session->store, holding->key, contest, &holding->circumstances,
			whole && is_ranked(session), &err))
		session_lose(session, &err);
	if (!whole && contest->rounds) {
		holding->saved = 0;
		save(holding, contest);
	}
	entry = report_add(&session->report, holding->key);
	entry_take(entry, contest);
	entry->ground = stage->sampled ? GROUND_SAMPLE : GROUND_PROBLEM;
	if (!session->report.lens)
		entry->lens = str_copy(holding->lens.text);
	session_entry(session, entry);
	note_warnings(session, entry);
}

int hold_contest(struct session *session, const struct task *task, const struct problem *problem,
	const struct key *key, const struct stage *stage, struct err *err)
{
	struct holding holding = {.session = session,
		.key = key,
		.protocol = session->protocol,
		.kept = has_store(session) && is_ranked(session),
		.saved = clock_seconds()};
	const struct watch watch = {.context = &holding,
		.admit = admit,
		.resume = holding.kept ? take_up : NULL,
		.round = save,
		.progress = show_progress};
	const struct arena sample = {.device = session->device,
		.problem = &stage->sample,
		.tensors = &stage->sample_tensors,
		.oracle = &stage->oracle};
	const struct arena arena = {.device = session->device,
		.problem = problem,
		.tensors = &stage->tensors,
		.oracle = stage->sampled ? NULL : &stage->oracle,
		.sample = stage->sampled ? &sample : NULL,
		.ceiling = session->report.ceiling};
	struct contest contest = {0};

	lens_format(task->lens, &holding.lens);
	holding.protocol.deadline = budget_deadline(&session->budget, clock_seconds());
	if (session->warm)
		holding.protocol.warmup = 0;
	holding.circumstances = (struct circumstances){
		&session->device->info, &holding.protocol, holding.lens.text, version_text};
	int result = contest_run(&contest, &arena, key->pass, &holding.protocol, &watch, err);
	session->warm = true;
	if (contest.count)
		finish(&holding, stage, &contest, !result);
	budget_spend(&session->budget, holding.protocol.deadline, clock_seconds());
	contest_release(&contest);
	str_release(&holding.lens);
	return result;
}
