#include <string.h>

#include "cmd/escape.h"
#include "cmd/format.h"

/* The columns: how a value is written, the column's name, the value. Seconds and rates are empty
 * where they are not known, and what only a stored row has is empty in a row of this run. */
#define COLUMNS                                                                                    \
	TEXT("device", key->device)                                                                \
	TEXT("mode", mode_name(key->cold))                                                         \
	TEXT("dtype", dtype_name(key->dtype))                                                      \
	TEXT("window", window_name(key->window, window))                                           \
	TEXT("pass", pass_name(key->pass))                                                         \
	WHOLE("heads", key->heads)                                                                 \
	WHOLE("dim", key->dim)                                                                     \
	WHOLE("tokens", finding->tokens)                                                           \
	WHOLE("longest", finding->longest)                                                         \
	TEXT("schedule", finding->schedule)                                                        \
	TEXT("outcome", outcome_name(trial->outcome))                                              \
	TEXT("why", trial->why)                                                                    \
	TEXT("decision", finding->rank >= 0 ? decision_name(entry->decision) : "")                 \
	RANK("rank", finding->rank)                                                                \
	WHOLE("samples", trial->stats.count)                                                       \
	FIGURE("median", trial->stats.median)                                                      \
	FIGURE("first_quartile", trial->stats.first_quartile)                                      \
	FIGURE("third_quartile", trial->stats.third_quartile)                                      \
	FIGURE("min", trial->stats.min)                                                            \
	FIGURE("flops", trial->flops)                                                              \
	FIGURE("bytes", trial->bytes)                                                              \
	FIGURE("floor_fraction", trial->fraction)                                                  \
	TEXT("code", origin ? origin->code : "")                                                   \
	TEXT("compiler", origin ? origin->compiler : "")                                           \
	TEXT("driver", origin ? origin->driver : "")                                               \
	TEXT("version", origin ? origin->version : "")                                             \
	TEXT("created", origin ? origin->created : "")                                             \
	TEXT("lens", origin ? origin->lens : "")

static const char header[] =
#define TEXT(name, value)   "," name
#define WHOLE(name, value)  "," name
#define RANK(name, value)   "," name
#define FIGURE(name, value) "," name
	COLUMNS
#undef TEXT
#undef WHOLE
#undef RANK
#undef FIGURE
	"\r\n";

/* In quotes where RFC 4180 wants them. */
static void add_text(struct str *text, const char *value)
{
	str_add(text, ",");
	if (!value[strcspn(value, ",\"\r\n")]) {
		str_add(text, value);
		return;
	}
	str_add(text, "\"");
	escape_add(text, value, '"', "\"\"");
	str_add(text, "\"");
}

static void add_whole(struct str *text, int64_t value)
{
	str_addf(text, ",%lld", (long long)value);
}

static void add_rank(struct str *text, int rank)
{
	if (rank < 0)
		str_add(text, ",");
	else
		add_whole(text, rank + 1);
}

static void add_figure(struct str *text, double value)
{
	str_add(text, ",");
	if (value > 0)
		str_addf(text, "%.9g", value);
}

static void add_row(const struct entry *entry, const struct finding *finding, struct str *text)
{
	const struct key *key = &entry->key;
	const struct trial *trial = &finding->trial;
	const struct origin *origin = finding->origin;
	struct str row = {0};
	char window[32];

#define TEXT(name, value)   add_text(&row, value);
#define WHOLE(name, value)  add_whole(&row, value);
#define RANK(name, value)   add_rank(&row, value);
#define FIGURE(name, value) add_figure(&row, value);
	COLUMNS
#undef TEXT
#undef WHOLE
#undef RANK
#undef FIGURE
	str_addf(text, "%s\r\n", row.text + 1);
	str_release(&row);
}

void csv_write(const struct report *report, struct str *text)
{
	str_add(text, header + 1);
	for (int i = 0; i < report->count; i++)
		for (int j = 0; j < report->entries[i].count; j++)
			add_row(&report->entries[i], &report->entries[i].findings[j], text);
}
