#include "kernels/cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "kernels/cuda/api.h"

#define OPTIONS_MAX 24
#define HEADERS_MAX 32

const char *const nvrtc_options[] = {
	"--std=c++17",
	"-default-device",
	"-lineinfo",
	NULL,
};

int nvrtc_compiler(char text[96], struct err *err)
{
	const struct nvrtc_api *api = nvrtc_load(err);
	int major = 0, minor = 0;

	if (!api)
		return -1;
	api->version(&major, &minor);
	snprintf(text, 96, "NVRTC %d.%d", major, minor);
	return 0;
}

/* What to compile for. A device newer than the compiler takes portable code of the newest
 * architecture the compiler knows, which the driver finishes. */
struct target {
	char option[48];
	bool portable;
};

static int choose_target(struct target *target, const struct nvrtc_api *api,
	const char *architecture, struct err *err)
{
	int wanted, count = 0, best = 0, list[64];

	if (sscanf(architecture, "sm_%d", &wanted) != 1)
		return err_set(
			err, ERR_USAGE, "'%s' is not an architecture; write sm_90", architecture);
	if (api->architecture_count(&count) || count > 64 || api->architectures(list))
		return err_set(err, ERR_UNAVAILABLE, "NVRTC does not say what it compiles for");
	for (int i = 0; i < count; i++)
		if (list[i] <= wanted && list[i] > best)
			best = list[i];
	if (!best)
		return err_set(err, ERR_UNAVAILABLE,
			"this NVRTC compiles for sm_%d and later, not for %s; use an older one",
			count ? list[0] : 0, architecture);
	target->portable = best != wanted;
	snprintf(target->option, sizeof target->option, "--gpu-architecture=%s_%d",
		target->portable ? "compute" : "sm", best);
	return 0;
}

static int create(const struct nvrtc_api *api, const struct gpu_source *source,
	struct nvrtc_program **program, struct err *err)
{
	const char *texts[HEADERS_MAX], *names[HEADERS_MAX];

	if (source->header_count > HEADERS_MAX)
		bug("%d device headers", source->header_count);
	for (int i = 0; i < source->header_count; i++) {
		texts[i] = source->headers[i].text;
		names[i] = source->headers[i].name;
	}
	if (api->create(program, source->kernel.text, source->kernel.name, source->header_count,
		    texts, names))
		return err_set(err, ERR_UNAVAILABLE, "NVRTC takes no program");
	return 0;
}

static void read_log(const struct nvrtc_api *api, struct nvrtc_program *program, struct str *log)
{
	size_t bytes = 0;
	char *text;

	if (api->log_size(program, &bytes) || bytes <= 1)
		return;
	text = calloc(bytes + 1, 1);
	if (text && !api->log(program, text))
		str_add(log, text);
	free(text);
}

/* The first line of the log that speaks of an error, or all of it. */
static int report(const struct gpu_source *source, const struct str *log, struct err *err)
{
	const char *text = log->length ? log->text : "no reason given";
	const char *word = strstr(text, "error"), *line = word ? word : text;

	while (line > text && line[-1] != '\n')
		line--;
	return err_set(err, ERR_UNAVAILABLE, "%s does not compile: %.*s", source->instance,
		(int)strcspn(line, "\n"), line);
}

static int read_code(const struct nvrtc_api *api, struct nvrtc_program *program, bool portable,
	struct gpu_code *code, struct err *err)
{
	size_t bytes = 0;
	int status = portable ? api->ptx_size(program, &bytes) : api->cubin_size(program, &bytes);

	if (status || !bytes)
		return err_set(err, ERR_UNAVAILABLE, "NVRTC gives no code");
	code->count = (int64_t)bytes;
	code->bytes = mem_new(code->count, 1, "compiled code", err);
	if (!code->bytes)
		return -1;
	if (portable ? api->ptx(program, code->bytes) : api->cubin(program, code->bytes))
		return err_set(err, ERR_UNAVAILABLE, "NVRTC gives no code");
	return 0;
}

int nvrtc_compile(const struct gpu_source *source, const char *architecture, struct gpu_code *code,
	struct str *log, struct err *err)
{
	const struct nvrtc_api *api = nvrtc_load(err);
	const char *options[OPTIONS_MAX];
	struct nvrtc_program *program = NULL;
	struct target target;
	struct str own_log = {0};
	int count = 0, result = -1;

	*code = (struct gpu_code){0};
	if (!api || choose_target(&target, api, architecture, err) ||
		create(api, source, &program, err))
		return -1;
	options[count++] = target.option;
	if (log)
		options[count++] = "--ptxas-options=-v";
	for (int i = 0; nvrtc_options[i]; i++)
		options[count++] = nvrtc_options[i];
	for (int i = 0; source->defines[i]; i++)
		options[count++] = source->defines[i];
	result = api->compile(program, count, options);
	read_log(api, program, &own_log);
	if (log && own_log.length)
		str_add(log, own_log.text);
	result = result ? report(source, &own_log, err)
			: read_code(api, program, target.portable, code, err);
	if (result) {
		mem_free(code->bytes);
		*code = (struct gpu_code){0};
	}
	api->destroy(&program);
	str_release(&own_log);
	return result;
}
