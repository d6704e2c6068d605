/* Fuzzes plans: whatever comes, tasks within their limits or a message of one line.
 * The reader is of a layer that fuzzing does not link, so its few files are taken in here. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/agenda.c"
#include "cmd/plan_json.c"
#include "cmd/suggest.c"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* What would read files, or make lists so long that the rate falls. */
static bool is_dear(const char *bytes, size_t count)
{
	int digits = 0;

	for (size_t i = 0; i < count; i++) {
		digits = isdigit((unsigned char)bytes[i]) ? digits + 1 : 0;
		if (bytes[i] == '@' || digits > 4)
			return true;
	}
	return false;
}

static void check(const struct agenda *agenda)
{
	for (int64_t i = 0; i < agenda->count; i++) {
		const struct task *task = &agenda->tasks[i];

		if (task->heads < 1 || task->heads > INT32_MAX || task->window < NO_WINDOW ||
			task->window > LENS_MAX_LEN || task->dtype >= DTYPE_COUNT ||
			task->lens->count < 1 || !(task->passes[0] || task->passes[1]) ||
			!*task->spec)
			abort();
	}
	if (!agenda->count)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
	static int file = -1;
	struct agenda agenda = {0};
	struct err err = {0};
	char path[32];

	if (is_dear((const char *)bytes, count))
		return 0;
	if (file < 0)
		file = memfd_create("plan", 0);
	if (ftruncate(file, 0) || pwrite(file, bytes, count, 0) != (ssize_t)count)
		abort();
	snprintf(path, sizeof path, "/proc/self/fd/%d", file);
	if (!plan_read(&agenda, path, 1, &err))
		check(&agenda);
	else if (err.kind != ERR_USAGE || !*err.text || strchr(err.text, '\n'))
		abort();
	agenda_release(&agenda);
	return 0;
}
