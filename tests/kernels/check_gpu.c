/* Compiles every GPU kernel for every architecture with NVRTC, which needs no GPU, and fails on a
 * register spill or on more shared memory than the architecture gives.
 *
 *   check_gpu [TABLE.md]   also writes what it prints as a Markdown table
 *   check_gpu --list       the instances: name, entry, defines, one a line
 *   check_gpu --list-hip   the same with the HIP kernels' shared memory behind the name */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "kernels/cuda/cuda.h"
#include "kernels/cuda/nvrtc.h"
#include "kernels/gpu/plan.h"
#include "kernels/gpu/sources.h"

/* Limits of an architecture: of a block, and of a multiprocessor. */
static const struct target {
	const char *name;
	int64_t block_shared;
	int64_t shared;
	int threads;
	int blocks;
} targets[] = {
	{"sm_80", 166912, 167936, 2048, 32},
	{"sm_86", 101376, 102400, 1536, 16},
	{"sm_89", 101376, 102400, 1536, 24},
	{"sm_90", 232448, 233472, 2048, 32},
	{"sm_100", 232448, 233472, 2048, 32},
	{"sm_120", 101376, 102400, 1536, 24},
};

#define TARGETS          ((int)(sizeof targets / sizeof *targets))
#define REGISTERS        65536 /* of a multiprocessor */
#define REGISTER_UNIT    256   /* allotted to a warp at once */
#define SHARED_OF_SYSTEM 1024  /* a block */
#define SHARED_UNIT      1024
#define WARP             32

/* What an instance takes, by the assembler's report. */
struct resources {
	int registers;
	int spilled; /* bytes of stores and loads */
	int64_t shared;
	int threads;
};

struct tally {
	struct str table;
	int compiled, refused, failed;
};

struct row {
	const struct gpu_entry *entry;
	const struct schedule *schedule;
	enum dtype dtype;
	struct gpu_instance instance;
};

/* Calls `visit` once an instance, in the order of the tables. */
static void each_instance(void (*visit)(void *context, const struct row *row), void *context)
{
	for (int e = 0; e < gpu_entry_count; e++) {
		for (int dtype = 0; dtype < DTYPE_COUNT; dtype++) {
			char last[64] = "";

			for (int s = 0; s < schedule_count; s++) {
				struct row row = {.entry = &gpu_entries[e],
					.schedule = &schedules[s],
					.dtype = (enum dtype)dtype};

				if (row.entry->pass != row.schedule->pass ||
					!row.entry->serves(row.schedule) ||
					(row.schedule->matrix && dtype == DTYPE_F32))
					continue;
				gpu_instance_init(
					&row.instance, row.entry, row.schedule, row.dtype);
				if (!strcmp(last, row.instance.name))
					continue;
				strcpy(last, row.instance.name);
				visit(context, &row);
			}
		}
	}
}

/* `context` is whether to give the shared memory of AMD's kernels. */
static void list_row(void *context, const struct row *row)
{
	printf("%s", row->instance.name);
	if (context)
		printf(" %" PRId64,
			gpu_entry_shared(GPU_AMD, row->entry, row->schedule, row->dtype));
	printf(" %s", row->entry->name);
	for (int i = 0; row->instance.defines[i]; i++)
		printf(" %s", row->instance.defines[i]);
	printf("\n");
}

static int number_before(const char *text, const char *words)
{
	const char *at = strstr(text, words);

	if (!at)
		return 0;
	while (at > text && (at[-1] == ' ' || (at[-1] >= '0' && at[-1] <= '9')))
		at--;
	return atoi(at);
}

static int number_after(const char *text, const char *words)
{
	const char *at = strstr(text, words);

	return at ? atoi(at + strlen(words)) : 0;
}

static int64_t round_up(int64_t value, int64_t unit)
{
	return (value + unit - 1) / unit * unit;
}

