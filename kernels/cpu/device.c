#include "kernels/cpu/device.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"
#include "kernels/cpu/cpu.h"

#define MOST_THREADS 1024

int cpu_probe(struct err *err)
{
	(void)err;
	return 1;
}

static const struct cpu_isa *find_isa(const char *name, struct err *err)
{
	struct str known = {0};
	const struct cpu_isa *found = NULL;
	for (const struct cpu_isa *const *rung = cpu_ladder; *rung && !found; rung++) {
		str_addf(&known, "%s%s", known.length ? ", " : "", (*rung)->name);
		if (name ? !strcmp(name, (*rung)->name) : (*rung)->runs())
			found = *rung;
	}
	if (!found)
		err_set(err, ERR_USAGE, "unknown instruction set '%s'; this build has %s", name,
			known.text);
	else if (!found->runs()) {
		err_set(err, ERR_UNAVAILABLE,
			"this processor does not run instruction set '%s'; "
			"leave --isa away for the best it runs",
			name);
		found = NULL;
	}
	str_release(&known);
	return found;
}

/* The value of the first line of /proc/cpuinfo that begins with `field`. */
static bool read_cpuinfo(const char *field, char *value, size_t room)
{
	FILE *file = fopen("/proc/cpuinfo", "re");
	char line[512];
	bool found = false;
	while (file && !found && fgets(line, sizeof line, file)) {
		char *colon = strchr(line, ':');
		if (!colon || strncmp(line, field, strlen(field)))
			continue;
		colon += 1 + strspn(colon + 1, " \t");
		colon[strcspn(colon, "\n")] = 0;
		snprintf(value, room, "%s", colon);
		found = *colon != 0;
	}
	if (file)
		fclose(file);
	return found;
}

static void describe(struct cpu_device *cpu)
{
	struct device_info *info = &cpu->device.info;
	snprintf(info->name, sizeof info->name, "cpu");
	if (!read_cpuinfo("model name", info->model, sizeof info->model))
		snprintf(info->model, sizeof info->model, "unknown processor");
	snprintf(info->architecture, sizeof info->architecture, "%s", cpu->isa->name);
	info->units = team_size(cpu->team);
	info->memory = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
	snprintf(info->code, sizeof info->code, "%s", CPU_CODE);
	snprintf(info->compiler, sizeof info->compiler, "%s", CPU_COMPILER);
}

struct device *cpu_open(const struct device_options *options, struct err *err)
{
	int threads = options->threads ? options->threads : team_processors();
	const struct cpu_isa *isa = find_isa(options->isa, err);
	if (!isa)
		return NULL;
	if (options->emu || options->kernel_dir) {
		err_set(err, ERR_USAGE, "--emu and --kernel-dir are for GPUs and their emulators");
		return NULL;
	}
	if (threads < 1 || threads > MOST_THREADS) {
		err_set(err, ERR_USAGE, "%d threads; the CPU takes 1 to %d", threads, MOST_THREADS);
		return NULL;
	}
	struct cpu_device *cpu = mem_new(1, sizeof *cpu, "the device", err);
	if (!cpu)
		return NULL;
	cpu->device.backend = &cpu_backend;
	cpu->isa = isa;
	cpu->team = team_new(threads, err);
	if (!cpu->team) {
		mem_free(cpu);
		return NULL;
	}
	describe(cpu);
	return &cpu->device;
}

void cpu_close(struct device *device)
{
	struct cpu_device *cpu = (struct cpu_device *)device;
	team_free(cpu->team);
	mem_free(cpu->cache_filler);
	mem_free(cpu);
}

/* Bytes of the last-level cache a core sees. The C library is asked last: on some processors it
 * adds up the caches of a whole socket. */
static int64_t last_level_cache(void)
{
	for (int level = 4; level >= 0; level--) {
		char path[96];
		struct str text = {0};
		struct err ignored;
		int64_t kilobytes = 0;
		snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size",
			level);
		if (!file_read(path, 64, &text, &ignored) && text.text) {
			text.text[strcspn(text.text, "K\n")] = 0;
			if (!str_to_int(text.text, &kilobytes))
				kilobytes = 0;
		}
		str_release(&text);
		if (kilobytes > 0)
			return kilobytes << 10;
	}
	long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
	return bytes > 0 ? bytes : 32 << 20;
}

/* A buffer twice the last-level cache: what is read through it drives everything else out. */
static int cache_filler_make(struct cpu_device *cpu, struct err *err)
{
	if (cpu->cache_filler)
		return 0;
	cpu->filler_count = 2 * last_level_cache() / (int64_t)sizeof(float) / 4096 * 4096;
	cpu->cache_filler =
		mem_new(cpu->filler_count, sizeof(float), "the cache flush buffer", err);
	if (!cpu->cache_filler)
		return -1;
	/* Pages that were never written all map to one page of zeros, which would stay cached. */
	memset(cpu->cache_filler, 1, (size_t)cpu->filler_count * sizeof(float));
	return 0;
}

