/* The cache of compiled code: it answers for exactly what was asked, and never with damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/file.h"
#include "base/mem.h"
#include "kernels/gpu/cache.h"

#define KEY UINT64_C(0x0123456789abcdef)

static char root[64];
static struct str folder;

static int set_up(void **state)
{
	(void)state;
	strcpy(root, "/tmp/pattn-cache.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	str_addf(&folder, "%s/deep/er", root);
	return 0;
}

static int tear_down(void **state)
{
	struct str command = {0};
	int status;

	(void)state;
	str_addf(&command, "rm -rf %s", root);
	status = system(command.text);
	str_release(&command);
	str_release(&folder);
	return status;
}

static void put(void)
{
	char bytes[] = "compiled\0code";
	struct gpu_code code = {bytes, sizeof bytes};

	cache_write(folder.text, "attend_bf16_r16_c16", KEY, &code);
}

static bool get(uint64_t key)
{
	struct gpu_code code = {0};
	bool found = cache_read(folder.text, "attend_bf16_r16_c16", key, &code);

	if (found) {
		assert_int_equal(code.count, 14);
		assert_memory_equal(code.bytes, "compiled\0code", 14);
	}
	mem_free(code.bytes);
	return found;
}

static void entry_path(struct str *path)
{
	str_addf(path, "%s/attend_bf16_r16_c16-0123456789abcdef", folder.text);
}

static void test_hit(void **state)
{
	(void)state;
	assert_false(get(KEY));
	put();
	assert_true(get(KEY));
	assert_false(get(KEY + 1));
}

/* Each byte of an entry in turn. */
static void test_damage(void **state)
{
	struct str path = {0}, whole = {0};
	struct err err;

	(void)state;
	put();
	entry_path(&path);
	assert_int_equal(file_read(path.text, 1 << 20, &whole, &err), 0);
	for (size_t i = 0; i < whole.length; i++) {
		whole.text[i] ^= 0x10;
		assert_int_equal(file_write(path.text, whole.text, whole.length, &err), 0);
		assert_false(get(KEY));
		whole.text[i] ^= 0x10;
		assert_int_equal(file_write(path.text, whole.text, i, &err), 0);
		assert_false(get(KEY));
	}
	put();
	assert_true(get(KEY));
	str_release(&whole);
	str_release(&path);
}

static void test_unwritable_folder_is_no_failure(void **state)
{
	struct gpu_code code = {(void *)"x", 1};

	(void)state;
	cache_write("/proc/nothing/here", "attend_bf16_r16_c16", KEY, &code);
	assert_false(cache_read("/proc/nothing/here", "attend_bf16_r16_c16", KEY, &code));
}

static uint64_t key_of(const struct gpu_source *source)
{
	static const char *const options[] = {"-O3", NULL};

	return cache_key(source, options, "sm_90", "NVRTC 13.0");
}

/* Whatever the code depends on changes the key. */
static void test_key(void **state)
{
	static const char *const options[] = {"-O3", NULL}, *const none[] = {NULL};
	static const char *const defines[] = {"-DROWS=16", "-DKEYS=16", NULL};
	static const char *const others[] = {"-DROWS=16", "-DKEYS=32", NULL};
	static const char *const joined[] = {"-DROWS=16-DKEYS=16", NULL};
	static const struct gpu_text header = {"a.h", "1"}, edited = {"a.h", "2"};
	struct gpu_source source = {"attend", "attend", {"attend.cu", "x"}, &header, 1, defines};
	uint64_t key = key_of(&source);

	(void)state;
	assert_true(key == key_of(&source));
	assert_true(key != cache_key(&source, none, "sm_90", "NVRTC 13.0"));
	assert_true(key != cache_key(&source, options, "sm_80", "NVRTC 13.0"));
	assert_true(key != cache_key(&source, options, "sm_90", "NVRTC 12.9"));
	source.defines = others;
	assert_true(key != key_of(&source));
	source.defines = joined;
	assert_true(key != key_of(&source));
	source.defines = defines;
	source.headers = &edited;
	assert_true(key != key_of(&source));
	source.headers = &header;
	source.kernel.text = "y";
	assert_true(key != key_of(&source));
}

static void test_folder(void **state)
{
	static const struct {
		const char *chosen, *xdg, *home, *want;
	} cases[] = {
		{"/c", "/x", "/h", "/c"},
		{NULL, "/x", "/h", "/x/pattn"},
		{NULL, "", "/h", "/h/.cache/pattn"},
		{NULL, NULL, "/h", "/h/.cache/pattn"},
		{"", "/x", "/h", NULL},
		{NULL, NULL, NULL, NULL},
	};
	static const char *const names[] = {"PATTN_CACHE", "XDG_CACHE_HOME", "HOME"};

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		const char *const values[] = {cases[i].chosen, cases[i].xdg, cases[i].home};
		struct str path = {0};

		for (int v = 0; v < 3; v++)
			values[v] ? setenv(names[v], values[v], 1) : unsetenv(names[v]);
		assert_int_equal(cache_folder(&path), cases[i].want != NULL);
		if (cases[i].want)
			assert_string_equal(path.text, cases[i].want);
		str_release(&path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_hit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_damage, set_up, tear_down),
		cmocka_unit_test(test_unwritable_folder_is_no_failure),
		cmocka_unit_test(test_key),
		cmocka_unit_test(test_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
