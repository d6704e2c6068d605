/* The report as data/report.schema.json describes it. */
#include <cjson/cJSON.h>
#include <math.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/team.h"
#include "cmd/format.h"
#include "cmd/version.h"

#define SCHEMA "pattn-report/1"

/* JSON has no word for what is not a finite number. */
static cJSON *number_or_null(double value)
{
	return isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull();
}

/* A figure that is 0 where it is not known. */
static cJSON *known_or_null(double value)
{
	return value > 0 ? number_or_null(value) : cJSON_CreateNull();
}

static cJSON *window_of(int64_t window)
{
	return window == NO_WINDOW ? cJSON_CreateNull() : cJSON_CreateNumber((double)window);
}

static void add_whole(cJSON *object, const char *name, int64_t value)
{
	cJSON_AddNumberToObject(object, name, (double)value);
}

static void add_tool(cJSON *root)
{
	cJSON *tool = cJSON_AddObjectToObject(root, "tool");

	cJSON_AddStringToObject(tool, "name", "pattn");
	cJSON_AddStringToObject(tool, "version", version_text);
	cJSON_AddStringToObject(tool, "commit", version_commit);
}

/* What the machine is, not which: a report is made to be shown. */
static void add_host(cJSON *root)
{
	cJSON *host = cJSON_AddObjectToObject(root, "host");
	struct utsname name = {0};

	uname(&name);
	cJSON_AddStringToObject(host, "sysname", name.sysname);
	cJSON_AddStringToObject(host, "release", name.release);
	cJSON_AddStringToObject(host, "machine", name.machine);
	add_whole(host, "processors", team_processors());
}

static void add_device(cJSON *root, const struct report *report)
{
	const struct device_info *info = report->device;

	if (!info) {
		cJSON_AddNullToObject(root, "device");
		return;
	}
	cJSON *device = cJSON_AddObjectToObject(root, "device");
	cJSON_AddStringToObject(device, "name", info->name);
	cJSON_AddStringToObject(device, "model", info->model);
	cJSON_AddStringToObject(device, "architecture", info->architecture);
	add_whole(device, "units", info->units);
	add_whole(device, "memory", info->memory);
	cJSON_AddStringToObject(device, "code", info->code);
	cJSON_AddStringToObject(device, "compiler", info->compiler);
	cJSON_AddStringToObject(device, "driver", info->driver);
	cJSON_AddItemToObject(device, "peak_flops", known_or_null(report->ceiling.flops));
	cJSON_AddItemToObject(
		device, "peak_exponentials", known_or_null(report->ceiling.exponentials));
	cJSON_AddBoolToObject(device, "exponentials_apart", report->ceiling.apart);
	cJSON_AddItemToObject(device, "peak_bytes", known_or_null(report->ceiling.bytes));
}

static void add_problem(cJSON *root, const struct report *report)
{
	const struct lens *lens = report->lens;
	int64_t tokens = 0, longest = 0;

	if (!lens) {
		cJSON_AddNullToObject(root, "problem");
		return;
	}
	cJSON *problem = cJSON_AddObjectToObject(root, "problem");
	cJSON_AddStringToObject(problem, "spec", report->spec);
	cJSON *list = cJSON_AddArrayToObject(problem, "lens");
	for (int64_t i = 0; i < lens->count; i++) {
		cJSON_AddItemToArray(list, cJSON_CreateNumber((double)lens->len[i]));
		tokens += lens->len[i];
		longest = lens->len[i] > longest ? lens->len[i] : longest;
	}
	add_whole(problem, "heads", report->heads);
	add_whole(problem, "dim", HEAD_DIM);
	add_whole(problem, "tokens", tokens);
	add_whole(problem, "longest", longest);
	add_whole(problem, "seed", (int64_t)report->seed);
}

