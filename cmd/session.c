#include "cmd/session.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/stop.h"
#include "cmd/device.h"
#include "cmd/hold.h"
#include "cmd/missing.h"
#include "cmd/output.h"
#include "cmd/plan_json.h"

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

void session_progress(struct session *session, const char *what, double fraction)
{
	char text[128];

	snprintf(text, sizeof text, "%s: %s", session->place, what);
	progress_show(&session->progress, text, fraction);
}

void session_lose(struct session *session, const struct err *err)
{
	session->lost = *err;
	progress_note(&session->progress,
		"cannot store any more; measuring goes on and its results are shown");
}

void session_entry(struct session *session, const struct entry *entry)
{
	if (session->conduct->show_entry)
		session->conduct->show_entry(session, entry);
	for (int i = 0; i < entry->count; i++)
		switch (entry->findings[i].trial.outcome) {
		case OUTCOME_OK: session->right++; break;
		case OUTCOME_UNSUPPORTED: session->unsupported++; break;
		case OUTCOME_UNTRIED: break;
		default: session->failed++;
		}
}

/* Whether the pass is wanted, and a schedule of it. */
static bool is_wanted(const struct options *options, const struct task *task, enum pass pass)
{
	for (int i = 0; task->passes[pass] && i < schedule_count; i++)
		if (schedules[i].pass == pass && options_want(options, &schedules[i]))
			return true;
	return false;
}

static struct protocol protocol_of(const struct options *options, const struct conduct *conduct)
{
	struct protocol protocol = protocol_template;

	protocol.timed = conduct->timed;
	protocol.cold = options->cold;
	protocol.rounds = (int)options->rounds;
	protocol.limit = options->budget > 0 ? options->budget : options->limit;
	protocol.seed = (uint64_t)options->seed;
	protocol.pattern = options->schedule;
	return protocol;
}

/* Opens the store that the session needs. None is there before the first tuning. */
static int open_store(struct session *session, struct err *err)
{
	const struct options *options = session->options;
	bool reads = session->conduct->source == SOURCE_STORE;

	if (!reads && session->conduct->keep == KEEP_NOTHING)
		return 0;
	if (reads && !options_given(options, "db") && access(options->db, F_OK) && errno == ENOENT)
		return 0;
	session->store = store_open(options->db, reads ? STORE_READ : STORE_WRITE, err);
	return session->store ? 0 : -1;
}

/* The problems that the command line names, itself or by a plan. */
static int list_problems(struct session *session, struct err *err)
{
	const struct options *options = session->options;
	const struct sweep sweep = {
		.spec = options->lens,
		.heads = options->heads,
		.windows = options->windows,
		.window_count = options->window_count,
		.dtypes = options->dtypes,
		.dtype_count = options->dtype_count,
		.passes = options->passes,
		.seed = options->seed,
	};

	if (options->fuzz || options->missing)
		return 0;
	if (!options->problems)
		return agenda_add(&session->agenda, &sweep, err);
	if (plan_read(&session->agenda, options->problems, options->seed, err))
		return -1;
	if (options->shards)
		agenda_shard(&session->agenda, options->shard, options->shards);
	return 0;
}

/* The problems that the store misses. */
static int list_missing(struct session *session, struct err *err)
{
	const struct options *options = session->options;
	int others;

	if (!options->missing)
		return 0;
	if (missing_add(&session->agenda, options, &session->device->info, &others, err))
		return -1;
	if (others)
		progress_note(&session->progress,
			"%d more %s missing, on another device or with %s caches", others,
			others == 1 ? "is" : "are", mode_name(!options->cold));
	return 0;
}

/* An emulator's times say nothing of a device. */
static int refuse_emulated(const struct session *session, struct err *err)
{
	if (!session->device->backend->emulated || session->conduct->keep == KEEP_NOTHING)
		return 0;
	return err_set(err, ERR_USAGE,
		"--device %s: an emulator's times say nothing of a device and are not stored; use "
		"verify, or bench without --db",
		session->options->device);
}

static void begin_report(struct session *session)
{
	const struct options *options = session->options;
	const struct task *task = session->agenda.tasks;

	session->report = (struct report){
		.host = &session->host,
		.device = &session->device->info,
		.protocol = session->conduct->source == SOURCE_STORE ? NULL : &session->protocol,
		.seed = (uint64_t)options->seed,
	};
	if (options->fuzz || options->missing || options->problems)
		return;
	session->report.lens = task->lens;
	session->report.spec = task->spec;
	session->report.heads = task->heads;
}