static int64_t least(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* Warps a multiprocessor holds, in percent of the most it can. */
static int occupancy(const struct target *target, const struct resources *resources)
{
	int64_t warps = (resources->threads + WARP - 1) / WARP;
	int64_t registers = warps * round_up((int64_t)resources->registers * WARP, REGISTER_UNIT);
	int64_t shared = round_up(resources->shared + SHARED_OF_SYSTEM, SHARED_UNIT);
	int64_t blocks = least(target->blocks, target->threads / (warps * WARP));

	if (registers)
		blocks = least(blocks, REGISTERS / registers);
	blocks = least(blocks, target->shared / shared);
	return (int)(100 * blocks * warps * WARP / target->threads);
}

/* One cell of the table: "96 regs, 50 %", or what is wrong. */
static void check_target(struct tally *tally, const struct target *target,
	const struct gpu_source *source, struct resources *resources)
{
	struct gpu_code code = {0};
	struct str log = {0};
	struct err err;

	if (resources->shared > target->block_shared) {
		tally->refused++;
		str_add(&tally->table, " too much shared memory |");
		return;
	}
	if (nvrtc_compile(source, target->name, &code, &log, &err)) {
		tally->failed++;
		fprintf(stderr, "%s: %s\n", target->name, err.text);
		str_add(&tally->table, " **does not compile** |");
		goto out;
	}
	tally->compiled++;
	resources->registers = number_after(log.text, "Used ");
	resources->spilled = number_before(log.text, "bytes spill stores") +
			     number_before(log.text, "bytes spill loads");
	if (!resources->registers || resources->spilled) {
		tally->failed++;
		fprintf(stderr, "%s: %s: %s\n", target->name, source->instance,
			resources->spilled ? "spills registers" : "the assembler reports nothing");
	}
	str_addf(&tally->table, " %d, %d %%%s |", resources->registers,
		occupancy(target, resources), resources->spilled ? " **spills**" : "");
out:
	str_release(&log);
	mem_free(code.bytes);
}

struct context {
	const struct sources *sources;
	struct tally tally;
};

static void check_row(void *context, const struct row *row)
{
	struct context *all = context;
	struct str *table = &all->tally.table;
	struct gpu_source source = {
		.instance = row->instance.name,
		.entry = row->entry->name,
		.kernel = *sources_kernel(all->sources, row->entry->name),
		.headers = all->sources->headers,
		.header_count = all->sources->header_count,
		.defines = row->instance.defines,
	};
	struct resources resources = {
		.shared = gpu_entry_shared(GPU_NVIDIA, row->entry, row->schedule, row->dtype),
		.threads = gpu_entry_threads(row->entry, row->schedule, WARP),
	};
	size_t from = table->length;

	str_addf(table, "| `%s` | %d | %" PRId64 " |", row->instance.name, resources.threads,
		resources.shared);
	for (int i = 0; i < TARGETS; i++)
		check_target(&all->tally, &targets[i], &source, &resources);
	str_add(table, "\n");
	printf("%s", table->text + from);
	fflush(stdout);
}

static void begin_table(struct str *table, const char *compiler)
{
	str_addf(table,
		"# Resources of the GPU kernels\n\nWritten by `make check-gpu` with %s: registers "
		"a "
		"thread and theoretical occupancy. No kernel spills a register to memory.\n\n"
		"| instance | threads | shared bytes |",
		compiler);
	for (int i = 0; i < TARGETS; i++)
		str_addf(table, " %s |", targets[i].name);
	str_add(table, "\n|---|---|---|");
	for (int i = 0; i < TARGETS; i++)
		str_add(table, "---|");
	str_add(table, "\n");
}

int main(int argc, char **argv)
{
	struct sources sources = {0};
	struct context context = {.sources = &sources};
	struct tally *tally = &context.tally;
	char compiler[96];
	struct err err;
	int status = 1;

	if (argc > 1 && !strcmp(argv[1], "--list")) {
		each_instance(list_row, NULL);
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "--list-hip")) {
		each_instance(list_row, argv);
		return 0;
	}
	if (nvrtc_compiler(compiler, &err)) {
		printf("check-gpu: skipped: %s\n", err.text);
		return 0;
	}
	if (sources_init(&sources, &cuda_driver, NULL, &err))
		goto out;
	begin_table(&tally->table, compiler);
	printf("%s", tally->table.text);
	each_instance(check_row, &context);
	printf("%d compiled, %d refused for shared memory, %d failed\n", tally->compiled,
		tally->refused, tally->failed);
	status = tally->failed || !tally->compiled;
	if (!status && argc > 1 &&
		file_write(argv[1], tally->table.text, tally->table.length, &err)) {
		fprintf(stderr, "%s\n", err.text);
		status = 1;
	}
out:
	str_release(&tally->table);
	sources_release(&sources);
	return status;
}
