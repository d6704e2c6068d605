/* Kernels compiled at run time, as C++ and by the system's compiler. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "kernels/emu/emu.h"

#if defined(__has_feature)
#define FEATURE(name) __has_feature(name)
#else
#define FEATURE(name) 0
#endif

#if defined(__SANITIZE_ADDRESS__) || FEATURE(address_sanitizer)
#define SANITIZER "-fsanitize=address"
#elif defined(__SANITIZE_THREAD__) || FEATURE(thread_sanitizer)
#define SANITIZER "-fsanitize=thread"
#else
#define SANITIZER "-fno-sanitize=all"
#endif

/* The sanitizers' code is the compiler's own: the one that built us comes first. */
#ifdef __clang__
static const char *const compilers[] = {"clang++", "g++", "c++"};
#else
static const char *const compilers[] = {"g++", "clang++", "c++"};
#endif

const char *const emu_options[] = {"-std=c++17", "-O2", "-g1", "-fPIC", "-shared",
	"-fno-omit-frame-pointer", "-fno-strict-aliasing", "-Wno-unknown-pragmas", "-w",
	"-DPATTN_EMU", SANITIZER, NULL};

#define TEXT_LIMIT   (1 << 20)
#define OBJECT_LIMIT (1 << 28)
#define WORDS_MAX    48

int emu_compiler(char text[96], struct err *err)
{
	(void)err;
	snprintf(text, 96, "SIMT emulator, %s %s", compilers[0], __VERSION__);
	return 0;
}

/* Creates the folders that `path` names below `root`, then the file. */
static int write_text(const char *root, const struct gpu_text *text, struct err *err)
{
	struct str path = {0};
	int result = 0;

	str_addf(&path, "%s/%s", root, text->name);
	for (char *slash = path.text + strlen(root) + 1; !result && (slash = strchr(slash, '/'));
		*slash++ = '/') {
		*slash = '\0';
		result = file_make_dir(path.text, err);
	}
	if (!result)
		result = file_write(path.text, text->text, strlen(text->text), err);
	str_release(&path);
	return result;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *ftw)
{
	(void)status, (void)type, (void)ftw;
	return remove(path);
}

static void remove_tree(const char *root)
{
	nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static bool executable_found(const char *name)
{
	const char *path = getenv("PATH");
	struct str candidate = {0};
	bool found = false;

	for (size_t length; path && *path && !found; path += length + (path[length] == ':')) {
		length = strcspn(path, ":");
		candidate.length = 0;
		str_addf(&candidate, "%.*s/%s", (int)length, path, name);
		found = !access(candidate.text, X_OK);
	}
	str_release(&candidate);
	return found;
}

static const char *compiler_find(struct err *err)
{
	for (size_t i = 0; i < sizeof compilers / sizeof *compilers; i++)
		if (executable_found(compilers[i]))
			return compilers[i];
	err_set(err, ERR_UNAVAILABLE,
		"the emulator needs a C++ compiler for sources from a folder; install g++ or "
		"clang");
	return NULL;
}

/* Runs `words` in `folder`, both outputs to the file `log` there. Its status, or -1 and a filled
 * `err`. */
static int command_run(const char *folder, char *const *words, const char *log, struct err *err)
{
	posix_spawn_file_actions_t actions;
	int status = 0, failure;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addchdir_np(&actions, folder);
	posix_spawn_file_actions_addopen(&actions, 1, log, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	posix_spawn_file_actions_adddup2(&actions, 1, 2);
	failure = posix_spawnp(&child, words[0], &actions, NULL, words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (failure)
		return err_set(err, ERR_UNAVAILABLE, "%s: %s", words[0], strerror(failure));
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return err_set(err, ERR_UNAVAILABLE, "%s: %s", words[0], strerror(errno));
	return status;
}

/* The line with the first error, or what there is. */
static int fail_by_log(const char *compiler, const char *path, struct err *err)
{
	struct str text = {0};
	const char *line;

	str_add(&text, "");
	if (file_read(path, TEXT_LIMIT, &text, err)) {
		str_release(&text);
		return -1;
	}
	line = strstr(text.text, "error:");
	while (line && line > text.text && line[-1] != '\n')
		line--;
	if (!line)
		line = text.length ? text.text : "it did not say why";
	err_set(err, ERR_UNAVAILABLE, "%s: %.*s", compiler, (int)strcspn(line, "\n"), line);
	str_release(&text);
	return -1;
}

#define OBJECT "kernel.so"
#define SAID   "log"

/* All of its digits but the last two, which are the stepping's. */
int emu_gfx(const char *architecture)
{
	char digits[8];
	size_t length = strlen(architecture);

	if (length < 6 || length > 9 || strncmp(architecture, "gfx", 3))
		return 0;
	snprintf(digits, sizeof digits, "%.*s", (int)length - 5, architecture + 3);
	return atoi(digits);
}

static int run_compiler(const char *root, const struct gpu_source *source, const char *architecture,
	struct err *err)
{
	const char *compiler = compiler_find(err), *words[WORDS_MAX];
	char instance[128], gfx[16];
	int count = 0, status;
	struct str said = {0};

	if (!compiler)
		return -1;
	snprintf(instance, sizeof instance, "-DINSTANCE=%s", source->instance);
	snprintf(gfx, sizeof gfx, "-DGFX=%d", emu_gfx(architecture));
	words[count++] = compiler;
	for (const char *const *option = emu_options; *option; option++)
		words[count++] = *option;
	for (const char *const *define = source->defines; *define; define++)
		words[count++] = *define;
	words[count++] = instance;
	words[count++] = gfx;
	words[count++] = "-I.";
	words[count++] = "-xc++";
	words[count++] = source->kernel.name;
	words[count++] = "-o";
	words[count++] = OBJECT;
	words[count] = NULL;
	status = command_run(root, (char *const *)words, SAID, err);
	if (status > 0) {
		str_addf(&said, "%s/" SAID, root);
		status = fail_by_log(compiler, said.text, err);
		str_release(&said);
	}
	return status;
}

static int read_object(const char *root, struct gpu_code *code, struct err *err)
{
	struct str path = {0}, bytes = {0};
	int result = -1;

	str_addf(&path, "%s/" OBJECT, root);
	if (!file_read(path.text, OBJECT_LIMIT, &bytes, err)) {
		code->bytes = mem_new((int64_t)bytes.length, 1, "compiled kernel", err);
		code->count = (int64_t)bytes.length;
	}
	if (code->bytes) {
		memcpy(code->bytes, bytes.text, bytes.length);
		result = 0;
	}
	str_release(&bytes);
	str_release(&path);
	return result;
}

int emu_compile(const struct gpu_source *source, const char *architecture, struct gpu_code *code,
	struct str *log, struct err *err)
{
	const char *temporary = getenv("TMPDIR");
	struct str root = {0};
	int result = -1;

	(void)log;
	str_addf(&root, "%s/pattn-emu-XXXXXX", temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(root.text)) {
		err_set(err, ERR_UNAVAILABLE, "%s: %s", root.text, strerror(errno));
		str_release(&root);
		return -1;
	}
	for (int i = 0; i < source->header_count; i++)
		if (write_text(root.text, &source->headers[i], err))
			goto out;
	if (!write_text(root.text, &source->kernel, err) &&
		!run_compiler(root.text, source, architecture, err))
		result = read_object(root.text, code, err);
out:
	remove_tree(root.text);
	str_release(&root);
	return result;
}
