#include "cmd/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/stop.h"
#include "cmd/output.h"
#include "cmd/stage.h"
#include "cmd/version.h"

static const struct protocol protocol_template = {
	.warmup = 1.0,
	.candidate_launches = 3,
	.candidate_warmup = 0.02,
	.batch_under = 50e-6,
};

void session_show(struct session *session, struct str *text)
{
	if (session->shows && text->length) {
		progress_clear(&session->progress);
		out(text->text);
	}
	str_release(text);
}

static bool has_schedule(const struct options *options, enum pass pass)
{
	for (int i = 0; i < schedule_count; i++)
		if (schedules[i].pass == pass && options_want(options, &schedules[i]))
			return true;
	return false;
}

static struct protocol protocol_of(const struct options *options, const struct plan *plan)
{
	struct protocol protocol = protocol_template;

	protocol.timed = plan->timed;
	protocol.cold = options->cold;
	protocol.rounds = (int)options->rounds;
	protocol.limit = options->limit;
	protocol.seed = (uint64_t)options->seed;
	protocol.pattern = options->schedule;
	return protocol;
}

/* Opens the store that the plan needs. None is there before the first tuning. */
static int open_store(struct session *session, struct err *err)
{
	const struct options *options = session->options;
	bool reads = session->plan->source == SOURCE_STORE;

	if (!reads && session->plan->keep == KEEP_NOTHING)
		return 0;
	if (reads && !options_given(options, "db") && access(options->db, F_OK) && errno == ENOENT)
		return 0;
	session->store = store_open(options->db, reads ? STORE_READ : STORE_WRITE, err);
	return session->store ? 0 : -1;
}

int session_open(struct session *session, const struct options *options, const struct plan *plan,
	struct err *err)
{
	struct device_options how = {.threads = (int)options->threads,
		.isa = options->isa,
		.emu = options->emu,
		.kernel_dir = options->kernel_dir};
	bool report_shown = options->json && !strcmp(options->json, "-");

	*session = (struct session){
		.options = options,
		.plan = plan,
		.seed = options->seed,
		.protocol = protocol_of(options, plan),
		.shows = !report_shown,
		.colour = out_has_colour(),
	};
	if (options->json && out_check(options->json, err))
		return -1;
	if (!options->fuzz &&
		lens_parse(&session->lens, options->lens, (uint64_t)options->seed, err))
		return -1;
	if (!(session->device = device_open(options->device, how, err)) ||
		!(session->team = team_new(team_processors(), err)))
		return -1;
	if (session->device->backend->emulated && plan->keep != KEEP_NOTHING)
		return err_set(err, ERR_USAGE,
			"--device %s: an emulator's times say nothing of a device and are not "
			"stored; use verify, or bench without --db",
			options->device);
	session->report = (struct report){
		.device = &session->device->info,
		.protocol = plan->source == SOURCE_STORE ? NULL : &session->protocol,
		.lens = &session->lens,
		.spec = options->lens,
		.heads = options->heads,
		.seed = (uint64_t)options->seed,
	};
	return 0;
}

void session_begin(struct session *session, int64_t problems)
{
	int passes = 0;

	for (enum pass pass = 0; pass < PASS_COUNT; pass++)
		passes += has_schedule(session->options, pass);
	progress_init(&session->progress, session->options->quiet, problems * passes);
	if (session->plan->show_head)
		session->plan->show_head(session);
}

void session_close(struct session *session)
{
	progress_clear(&session->progress);
	report_release(&session->report);
	team_free(session->team);
	device_close(session->device);
	store_close(session->store);
	lens_release(&session->lens);
}

int session_fits(struct session *session, const struct problem *problem, struct err *err)
{
	int threads = team_size(session->team);

	if (session->plan->source == SOURCE_STORE)
		return 0;
	if (session->options->threads > threads)
		threads = (int)session->options->threads;
	for (enum pass pass = 0; pass < PASS_COUNT; pass++)
		if (has_schedule(session->options, pass) &&
			problem_fits(problem, pass, threads, err))
			return -1;
	return 0;
}

static void show_progress(struct session *session, const char *what, double fraction)
{
	char text[128];

	snprintf(text, sizeof text, "%s: %s", session->place, what);
	progress_show(&session->progress, text, fraction);
}

/* The device's rates, once, for the floor of every problem. */
static int measure_ceiling(struct session *session, struct err *err)
{
	const struct backend *backend = session->device->backend;

	if (!session->plan->timed || !backend->measure || session->report.ceiling.flops > 0)
		return 0;
	show_progress(session, "measuring the device", 0);
	return backend->measure(session->device, &session->report.ceiling, err);
}

