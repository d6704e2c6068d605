/* NVIDIA's libraries: what is said without them, and what NVRTC makes of sources where it is to be
 * had. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "kernels/cuda/api.h"
#include "kernels/cuda/cuda.h"
#include "kernels/gpu/sources.h"

static void test_a_missing_driver_is_explained(void **state)
{
	struct err err = {0};

	(void)state;
	if (cuda_load(&err))
		skip();
	assert_int_equal(cuda_backend.probe(&err), -1);
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	if (strstr(err.text, "libcuda.so.1"))
		assert_non_null(strstr(err.text, "--device cuda-emu"));
	else
		assert_non_null(strstr(err.text, "nvidia-smi"));
}

static const char *const no_defines[] = {NULL};

static int compile(const char *text, const struct gpu_text *header, const char *architecture,
	struct gpu_code *code, struct str *log, struct err *err)
{
	struct gpu_source source = {
		"probe_f32", "probe", {"probe.cu", text}, header, header != NULL, no_defines};

	return cuda_driver.compile(&source, architecture, code, log, err);
}

static void skip_without_compiler(void)
{
	char text[96];
	struct err err;

	if (cuda_driver.compiler(text, &err)) {
		assert_non_null(strstr(err.text, "LD_LIBRARY_PATH"));
		skip();
	}
	assert_memory_equal(text, "NVRTC ", 6);
}

static void test_sources_compile(void **state)
{
	static const struct gpu_text header = {"folder/value.h", "#define VALUE 3.0f\n"};
	struct gpu_code code = {0};
	struct str log = {0};
	struct err err;

	(void)state;
	skip_without_compiler();
	assert_int_equal(compile("#include \"folder/value.h\"\n"
				 "extern \"C\" __global__ void probe(float *x) { *x = VALUE; }\n",
				 &header, "sm_90", &code, &log, &err),
		0);
	assert_memory_equal(code.bytes, "\177ELF", 4);
	assert_non_null(strstr(log.text, "registers"));
	mem_free(code.bytes);
	str_release(&log);
}

/* A device newer than the compiler gets code its driver can finish. */
static void test_an_unknown_architecture_gets_portable_code(void **state)
{
	struct gpu_code code = {0};
	struct err err;

	(void)state;
	skip_without_compiler();
	assert_int_equal(compile("extern \"C\" __global__ void probe(float *x) { *x = 1; }\n", NULL,
				 "sm_999", &code, NULL, &err),
		0);
	assert_non_null(strstr(code.bytes, ".target"));
	mem_free(code.bytes);
}

static void test_a_broken_source_is_named_with_its_line(void **state)
{
	struct gpu_code code = {0};
	struct err err;

	(void)state;
	skip_without_compiler();
	assert_int_equal(compile("\n\nnonsense;\n", NULL, "sm_80", &code, NULL, &err), -1);
	assert_non_null(strstr(err.text, "probe_f32"));
	assert_non_null(strstr(err.text, "probe.cu(3): error"));
	assert_null(code.bytes);
	assert_int_equal(compile("", NULL, "gfx90a", &code, NULL, &err), -1);
	assert_non_null(strstr(err.text, "gfx90a"));
}

/* The kernels that find a device's rates are in no schedule, so check_gpu does not see them. */
static void test_peak_kernels_compile_without_spills(void **state)
{
	static const char *const entries[] = {"peak_multiply", "peak_exponent", "peak_read"};
	static const char *const defines[] = {"-DHEAD_DIM=64", "-DELEM=1", NULL};
	struct sources sources = {0};
	struct err err;

	(void)state;
	skip_without_compiler();
	assert_int_equal(sources_init(&sources, &cuda_driver, NULL, &err), 0);
	for (size_t i = 0; i < sizeof entries / sizeof *entries; i++) {
		struct gpu_source source = {entries[i], entries[i],
			*sources_kernel(&sources, entries[i]), sources.headers,
			sources.header_count, defines};
		struct gpu_code code = {0};
		struct str log = {0};

		if (cuda_driver.compile(&source, "sm_80", &code, &log, &err))
			fail_msg("%s", err.text);
		assert_non_null(strstr(log.text, " 0 bytes spill stores"));
		mem_free(code.bytes);
		str_release(&log);
	}
	sources_release(&sources);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_missing_driver_is_explained),
		cmocka_unit_test(test_sources_compile),
		cmocka_unit_test(test_an_unknown_architecture_gets_portable_code),
		cmocka_unit_test(test_peak_kernels_compile_without_spills),
		cmocka_unit_test(test_a_broken_source_is_named_with_its_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