static void add_protocol(cJSON *root, const struct protocol *protocol)
{
	if (!protocol) {
		cJSON_AddNullToObject(root, "protocol");
		return;
	}
	cJSON *object = cJSON_AddObjectToObject(root, "protocol");
	cJSON_AddBoolToObject(object, "timed", protocol->timed);
	cJSON_AddStringToObject(object, "mode", mode_name(protocol->cold));
	add_whole(object, "rounds", protocol->rounds);
	cJSON_AddNumberToObject(object, "limit", protocol->limit);
	cJSON_AddNumberToObject(object, "warmup", protocol->warmup);
	add_whole(object, "candidate_launches", protocol->candidate_launches);
	cJSON_AddNumberToObject(object, "candidate_warmup", protocol->candidate_warmup);
	cJSON_AddNumberToObject(object, "batch_under", protocol->batch_under);
	add_whole(object, "seed", (int64_t)protocol->seed);
	if (protocol->pattern)
		cJSON_AddStringToObject(object, "schedules", protocol->pattern);
	else
		cJSON_AddNullToObject(object, "schedules");
}

static cJSON *tensor_of(const struct judgement *judgement)
{
	const struct worst *worst = &judgement->worst;
	cJSON *tensor = cJSON_CreateObject();

	cJSON_AddStringToObject(tensor, "name", judged_name(judgement->judged));
	cJSON_AddBoolToObject(tensor, "right", judgement->right);
	cJSON_AddItemToObject(tensor, "rel", number_or_null(judgement->rel));
	cJSON_AddItemToObject(tensor, "sequence_rel", number_or_null(judgement->sequence_rel));
	cJSON_AddItemToObject(tensor, "nmse", number_or_null(judgement->nmse));
	cJSON_AddNumberToObject(tensor, "ceiling", judgement->ceiling);
	cJSON *object = cJSON_AddObjectToObject(tensor, "worst");
	add_whole(object, "token", worst->token);
	add_whole(object, "sequence", worst->sequence);
	add_whole(object, "head", worst->head);
	add_whole(object, "dimension", worst->dimension);
	cJSON_AddItemToObject(object, "got", number_or_null(worst->got));
	cJSON_AddItemToObject(object, "want", number_or_null(worst->want));
	return tensor;
}

static void add_verdict(cJSON *result, const struct trial *trial)
{
	if (!trial->judged) {
		cJSON_AddNullToObject(result, "verdict");
		return;
	}
	cJSON *verdict = cJSON_AddObjectToObject(result, "verdict");
	cJSON_AddBoolToObject(verdict, "right", trial->verdict.right);
	cJSON *tensors = cJSON_AddArrayToObject(verdict, "tensors");
	for (int i = 0; i < trial->verdict.count; i++)
		cJSON_AddItemToArray(tensors, tensor_of(&trial->verdict.judgements[i]));
}

static void add_statistics(cJSON *result, const struct trial *trial)
{
	const struct stats *stats = &trial->stats;
	cJSON *samples = cJSON_AddArrayToObject(result, "samples");

	for (int i = 0; i < trial->sample_count; i++)
		cJSON_AddItemToArray(samples, cJSON_CreateNumber(trial->samples[i]));
	if (!stats->count) {
		cJSON_AddNullToObject(result, "statistics");
		cJSON_AddNullToObject(result, "rates");
		return;
	}
	cJSON *object = cJSON_AddObjectToObject(result, "statistics");
	add_whole(object, "count", stats->count);
	cJSON_AddNumberToObject(object, "median", stats->median);
	cJSON_AddNumberToObject(object, "first_quartile", stats->first_quartile);
	cJSON_AddNumberToObject(object, "third_quartile", stats->third_quartile);
	cJSON_AddNumberToObject(object, "min", stats->min);
	cJSON_AddNumberToObject(object, "max", stats->max);
	cJSON *rates = cJSON_AddObjectToObject(result, "rates");
	cJSON_AddItemToObject(rates, "flops", known_or_null(trial->flops));
	cJSON_AddItemToObject(rates, "bytes", known_or_null(trial->bytes));
	cJSON_AddItemToObject(rates, "floor_fraction", known_or_null(trial->fraction));
}

static void add_warnings(cJSON *result, const struct trial *trial)
{
	cJSON *warnings = cJSON_AddArrayToObject(result, "warnings");

	if (*trial->warning)
		cJSON_AddItemToArray(warnings, cJSON_CreateString(trial->warning));
}