/* The last pass asked for decides how far the oracle goes. */
static int make_stage(struct session *session, const struct problem *problem, struct stage *stage,
	struct err *err)
{
	bool backward = has_schedule(session->options, PASS_BACKWARD);

	if (stage->ready)
		return 0;
	if (measure_ceiling(session, err))
		return -1;
	show_progress(session, "oracle", 0);
	if (stage_make(stage, problem, (uint64_t)session->seed,
		    backward ? PASS_BACKWARD : PASS_FORWARD, session->plan->timed, session->team,
		    err))
		return -1;
	if (stage->sampled)
		progress_note(&session->progress,
			"%s and on: too large for the oracle; judged on %lld tokens of its kind",
			session->place, (long long)stage->sample.tokens);
	return 0;
}

static void lose(struct session *session, const struct err *err)
{
	session->lost = *err;
	progress_note(&session->progress,
		"cannot store any more; measuring goes on and its results are shown");
}

/* Stores what came of a contest; only one among all schedules, run to its end, is ranked. */
static int store_contest(struct session *session, const struct key *key,
	const struct contest *contest, bool whole, struct err *err)
{
	bool ranked = whole && session->plan->keep == KEEP_RANKING && !session->options->schedule;
	struct str lens = {0};

	lens_format(&session->lens, &lens);
	int result = store_add_contest(session->store, key, contest,
		&(struct circumstances){
			&session->device->info, &session->protocol, lens.text, version_text},
		ranked, err);
	str_release(&lens);
	return result;
}

/* Shows an entry and counts what came of its schedules. */
static void show_entry(struct session *session, const struct entry *entry)
{
	if (session->plan->show_entry)
		session->plan->show_entry(session, entry);
	for (int i = 0; i < entry->count; i++)
		switch (entry->findings[i].trial.outcome) {
		case OUTCOME_OK: session->right++; break;
		case OUTCOME_UNSUPPORTED: session->unsupported++; break;
		case OUTCOME_UNTRIED: break;
		default: session->failed++;
		}
}

static void note_warnings(struct session *session, const struct entry *entry)
{
	for (int i = 0; i < entry->count; i++)
		if (*entry->findings[i].trial.warning)
			progress_note(&session->progress, "%s: %s", entry->findings[i].schedule,
				entry->findings[i].trial.warning);
}

static void on_trial(void *context, const struct contest *contest, const struct trial *trial)
{
	struct session *session = context;

	if (session->plan->show_trial)
		session->plan->show_trial(session, contest, trial);
}

static void on_progress(void *context, const char *what, double done, double total)
{
	struct session *session = context;

	show_progress(session, what, total > 0 ? done / total : 0);
}

static void finish_contest(
	struct session *session, const struct key *key, struct contest *contest, bool whole)
{
	struct err err;

	if (session->store && !session->lost.kind &&
		store_contest(session, key, contest, whole, &err))
		lose(session, &err);
	struct entry *entry = report_add(&session->report, key);
	entry_take(entry, contest);
	show_entry(session, entry);
	note_warnings(session, entry);
}

static int hold_contest(struct session *session, const struct problem *problem,
	const struct key *key, const struct stage *stage, struct err *err)
{
	const struct watch watch = {.context = session, .trial = on_trial, .progress = on_progress};
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
	struct protocol protocol = session->protocol;
	struct contest contest = {0};

	if (session->warm)
		protocol.warmup = 0;
	int result = contest_run(&contest, &arena, key->pass, &protocol, &watch, err);
	session->warm = true;
	if (contest.count)
		finish_contest(session, key, &contest, !result);
	contest_release(&contest);
	return result;
}

/* Asks the store; whatever it has that can be used is an entry then, and shown. */
static int ask_store(struct session *session, const struct problem *problem, const struct key *key,
	struct recall *found, struct err *err)
{
	struct report *report = &session->report;
	char place[64];

	if (!session->store)
		return 0;
	if (recall(found, report, session->store, key, session->device, problem, err))
		return -1;
	if (found->usable)
		show_entry(session, &report->entries[report->count - 1]);
	if (*found->due)
		progress_note(&session->progress, "%s: due, %s; `pattn tune --retune` renews it",
			place_name(key, place), found->due);
	if (*found->why && !session->plan->show_missing)
		progress_note(&session->progress, "%s: stored, but %s%s", place_name(key, place),
			found->why, found->usable ? "" : "; measuring anew");
	return 0;
}

/* Whether the store answers instead of a contest; if not, its winner so far is the incumbent. A
 * store that fails while there is a device to ask costs no result. */