#define READ_CHUNK (64 << 10) /* floats an item */

static void read_chunk(void *context, int64_t item, int thread)
{
	struct cpu_device *cpu = context;
	int64_t first = item * READ_CHUNK, left = cpu->filler_count - first;
	volatile float sum =
		cpu->isa->read(cpu->cache_filler + first, left < READ_CHUNK ? left : READ_CHUNK);
	(void)sum;
	(void)thread;
}

static void read_filler(struct cpu_device *cpu)
{
	team_run(cpu->team, (cpu->filler_count + READ_CHUNK - 1) / READ_CHUNK, read_chunk, cpu);
}

int cpu_flush(struct device *device, struct err *err)
{
	struct cpu_device *cpu = (struct cpu_device *)device;
	if (cache_filler_make(cpu, err))
		return -1;
	read_filler(cpu);
	return 0;
}

#define MULTIPLY_ADD_STEPS 100000
#define EXPONENTIALS       2048 /* at a time, so that they stay in the first-level cache */
#define EXPONENTIAL_TURNS  200
#define TRIES              25

static void multiply_add(void *context, int64_t item, int thread)
{
	struct cpu_device *cpu = context;
	cpu->isa->multiply_add(MULTIPLY_ADD_STEPS);
	(void)item;
	(void)thread;
}

static void exponentials(void *context, int64_t item, int thread)
{
	struct cpu_device *cpu = context;
	float from[EXPONENTIALS], to[EXPONENTIALS];
	for (int i = 0; i < EXPONENTIALS; i++)
		from[i] = -(float)(i % 97) * 0.21f;
	for (int turn = 0; turn < EXPONENTIAL_TURNS; turn++) {
		cpu->isa->exponentials(from, to, EXPONENTIALS);
		from[turn] = -to[turn];
	}
	(void)item;
	(void)thread;
}

static void multiply_add_everywhere(struct cpu_device *cpu)
{
	team_run(cpu->team, team_size(cpu->team), multiply_add, cpu);
}

static void exponentials_everywhere(struct cpu_device *cpu)
{
	team_run(cpu->team, team_size(cpu->team), exponentials, cpu);
}

/* The best of several tries: a ceiling is what the units can do, undisturbed. */
static double best_seconds(struct cpu_device *cpu, void (*once)(struct cpu_device *cpu))
{
	double best = 0;
	for (int try = 0; try < TRIES; try++) {
		int64_t begin = clock_ns();
		once(cpu);
		double seconds = (double)(clock_ns() - begin) * 1e-9;
		if (!try || seconds < best)
			best = seconds;
	}
	return best;
}

int cpu_measure(struct device *device, struct ceiling *ceiling, struct err *err)
{
	struct cpu_device *cpu = (struct cpu_device *)device;
	double threads = team_size(cpu->team);
	if (cache_filler_make(cpu, err))
		return -1;
	*ceiling = (struct ceiling){
		.flops = threads * cpu->isa->multiply_add(MULTIPLY_ADD_STEPS) /
			 best_seconds(cpu, multiply_add_everywhere),
		.exponentials = threads * EXPONENTIALS * EXPONENTIAL_TURNS /
				best_seconds(cpu, exponentials_everywhere),
		.bytes = (double)cpu->filler_count * sizeof(float) / best_seconds(cpu, read_filler),
	};
	return 0;
}

/* The first line of a small file of the kernel's; empty where there is none. */
static void read_line(const char *path, char *line, int room)
{
	FILE *file = fopen(path, "re");
	*line = 0;
	if (file && !fgets(line, room, file))
		*line = 0;
	if (file)
		fclose(file);
}

/* Ticks that a hypervisor gave to other guests: the eighth figure of /proc/stat's first line. */
static int64_t stolen_ticks(void)
{
	char line[256];
	long long ticks = 0;
	read_line("/proc/stat", line, sizeof line);
	if (sscanf(line, "cpu %*d %*d %*d %*d %*d %*d %*d %lld", &ticks) != 1)
		return 0;
	return ticks;
}

void cpu_sense(struct device *device, struct sensed *sensed)
{
	struct cpu_device *cpu = (struct cpu_device *)device;
	struct rusage usage = {0};
	char line[64];
	int64_t stolen = stolen_ticks(), kilohertz = 0;
	getrusage(RUSAGE_SELF, &usage);
	read_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", line, sizeof line);
	line[strcspn(line, "\n")] = 0;
	*sensed = (struct sensed){
		.contended = usage.ru_nivcsw > cpu->preempted || stolen > cpu->stolen,
		.clock = str_to_int(line, &kilohertz) ? 1e3 * (double)kilohertz : 0,
	};
	cpu->preempted = usage.ru_nivcsw;
	cpu->stolen = stolen;
}
