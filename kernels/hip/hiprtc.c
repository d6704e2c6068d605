#include "kernels/hip/hiprtc.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "kernels/hip/api.h"

#define OPTIONS_MAX 24
#define HEADERS_MAX 32

const char *const hiprtc_options[] = {
	"-std=c++17",
	"-O3",
	"-munsafe-fp-atomics",
	"-fno-strict-aliasing",
	NULL,
};

int hiprtc_compiler(char text[96], struct err *err)
{
	const struct hiprtc_api *api = hiprtc_load(err);
	int major = 0, minor = 0;

	if (!api)
		return -1;
	api->version(&major, &minor);
	snprintf(text, 96, "hipRTC %d.%d", major, minor);
	return 0;
}

static bool write_all(int file, const char *bytes, size_t count)
{
	while (count) {
		ssize_t written = write(file, bytes, count);

		if (written <= 0)
			return false;
		bytes += written;
		count -= (size_t)written;
	}
	return true;
}

static void write_log(const struct hiprtc_api *api, struct hiprtc_program *program, int file)
{
	size_t bytes = 0;
	char *text;

	if (api->log_size(program, &bytes) || bytes <= 1)
		return;
	text = calloc(bytes + 1, 1);
	if (text && !api->log(program, text))
		write_all(file, text, strlen(text));
	free(text);
}

static bool write_code(const struct hiprtc_api *api, struct hiprtc_program *program, int file)
{
	size_t bytes = 0;
	char *code = NULL;
	bool written = false;

	if (!api->code_size(program, &bytes) && bytes)
		code = malloc(bytes);
	if (code && !api->code(program, code))
		written = write_all(file, code, bytes);
	free(code);
	return written;
}

/* The child's whole life: what it says goes to `log`, what it makes to `code`. */
static _Noreturn void child_compile(const struct hiprtc_api *api, const struct gpu_source *source,
	const char *architecture, int code, int log)
{
	const char *texts[HEADERS_MAX], *names[HEADERS_MAX], *options[OPTIONS_MAX];
	struct hiprtc_program *program = NULL;
	char target[64];
	int count = 0, failed;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGABRT, SIG_DFL);
	dup2(log, STDERR_FILENO);
	for (int i = 0; i < source->header_count; i++) {
		texts[i] = source->headers[i].text;
		names[i] = source->headers[i].name;
	}
	snprintf(target, sizeof target, "--offload-arch=%s", architecture);
	options[count++] = target;
	for (int i = 0; hiprtc_options[i]; i++)
		options[count++] = hiprtc_options[i];
	for (int i = 0; source->defines[i]; i++)
		options[count++] = source->defines[i];
	if (api->create(&program, source->kernel.text, source->kernel.name, source->header_count,
		    texts, names))
		_exit(EXIT_FAILURE);
	failed = api->compile(program, count, options);
	write_log(api, program, log);
	_exit(!failed && write_code(api, program, code) ? EXIT_SUCCESS : EXIT_FAILURE);
}

/* 0 and the status of the child once it has ended. */
static int run_child(const struct hiprtc_api *api, const struct gpu_source *source,
	const char *architecture, const int files[2], int *status, struct err *err)
{
	pid_t child = fork();

	if (child < 0)
		return err_set(
			err, ERR_UNAVAILABLE, "no process to compile in: %s", strerror(errno));
	if (!child)
		child_compile(api, source, architecture, files[0], files[1]);
	while (waitpid(child, status, 0) < 0)
		if (errno != EINTR)
			return err_set(err, ERR_UNAVAILABLE, "the compiling process is lost: %s",
				strerror(errno));
	return 0;
}

/* All of a file in memory. */
static int read_whole(int file, struct gpu_code *content, struct err *err)
{
	off_t end = lseek(file, 0, SEEK_END);

	content->count = end;
	content->bytes = mem_new(end + 1, 1, "compiled code", err);
	if (!content->bytes)
		return -1;
	if (pread(file, content->bytes, (size_t)end, 0) != end)
		return err_set(err, ERR_UNAVAILABLE, "compiled code: %s", strerror(errno));
	return 0;
}

/* How it ended, and the first line it said of an error, or the last line it said at all. */
static int report(const struct gpu_source *source, const char *architecture, int status,
	const char *said, struct err *err)
{
	const char *word = strstr(said, "error"), *line = word ? word : said + strlen(said);

	while (line > said && !word && line[-1] == '\n')
		line--;
	while (line > said && line[-1] != '\n')
		line--;
	if (WIFSIGNALED(status))
		return err_set(err, ERR_UNAVAILABLE,
			"%s does not compile for %s: hipRTC died (%s); use a newer ROCm",
			source->instance, architecture, strsignal(WTERMSIG(status)));
	return err_set(err, ERR_UNAVAILABLE, "%s does not compile for %s: %.*s", source->instance,
		architecture, (int)strcspn(line, "\n"), *line ? line : "no reason given");
}

int hiprtc_compile(const struct gpu_source *source, const char *architecture, struct gpu_code *code,
	struct str *log, struct err *err)
{
	const struct hiprtc_api *api = hiprtc_load(err);
	int files[2] = {-1, -1}, status = 0, result = -1;
	struct gpu_code said = {0};

	*code = (struct gpu_code){0};
	if (!api)
		return -1;
	if (source->header_count > HEADERS_MAX)
		bug("%d device headers", source->header_count);
	for (int i = 0; i < 2; i++)
		files[i] = memfd_create("hiprtc", MFD_CLOEXEC);
	if (files[0] < 0 || files[1] < 0) {
		err_set(err, ERR_UNAVAILABLE, "no memory to compile in: %s", strerror(errno));
		goto out;
	}
	if (run_child(api, source, architecture, files, &status, err) ||
		read_whole(files[1], &said, err))
		goto out;
	if (log)
		str_add(log, said.bytes);
	result = status ? report(source, architecture, status, said.bytes, err)
			: read_whole(files[0], code, err);
out:
	for (int i = 0; i < 2; i++)
		if (files[i] >= 0)
			close(files[i]);
	mem_free(said.bytes);
	if (result) {
		mem_free(code->bytes);
		*code = (struct gpu_code){0};
	}
	return result;
}