static bool is_recalled(
	struct session *session, const struct problem *problem, const struct key *key)
{
	const struct options *options = session->options;
	struct recall found = {0};
	struct err err;
	int result;

	session->protocol.incumbent = NULL;
	if (session->plan->source != SOURCE_STORE_FIRST || session->lost.kind)
		return false;
	if (options->retune || options->schedule)
		result = recall(&found, NULL, session->store, key, session->device, problem, &err);
	else
		result = ask_store(session, problem, key, &found, &err);
	if (result)
		lose(session, &err);
	session->protocol.incumbent = found.incumbent;
	return found.usable && !options->retune && !options->schedule;
}

static int look_up(struct session *session, const struct problem *problem, const struct key *key,
	struct err *err)
{
	struct recall found = {0};

	if (ask_store(session, problem, key, &found, err))
		return -1;
	if (!found.usable) {
		session->plan->show_missing(session, problem, key, &found);
		session->missing++;
	}
	return 0;
}

static int run_pass(struct session *session, const struct problem *problem, enum pass pass,
	struct stage *stage, struct err *err)
{
	struct key key;

	if (stop_asked())
		return err_set(err, ERR_INTERRUPTED, "interrupted");
	key_make(&key, &session->device->info, problem, pass, session->options->cold);
	place_name(&key, session->place);
	if (session->plan->source == SOURCE_STORE)
		return look_up(session, problem, &key, err);
	if (is_recalled(session, problem, &key))
		return 0;
	if (make_stage(session, problem, stage, err))
		return -1;
	return hold_contest(session, problem, &key, stage, err);
}

int session_problem(struct session *session, const struct problem *problem, struct err *err)
{
	struct stage stage = {0};
	int result = 0;

	for (enum pass pass = 0; pass < PASS_COUNT && !result; pass++) {
		if (!has_schedule(session->options, pass))
			continue;
		result = run_pass(session, problem, pass, &stage, err);
		if (!result)
			result = out_flush(err);
		session->progress.step++;
	}
	session->problems += !result;
	stage_release(&stage);
	return result;
}

/* Calls `visit` for the problem of every type and window asked for, until it fails. */
static int each_problem(struct session *session,
	int (*visit)(struct session *session, const struct problem *problem, struct err *err),
	struct err *err)
{
	const struct options *options = session->options;
	int result = 0;

	for (int i = 0; i < options->dtype_count * options->window_count && !result; i++) {
		enum dtype dtype = options->dtypes[i / options->window_count];
		int64_t window = options->windows[i % options->window_count];
		struct problem problem = {0};

		result = problem_init(&problem, &session->lens, options->heads, window, dtype, err);
		if (!result)
			result = visit(session, &problem, err);
		problem_release(&problem);
	}
	return result;
}

/* Adds a failure to what came of a session so far; the first gives the exit status. */
static int fail_too(int result, struct err *err, const struct err *failure)
{
	if (result < 0) {
		struct err first = *err;
		return err_set(err, first.kind, "%s; %s", first.text, failure->text);
	}
	*err = *failure;
	return -1;
}

static int write_report(const struct session *session, struct err *err)
{
	struct str text = {0};

	json_write(&session->report, &text);
	int result = file_write(session->options->json, text.text, text.length, err);
	str_release(&text);
	return result;
}

int session_finish(struct session *session, int result, struct err *err)
{
	struct err failure;

	progress_clear(&session->progress);
	if (session->plan->show_tail)
		session->plan->show_tail(session);
	if (session->options->json && write_report(session, &failure))
		result = fail_too(result, err, &failure);
	if (session->lost.kind)
		result = fail_too(result, err, &session->lost);
	if (result < 0)
		return -1;
	if (session->unsupported && !session->right && !session->failed)
		return err_set(err, ERR_UNAVAILABLE,
			"none of the schedules asked for can run on %s; `pattn help %s` tells how "
			"to "
			"ask for others",
			session->device->info.name, session->options->command->name);
	if (session->missing)
		return EXIT_NOTHING_STORED;
	return session->failed ? EXIT_CHECK_FAILED : EXIT_FINE;
}

int session_run(const struct options *options, const struct plan *plan, struct err *err)
{
	struct session session;
	int result = session_open(&session, options, plan, err);

	if (!result)
		result = each_problem(&session, session_fits, err);
	if (!result)
		result = open_store(&session, err);
	if (!result) {
		session_begin(&session, options->dtype_count * options->window_count);
		result = each_problem(&session, session_problem, err);
		result = session_finish(&session, result, err);
	}
	session_close(&session);
	return result;
}