int session_open(struct session *session, const struct options *options,
	const struct conduct *conduct, struct err *err)
{
	bool report_shown = options->json && !strcmp(options->json, "-");

	*session = (struct session){
		.options = options,
		.conduct = conduct,
		.protocol = protocol_of(options, conduct),
		.shows = !report_shown,
		.colour = out_has_colour(),
	};
	if (options->budget > 0)
		session->budget.end = clock_seconds() + options->budget;
	progress_init(&session->progress, options->quiet, 1);
	host_begin(&session->host, "");
	if (options->json && out_check(options->json, err))
		return -1;
	if (list_problems(session, err))
		return -1;
	session->device = conduct->source == SOURCE_STORE ? device_ask(options, err)
							  : device_ask_isolated(options, err);
	if (!session->device || refuse_emulated(session, err) ||
		!(session->team = team_new(team_processors(), err)) || list_missing(session, err))
		return -1;
	begin_report(session);
	return 0;
}

void session_begin(struct session *session, int64_t contests)
{
	progress_init(&session->progress, session->options->quiet, contests);
	if (session->conduct->show_head)
		session->conduct->show_head(session);
}

void session_close(struct session *session)
{
	progress_clear(&session->progress);
	report_release(&session->report);
	team_free(session->team);
	device_close(session->device);
	store_close(session->store);
	agenda_release(&session->agenda);
}

int session_fits(struct session *session, const struct task *task, const struct problem *problem,
	struct err *err)
{
	const struct options *options = session->options;
	int threads = team_size(session->team);

	if (session->conduct->source == SOURCE_STORE)
		return 0;
	if (options->threads > threads)
		threads = (int)options->threads;
	for (enum pass pass = 0; pass < PASS_COUNT; pass++)
		if (is_wanted(options, task, pass) && problem_fits(problem, pass, threads, err))
			return -1;
	return 0;
}

/* The device's rates, once, for the floor of every problem. */
static int measure_ceiling(struct session *session, struct err *err)
{
	const struct backend *backend = session->device->backend;

	if (!session->conduct->timed || !backend->measure || session->report.ceiling.flops > 0)
		return 0;
	session_progress(session, "measuring the device", 0);
	if (backend->measure(session->device, &session->report.ceiling, err))
		return -1;
	if (session->conduct->show_ceiling)
		session->conduct->show_ceiling(session);
	return 0;
}

/* The last pass asked for decides how far the oracle goes. */
static int make_stage(struct session *session, const struct task *task,
	const struct problem *problem, struct stage *stage, struct err *err)
{
	bool backward = is_wanted(session->options, task, PASS_BACKWARD);
	char window[32];

	if (stage->ready)
		return 0;
	if (measure_ceiling(session, err))
		return -1;
	session_progress(session, "oracle", 0);
	if (stage_make(stage, problem, (uint64_t)task->seed,
		    backward ? PASS_BACKWARD : PASS_FORWARD, session->conduct->timed, session->team,
		    err))
		return -1;
	if (stage->sampled)
		progress_note(&session->progress,
			"%s, window %s: %lld tokens are too many for the oracle; judged on a "
			"sample of %lld",
			dtype_name(problem->dtype), window_name(problem->window, window),
			(long long)problem->tokens, (long long)stage->sample.tokens);
	return 0;
}

/* Asks the store; whatever it has that can be used is an entry then, and shown. */
static int ask_store(struct session *session, const struct problem *problem, const struct key *key,
	struct recall *found, struct err *err)
{
	struct report *report = &session->report;
	bool reads = session->conduct->source == SOURCE_STORE;
	char place[64];

	if (!session->store)
		return 0;
	if (recall(found, report, session->store, key, session->device, problem, reads, err))
		return -1;
	if (found->usable)
		session_entry(session, &report->entries[report->count - 1]);
	if (*found->due)
		progress_note(&session->progress, "%s: due, %s; `pattn tune --retune` renews it",
			place_name(key, place), found->due);
	if (*found->why && !reads)
		progress_note(&session->progress, "%s: stored, but %s%s", place_name(key, place),
			found->why, found->usable ? "" : "; measuring anew");
	return 0;
}

/* Whether the store answers instead of a contest; if not, its winner so far is the incumbent. A
 * store that fails while there is a device to ask costs no result. */
static bool is_recalled(
	struct session *session, const struct problem *problem, const struct key *key, bool shown)
{
	const struct options *options = session->options;
	bool anew = options->retune || options->schedule;
	struct recall found = {0};
	struct err err;
	int result;

	session->protocol.incumbent = NULL;
	if (session->conduct->source != SOURCE_STORE_FIRST || session->lost.kind)
		return false;
	if (anew || !shown)
		result = recall(
			&found, NULL, session->store, key, session->device, problem, false, &err);
	else
		result = ask_store(session, problem, key, &found, &err);
	if (result)
		session_lose(session, &err);
	session->protocol.incumbent = found.incumbent;
	return found.usable && !anew;
}

static int look_up(struct session *session, const struct task *task, const struct problem *problem,
	const struct key *key, struct err *err)
{
	struct recall found = {0};

	if (ask_store(session, problem, key, &found, err))
		return -1;
	session->missing += !found.usable;
	session->stale += found.stale;
	if (!found.usable || found.stale)
		session->conduct->show_missing(session, task, problem, key, &found);
	return 0;
}

