#include "cmd/format_table.h"

#include <string.h>

#include "cmd/format.h"
#include "cmd/paint.h"

void table_device(const struct device_info *device, bool colour, struct str *text)
{
	paint_add(text, colour, PAINT_BOLD, "%s", device->name);
	str_addf(text, ": %s, %s, %d units\n", device->model, device->architecture, device->units);
}

static void add_heading(const struct entry *entry, bool colour, struct str *text)
{
	const struct key *key = &entry->key;
	char place[64];

	str_add(text, "\n");
	paint_add(text, colour, PAINT_BOLD, "%s", place_name(key, place));
	str_addf(text, ": %lld token%s, %lld head%s, %s", (long long)entry->findings[0].tokens,
		plural(entry->findings[0].tokens), (long long)key->heads, plural(key->heads),
		mode_name(key->cold));
	if (entry->cached)
		str_add(text, ", cached");
	else if (*entry->findings[0].stop)
		str_addf(text, ", %s", entry->findings[0].stop);
	str_add(text, "\n");
}

/* One scale for a whole table, by its best row, so that figures compare at a glance. */
struct scale {
	double median; /* of the best, in seconds */
	int time_decimals;
	double flops;
	int flops_decimals;
	const char *flops_unit;
};

static struct scale scale_of(const struct trial *best)
{
	double median = best->stats.median;
	struct scale scale = {
		.median = median,
		.time_decimals = median < 1e-3  ? 5
				 : median < 0.1 ? 3
						: 1,
		.flops = 1e9,
		.flops_decimals = 1,
		.flops_unit = "GFLOP/s",
	};

	if (best->flops >= 1e12) {
		scale.flops = 1e12;
		scale.flops_decimals = 3;
		scale.flops_unit = "TFLOP/s";
	}
	return scale;
}

/* The largest error of any tensor; NaN when there is one. */
static double largest_error(const struct verdict *verdict)
{
	double largest = 0;

	for (int i = 0; i < verdict->count; i++)
		if (!(verdict->judgements[i].rel <= largest))
			largest = verdict->judgements[i].rel;
	return largest;
}

/* A figure in its column, or a dash where it is not known. */
static void add_figure(struct str *text, int width, int decimals, double figure)
{
	if (figure > 0)
		str_addf(text, " %*.*f", width, decimals, figure);
	else
		str_addf(text, " %*s", width, "-");
}

static void add_timed(const struct entry *entry, const struct finding *finding,
	const struct scale *scale, bool colour, struct str *text)
{
	const struct trial *trial = &finding->trial;
	bool first = finding->rank == 0 && entry->decision != DECISION_NONE;

	str_addf(text, "  %-9s", finding->schedule);
	add_figure(text, 11, scale->time_decimals, 1e3 * trial->stats.median);
	str_addf(text, " %6.1f", 100 * stats_spread(&trial->stats));
	add_figure(text, 9, scale->flops_decimals, trial->flops / scale->flops);
	add_figure(text, 8, 2, trial->bytes / 1e9);
	add_figure(text, 8, 1, 100 * trial->fraction);
	add_figure(text, 7, 3, trial->stats.median / scale->median);
	if (trial->judged)
		str_addf(text, "  %8.1e", largest_error(&trial->verdict));
	else
		str_addf(text, "  %8s", "-");
	if (first) {
		str_add(text, "  ");
		paint_add(text, colour, PAINT_GOOD, "%s", decision_name(entry->decision));
	}
	str_add(text, "\n");
}

static bool is_timed(const struct finding *finding)
{
	return finding->trial.outcome == OUTCOME_OK && finding->trial.stats.median > 0;
}

/* The timed finding after `last` by median, or the first of all after NULL. */
static const struct finding *next_timed(const struct entry *entry, const struct finding *last)
{
	const struct finding *next = NULL;

	for (int i = 0; i < entry->count; i++) {
		const struct finding *finding = &entry->findings[i];
		double median = finding->trial.stats.median;
		bool later = !last || median > last->trial.stats.median ||
			     (median == last->trial.stats.median && finding > last);

		if (is_timed(finding) && later && (!next || median < next->trial.stats.median))
			next = finding;
	}
	return next;
}

static bool unsupported_for(const struct finding *finding, const char *why)
{
	return finding->trial.outcome == OUTCOME_UNSUPPORTED && !strcmp(finding->trial.why, why);
}

/* Schedules that cannot run, gathered by their reason. */
static void add_unsupported(const struct entry *entry, bool colour, struct str *text)
{
	for (int i = 0; i < entry->count; i++) {
		const char *why = entry->findings[i].trial.why;
		struct str names = {0};
		bool told = entry->findings[i].trial.outcome != OUTCOME_UNSUPPORTED;

		for (int j = 0; j < i; j++)
			told |= unsupported_for(&entry->findings[j], why);
		for (int j = i; j < entry->count && !told; j++)
			if (unsupported_for(&entry->findings[j], why))
				str_addf(&names, " %s", entry->findings[j].schedule);
		if (!told) {
			paint_add(
				text, colour, PAINT_DIM, "  unsupported:%s (%s)", names.text, why);
			str_add(text, "\n");
		}
		str_release(&names);
	}
}

static void add_untimed(const struct finding *finding, bool colour, struct str *text)
{
	const struct trial *trial = &finding->trial;
	bool bad = trial->outcome != OUTCOME_UNTRIED && trial->outcome != OUTCOME_OK;
	const char *outcome =
		trial->outcome == OUTCOME_OK ? "not timed" : outcome_name(trial->outcome);

	if (trial->outcome == OUTCOME_UNSUPPORTED)
		return;
	str_addf(text, "  %-9s   ", finding->schedule);
	paint_add(text, colour, bad ? PAINT_BAD : PAINT_DIM, "%s%s%s", outcome,
		*trial->why ? ": " : "", trial->why);
	str_add(text, "\n");
}

static void add_times(
	const struct entry *entry, const struct finding *best, bool colour, struct str *text)
{
	struct scale scale = scale_of(&best->trial);

	paint_add(text, colour, PAINT_DIM, "  %-9s %11s %6s %9s %8s %8s %7s  %8s", "schedule",
		"median ms", "IQR %", scale.flops_unit, "GB/s", "floor %", "ratio", "error");
	str_add(text, "\n");
	for (const struct finding *at = best; at; at = next_timed(entry, at))
		add_timed(entry, at, &scale, colour, text);
}

void table_entry(const struct entry *entry, bool colour, struct str *text)
{
	const struct finding *best = next_timed(entry, NULL);

	if (!entry->count)
		return;
	add_heading(entry, colour, text);
	if (best)
		add_times(entry, best, colour, text);
	for (int i = 0; i < entry->count; i++)
		if (!is_timed(&entry->findings[i]))
			add_untimed(&entry->findings[i], colour, text);
	add_unsupported(entry, colour, text);
}
