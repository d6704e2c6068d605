#include <string.h>

#include "cmd/escape.h"
#include "cmd/format.h"

static const char header[] =
	"| dtype | window | pass | heads | tokens | longest | mode | schedule | median ms | IQR % "
	"| GFLOP/s | GB/s | floor % | result |\n"
	"|---|---:|---|---:|---:|---:|---|---|---:|---:|---:|---:|---:|---|\n";

/* A cell; empty where the figure is not known. */
static void add_figure(struct str *text, const char *format, double value)
{
	if (value > 0)
		str_addf(text, format, value);
	str_add(text, " | ");
}

/* A bar in a cell must not end it. */
static void add_text(struct str *text, const char *value)
{
	escape_add(text, value, '|', "\\|");
}

static void add_result(const struct entry *entry, const struct finding *finding, struct str *text)
{
	const struct trial *trial = &finding->trial;

	if (finding->rank == 0) {
		str_addf(text, "**%s**", decision_name(entry->decision));
	} else if (finding->rank > 0) {
		str_addf(text, "rank %d", finding->rank + 1);
	} else {
		str_add(text, outcome_name(trial->outcome));
		str_add(text, *trial->why ? ": " : "");
		add_text(text, trial->why);
	}
}

static void add_row(const struct entry *entry, const struct finding *finding, struct str *text)
{
	const struct key *key = &entry->key;
	const struct trial *trial = &finding->trial;
	char window[32];

	str_addf(text, "| %s | %s | %s | %lld | %lld | %lld | %s | ", dtype_name(key->dtype),
		window_name(key->window, window), pass_name(key->pass), (long long)key->heads,
		(long long)finding->tokens, (long long)finding->longest, mode_name(key->cold));
	add_text(text, finding->schedule);
	str_add(text, " | ");
	add_figure(text, "%.4f", 1e3 * trial->stats.median);
	add_figure(text, "%.1f", 100 * stats_spread(&trial->stats));
	add_figure(text, "%.1f", trial->flops / 1e9);
	add_figure(text, "%.2f", trial->bytes / 1e9);
	add_figure(text, "%.1f", 100 * trial->fraction);
	add_result(entry, finding, text);
	str_add(text, " |\n");
}

void md_write(const struct report *report, struct str *text)
{
	const char *device = NULL;

	for (int i = 0; i < report->count; i++) {
		const struct entry *entry = &report->entries[i];

		if (!device || strcmp(device, entry->key.device))
			str_addf(text, "%s### %s\n\n%s", device ? "\n" : "", entry->key.device,
				header);
		device = entry->key.device;
		for (int j = 0; j < entry->count; j++)
			add_row(entry, &entry->findings[j], text);
	}
}
