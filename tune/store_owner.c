#include "tune/store_owner.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The first line of a file of /proc; false when there is none. */
static bool line_read(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "re");
	bool read = file && fgets(line, size, file);

	if (file)
		fclose(file);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read;
}

/* When a process started, in ticks since the boot (proc(5)); false when it has ended. */
static bool process_start(long process, unsigned long long *start)
{
	char path[64], line[1024], state;
	const char *rest;

	snprintf(path, sizeof path, "/proc/%ld/stat", process);
	if (!line_read(path, line, sizeof line))
		return false;
	/* Past the command, which may hold anything. */
	rest = strrchr(line, ')');
	return rest &&
	       sscanf(rest + 1,
		       " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		       "%*s %llu",
		       &state, start) == 2 &&
	       state != 'Z' && state != 'X';
}

/* Numbers of processes come again, but not within a boot with the same start. */
static bool process_name(long process, char text[OWNER_SIZE])
{
	char boot[64];
	unsigned long long start;

	if (!line_read("/proc/sys/kernel/random/boot_id", boot, sizeof boot) ||
		!process_start(process, &start))
		return false;
	snprintf(text, OWNER_SIZE, "%s %ld %llu", boot, process, start);
	return true;
}

void owner_name(char text[OWNER_SIZE])
{
	if (!process_name(getpid(), text))
		snprintf(text, OWNER_SIZE, "- %ld 0", (long)getpid());
}

static void is_gone(sqlite3_context *context, int count, sqlite3_value **values)
{
	const char *owner = (const char *)sqlite3_value_text(values[0]);
	char living[OWNER_SIZE];
	long process;

	(void)count;
	sqlite3_result_int(context, !owner || sscanf(owner, "%*s %ld", &process) != 1 ||
					    !process_name(process, living) ||
					    strcmp(living, owner) != 0);
}

int owner_function(sqlite3 *db)
{
	return sqlite3_create_function(
		db, "is_gone", 1, SQLITE_UTF8 | SQLITE_DIRECTONLY, NULL, is_gone, NULL, NULL);
}