static int run_pass(struct session *session, const struct task *task, const struct problem *problem,
	enum pass pass, struct stage *stage, struct err *err)
{
	struct key key;

	if (stop_asked())
		return err_set(err, ERR_INTERRUPTED, "interrupted");
	key_make(&key, &session->device->info, problem, pass, session->options->cold);
	place_name(&key, session->place);
	if (session->conduct->source == SOURCE_STORE)
		return look_up(session, task, problem, &key, err);
	if (is_recalled(session, problem, &key, true))
		return 0;
	if (make_stage(session, task, problem, stage, err))
		return -1;
	return hold_contest(session, task, problem, &key, stage, err);
}

int session_problem(struct session *session, const struct task *task, const struct problem *problem,
	struct err *err)
{
	struct stage stage = {0};
	int result = 0;

	session->task = task;
	session->problem = problem;
	for (enum pass pass = 0; pass < PASS_COUNT && !result; pass++) {
		if (!is_wanted(session->options, task, pass))
			continue;
		result = run_pass(session, task, problem, pass, &stage, err);
		if (!result)
			result = out_flush(err);
		session->progress.step++;
	}
	session->problems += !result;
	session->task = NULL;
	session->problem = NULL;
	stage_release(&stage);
	return result;
}

/* Counts the contests there will be, for the budget. */
static int count_contests(struct session *session, const struct task *task,
	const struct problem *problem, struct err *err)
{
	struct key key;

	(void)err;
	for (enum pass pass = 0; pass < PASS_COUNT; pass++) {
		if (!is_wanted(session->options, task, pass))
			continue;
		key_make(&key, &session->device->info, problem, pass, session->options->cold);
		session->budget.left += !is_recalled(session, problem, &key, false);
	}
	return 0;
}

/* Calls `visit` for each problem of the agenda, until it fails. */
static int each_problem(struct session *session,
	int (*visit)(struct session *session, const struct task *task,
		const struct problem *problem, struct err *err),
	struct err *err)
{
	int result = 0;

	for (int64_t i = 0; i < session->agenda.count && !result; i++) {
		const struct task *task = &session->agenda.tasks[i];
		struct problem problem = {0};

		result = problem_init(
			&problem, task->lens, task->heads, task->window, task->dtype, err);
		if (!result)
			result = visit(session, task, &problem, err);
		problem_release(&problem);
	}
	return result;
}

static int64_t count_passes(const struct session *session)
{
	int64_t count = 0;

	for (int64_t i = 0; i < session->agenda.count; i++)
		for (enum pass pass = 0; pass < PASS_COUNT; pass++)
			count += is_wanted(session->options, &session->agenda.tasks[i], pass);
	return count;
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
	const struct options *options = session->options;
	struct err failure;

	progress_clear(&session->progress);
	host_end(&session->host, "");
	if (session->conduct->show_tail)
		session->conduct->show_tail(session);
	if (options->json && write_report(session, &failure))
		result = fail_too(result, err, &failure);
	if (session->lost.kind)
		result = fail_too(result, err, &session->lost);
	if (result < 0)
		return -1;
	if (session->unsupported && !session->right && !session->failed)
		return err_set(err, ERR_UNAVAILABLE,
			"none of the schedules asked for can run on %s; `pattn help %s` tells how "
			"to ask for others",
			session->device->info.name, options->command->name);
	if (session->missing)
		return EXIT_NOTHING_STORED;
	return session->failed || (options->fail_stale && session->stale) ? EXIT_CHECK_FAILED
									  : EXIT_FINE;
}

static void note_empty(struct session *session)
{
	const struct options *options = session->options;

	if (session->agenda.count)
		return;
	if (options->missing)
		progress_note(&session->progress, "nothing is missing here");
	else
		progress_note(&session->progress, "no problem of the plan falls to shard %lld/%lld",
			(long long)options->shard, (long long)options->shards);
}

/* What the checks alone take can be more than the budget. */
static void note_overrun(struct session *session)
{
	double over = clock_seconds() - session->budget.end;
	double budget = session->options->budget;

	if (budget > 0 && over > budget / 10)
		progress_note(&session->progress,
			"took %.1f s of a budget of %g s: checks and warm-up need as much",
			budget + over, budget);
}

int session_run(const struct options *options, const struct conduct *conduct, struct err *err)
{
	struct session session;
	int result = session_open(&session, options, conduct, err);

	if (!result)
		result = each_problem(&session, session_fits, err);
	if (!result)
		result = open_store(&session, err);
	if (!result && options->budget > 0)
		result = each_problem(&session, count_contests, err);
	if (!result) {
		note_empty(&session);
		session_begin(&session, count_passes(&session));
		result = each_problem(&session, session_problem, err);
		result = session_finish(&session, result, err);
		note_overrun(&session);
	}
	session_close(&session);
	return result;
}