/* Where a stored row came from. */
static void add_origin(cJSON *result, const struct key *key, const struct finding *finding)
{
	const struct origin *origin = finding->origin;

	if (!origin) {
		cJSON_AddNullToObject(result, "stored");
		return;
	}
	cJSON *object = cJSON_AddObjectToObject(result, "stored");
	add_whole(object, "trial", origin->trial);
	cJSON_AddStringToObject(object, "device", key->device);
	cJSON_AddStringToObject(object, "mode", mode_name(key->cold));
	cJSON_AddStringToObject(object, "lens", origin->lens);
	add_whole(object, "heads", key->heads);
	add_whole(object, "dim", key->dim);
	add_whole(object, "tokens", finding->tokens);
	add_whole(object, "longest", finding->longest);
	cJSON_AddStringToObject(object, "code", origin->code);
	cJSON_AddStringToObject(object, "compiler", origin->compiler);
	cJSON_AddStringToObject(object, "driver", origin->driver);
	cJSON_AddStringToObject(object, "version", origin->version);
	cJSON_AddStringToObject(object, "created", origin->created);
}

static void add_place(cJSON *object, const struct key *key)
{
	cJSON_AddStringToObject(object, "dtype", dtype_name(key->dtype));
	cJSON_AddItemToObject(object, "window", window_of(key->window));
	cJSON_AddStringToObject(object, "pass", pass_name(key->pass));
}

static cJSON *result_of(const struct key *key, const struct finding *finding)
{
	const struct trial *trial = &finding->trial;
	cJSON *result = cJSON_CreateObject();

	add_place(result, key);
	cJSON_AddStringToObject(result, "schedule", finding->schedule);
	cJSON_AddStringToObject(result, "outcome", outcome_name(trial->outcome));
	cJSON_AddStringToObject(result, "why", trial->why);
	add_verdict(result, trial);
	add_statistics(result, trial);
	add_whole(result, "batch", trial->batch);
	add_whole(result, "scratch", trial->scratch);
	cJSON_AddStringToObject(result, "stop", finding->stop);
	cJSON_AddItemToObject(result, "floor_seconds", known_or_null(finding->floor_seconds));
	add_warnings(result, trial);
	add_origin(result, key, finding);
	return result;
}

/* The key that a ranking is stored under, its sizes rounded up. */
static void add_key(cJSON *winner, const struct key *key)
{
	cJSON *object = cJSON_AddObjectToObject(winner, "key");

	cJSON_AddStringToObject(object, "device", key->device);
	cJSON_AddStringToObject(object, "mode", mode_name(key->cold));
	add_whole(object, "heads", key->heads);
	add_whole(object, "dim", key->dim);
	add_whole(object, "tokens", key->tokens);
	add_whole(object, "longest", key->longest);
}

static cJSON *winner_of(const struct entry *entry)
{
	cJSON *winner = cJSON_CreateObject(), *ranking = cJSON_CreateArray();
	const struct finding *best = NULL;

	add_place(winner, &entry->key);
	cJSON_AddStringToObject(winner, "decision", decision_name(entry->decision));
	for (int rank = 0; rank < entry->count; rank++) {
		const struct finding *finding = entry_ranked(entry, rank);
		if (!finding)
			continue;
		best = best ? best : finding;
		cJSON_AddItemToArray(ranking, cJSON_CreateString(finding->schedule));
	}
	if (!best)
		bug("a decision without a ranking");
	cJSON_AddStringToObject(winner, "schedule", best->schedule);
	cJSON_AddItemToObject(winner, "ranking", ranking);
	cJSON_AddBoolToObject(winner, "cached", entry->cached);
	add_key(winner, &entry->key);
	return winner;
}

void json_write(const struct report *report, struct str *text)
{
	cJSON *root = cJSON_CreateObject();

	cJSON_AddStringToObject(root, "schema", SCHEMA);
	add_tool(root);
	add_host(root);
	add_device(root, report);
	add_problem(root, report);
	add_protocol(root, report->protocol);
	cJSON *results = cJSON_AddArrayToObject(root, "results");
	cJSON *winners = cJSON_AddArrayToObject(root, "winners");
	for (int i = 0; i < report->count; i++) {
		const struct entry *entry = &report->entries[i];
		for (int j = 0; j < entry->count; j++)
			cJSON_AddItemToArray(results, result_of(&entry->key, &entry->findings[j]));
		if (entry->decision != DECISION_NONE)
			cJSON_AddItemToArray(winners, winner_of(entry));
	}
	char *printed = cJSON_Print(root);
	if (!printed)
		bug("no memory for the report");
	str_add(text, printed);
	str_add(text, "\n");
	cJSON_free(printed);
	cJSON_Delete(root);
}
