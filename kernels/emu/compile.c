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

extern char **environ;

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
	snprintf(text, 96, "SIMT emulator, %s", __VERSION__);
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

/* Runs `words` with both outputs in the file `log`. Its status, or -1 and a filled `err`. */
static int command_run(char *const *words, const char *log, struct err *err)
{
	posix_spawn_file_actions_t actions;
	int status = 0, failure;
	pid_t child;

	posix_spawn_file_actions_init(&actions);
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

	if (file_read(path, TEXT_LIMIT, &text, err))
		return -1;
	line = strstr(text.text ? text.text : "", "error:");
	while (line && line > text.text && line[-1] != '\n')
		line--;
	if (!line)
		line = text.length ? text.text : "it did not say why";
	err_set(err, ERR_UNAVAILABLE, "%s: %.*s", compiler, (int)strcspn(line, "\n"), line);
	str_release(&text);
	return -1;
}

static int compile_in(const char *root, const struct gpu_source *source, struct gpu_code *code,
	struct str *log, struct err *err)
{
	struct str include = {0}, map = {0}, kernel = {0}, instance = {0}, object = {0}, said = {0};
	struct str bytes = {0};
	const char *compiler = compiler_find(err), *words[WORDS_MAX];
	int count = 0, status, result = -1;

	if (!compiler)
		return -1;
	str_addf(&include, "-I%s", root);
	str_addf(&map, "-ffile-prefix-map=%s/=", root);
	str_addf(&instance, "-DINSTANCE=%s", source->instance);
	str_addf(&kernel, "%s/%s", root, source->kernel.name);
	str_addf(&object, "%s/kernel.so", root);
	str_addf(&said, "%s/log", root);
	words[count++] = compiler;
	for (const char *const *option = emu_options; *option; option++)
		words[count++] = *option;
	for (const char *const *define = source->defines; *define; define++)
		words[count++] = *define;
	words[count++] = instance.text;
	words[count++] = include.text;
	words[count++] = map.text;
	words[count++] = "-xc++";
	words[count++] = kernel.text;
	words[count++] = "-o";
	words[count++] = object.text;
	words[count] = NULL;
	status = command_run((char *const *)words, said.text, err);
	if (status < 0)
		goto out;
	if (status) {
		fail_by_log(compiler, said.text, err);
		goto out;
	}
	if (log && file_read(said.text, TEXT_LIMIT, log, err))
		goto out;
	if (file_read(object.text, OBJECT_LIMIT, &bytes, err))
		goto out;
	code->bytes = mem_new((int64_t)bytes.length, 1, "compiled kernel", err);
	if (!code->bytes)
		goto out;
	memcpy(code->bytes, bytes.text, bytes.length);
	code->count = (int64_t)bytes.length;
	result = 0;
out:
	str_release(&bytes);
	str_release(&said);
	str_release(&object);
	str_release(&kernel);
	str_release(&instance);
	str_release(&map);
	str_release(&include);
	return result;
}

int emu_compile(const struct gpu_source *source, const char *architecture, struct gpu_code *code,
	struct str *log, struct err *err)
{
	const char *temporary = getenv("TMPDIR");
	struct str root = {0};
	int result = -1;

	(void)architecture;
	str_addf(&root, "%s/pattn-emu-XXXXXX", temporary && *temporary ? temporary : "/tmp");
	if (!mkdtemp(root.text)) {
		err_set(err, ERR_UNAVAILABLE, "%s: %s", root.text, strerror(errno));
		str_release(&root);
		return -1;
	}
	for (int i = 0; i < source->header_count; i++)
		if (write_text(root.text, &source->headers[i], err))
			goto out;
	if (!write_text(root.text, &source->kernel, err))
		result = compile_in(root.text, source, code, log, err);
out:
	remove_tree(root.text);
	str_release(&root);
	return result;
}
