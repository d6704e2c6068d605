#include "cmd/format_table.h"

#include "cmd/paint.h"

void checks_head(bool colour, struct str *text)
{
	paint_add(text, colour, PAINT_DIM, "%-5s  %6s  %-8s  %-9s  %-14s  %s", "dtype", "window",
		"pass", "schedule", "outcome", "largest errors");
	str_add(text, "\n");
}

static enum paint paint_of(enum outcome outcome)
{
	switch (outcome) {
	case OUTCOME_OK: return PAINT_GOOD;
	case OUTCOME_UNSUPPORTED:
	case OUTCOME_UNTRIED: return PAINT_DIM;
	default: return PAINT_BAD;
	}
}

static void add_errors(const struct verdict *verdict, struct str *text)
{
	for (int i = 0; i < verdict->count; i++)
		str_addf(text, "%s%-3s %-7.1e", i ? "  " : "",
			judged_name(verdict->judgements[i].judged), verdict->judgements[i].rel);
}

static void add_worst(const struct judgement *judgement, bool colour, struct str *text)
{
	const struct worst *worst = &judgement->worst;

	paint_add(text, colour, PAINT_BAD,
		"       %s: token %lld of sequence %lld, head %lld, dimension %lld: got %.9g, want "
		"%.9g\n"
		"       %s: error %.1e, of one sequence %.1e; at most %.0e is right",
		judged_name(judgement->judged), (long long)worst->token, (long long)worst->sequence,
		(long long)worst->head, (long long)worst->dimension, worst->got, worst->want,
		judged_name(judgement->judged), judgement->rel, judgement->sequence_rel,
		judgement->ceiling);
	str_add(text, "\n");
}

/* What is wrong with the results, or else with the run. */
static void add_faults(const struct trial *trial, bool colour, struct str *text)
{
	const struct verdict *verdict = &trial->verdict;

	for (int i = 0; i < verdict->count; i++)
		if (!verdict->judgements[i].right)
			add_worst(&verdict->judgements[i], colour, text);
	if (verdict->right) {
		paint_add(text, colour, PAINT_BAD, "       %s", trial->why);
		str_add(text, "\n");
	}
}

void checks_trial(
	const struct problem *problem, const struct trial *trial, bool colour, struct str *text)
{
	char window[32];

	str_addf(text, "%-5s  %6s  %-8s  %-9s  ", dtype_name(problem->dtype),
		window_name(problem->window, window), pass_name(trial->schedule->pass),
		trial->schedule->name);
	paint_add(text, colour, paint_of(trial->outcome), "%-14s", outcome_name(trial->outcome));
	str_add(text, "  ");
	if (trial->judged)
		add_errors(&trial->verdict, text);
	else
		str_add(text, trial->why);
	str_add(text, "\n");
	if (trial->judged && trial->outcome != OUTCOME_OK)
		add_faults(trial, colour, text);
}
