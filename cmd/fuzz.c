#include "cmd/fuzz.h"

#include "base/hash.h"
#include "base/rng.h"
#include "cmd/format_table.h"
#include "cmd/repeat.h"
#include "cmd/session.h"

/* Where tiles begin and end, and both sides of it. */
static const int64_t edges[] = {0, 1, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129};

static int64_t draw_edge(struct rng *rng)
{
	return edges[rng_between(rng, 0, sizeof edges / sizeof *edges - 1)];
}

static int64_t draw_length(struct rng *rng)
{
	switch (rng_between(rng, 0, 7)) {
	case 0: return rng_between(rng, 0, 700);
	case 1:
	case 2: return rng_between(rng, 127, 200);
	default: return draw_edge(rng);
	}
}

static int64_t draw_window(struct rng *rng, const struct lens *lens)
{
	int64_t longest = 0;

	for (int64_t i = 0; i < lens->count; i++)
		if (lens->len[i] > longest)
			longest = lens->len[i];
	switch (rng_between(rng, 0, 4)) {
	case 0: return NO_WINDOW;
	case 1: return 0;
	case 2: return rng_between(rng, 1, 8);
	case 3: return longest + rng_between(rng, 0, 2);
	default: return draw_edge(rng);
	}
}

int draw_problem(struct draw *draw, int64_t seed, int64_t number, const enum dtype *dtypes,
	int dtype_count, struct err *err)
{
	int64_t name[] = {seed, number};
	struct rng rng = {hash_bytes(HASH_SEED, name, sizeof name)};
	int64_t count = rng_between(&rng, 1, 6);

	*draw = (struct draw){0};
	for (int64_t i = 0; i < count; i++)
		if (lens_add(&draw->lens, 1, draw_length(&rng), err))
			return -1;
	draw->heads = rng_between(&rng, 1, 4);
	draw->window = draw_window(&rng, &draw->lens);
	draw->dtype = dtypes[rng_between(&rng, 0, dtype_count - 1)];
	draw->seed = rng_between(&rng, 1, INT32_MAX);
	return 0;
}

static bool is_failure(enum outcome outcome)
{
	return outcome != OUTCOME_OK && outcome != OUTCOME_UNSUPPORTED &&
	       outcome != OUTCOME_UNTRIED;
}

static void show_failure(
	struct session *session, const struct contest *contest, const struct trial *trial)
{
	const struct problem *problem = contest->problem;
	struct lens lens = {problem->lens, problem->count, problem->count};
	struct str text = {0}, spec = {0};

	if (!is_failure(trial->outcome))
		return;
	lens_format(&lens, &spec);
	checks_trial(problem, trial, session->colour, &text);
	str_add(&text, "       repeat: ");
	repeat_problem(&text, "verify", session->options, spec.text, problem, contest->pass);
	repeat_option(&text, "schedule", trial->schedule->name);
	repeat_number(&text, "seed", session->seed);
	str_add(&text, "\n");
	session_show(session, &text);
	str_release(&spec);
}

static void show_head(struct session *session)
{
	struct str text = {0};

	table_device(&session->device->info, session->colour, &text);
	session_show(session, &text);
}

static void show_tail(struct session *session)
{
	struct str text = {0};

	str_addf(&text, "%lld random problems of seed %lld: %d right, %d failed, %d unsupported\n",
		(long long)session->problems, (long long)session->options->seed, session->right,
		session->failed, session->unsupported);
	session_show(session, &text);
}

static int check_problem(struct session *session, int64_t number, struct err *err)
{
	const struct options *options = session->options;
	struct problem problem = {0};
	struct draw draw;
	int result = draw_problem(
		&draw, options->seed, number, options->dtypes, options->dtype_count, err);

	if (!result)
		result = problem_init(
			&problem, &draw.lens, draw.heads, draw.window, draw.dtype, err);
	if (!result)
		result = session_fits(session, &problem, err);
	session->seed = draw.seed;
	if (!result)
		result = session_problem(session, &problem, err);
	report_clear(&session->report);
	problem_release(&problem);
	lens_release(&draw.lens);
	return result;
}

int fuzz_run(const struct options *options, struct err *err)
{
	const struct plan plan = {
		.show_head = show_head,
		.show_trial = show_failure,
		.show_tail = show_tail,
	};
	struct session session;
	int result = session_open(&session, options, &plan, err);

	if (!result) {
		session_begin(&session, options->fuzz);
		for (int64_t number = 0; number < options->fuzz && !result; number++)
			result = check_problem(&session, number, err);
		result = session_finish(&session, result, err);
	}
	session_close(&session);
	return result;
}
