/* .npy files, byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "data/npy.h"

static char path[64];

static int make_path(void **state)
{
	int file;

	(void)state;
	strcpy(path, "/tmp/pattn-npy-XXXXXX");
	file = mkstemp(path);
	return file < 0 ? -1 : close(file);
}

static int remove_path(void **state)
{
	(void)state;
	return unlink(path);
}

static void files_follow_the_format(void **state)
{
	static const float f32[6] = {1, 2, 3, 4, 5, 6.5f};
	static const double f64[1] = {0.1};
	static const int32_t i32[3] = {0, 5, -45};
	static const int64_t i64[2] = {INT64_C(1) << 40, -1};
	static const struct {
		enum npy_type type;
		const void *values;
		int rank;
		int64_t shape[3];
		size_t bytes;
		const char *dict;
	} rows[] = {
		{NPY_F32, f32, 2, {2, 3}, sizeof f32,
			"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }"},
		{NPY_F32, f32, 3, {1, 2, 3}, sizeof f32,
			"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2, 3), }"},
		{NPY_F64, f64, 0, {0}, sizeof f64,
			"{'descr': '<f8', 'fortran_order': False, 'shape': (), }"},
		{NPY_I32, i32, 1, {3}, sizeof i32,
			"{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }"},
		{NPY_I64, i64, 1, {2}, sizeof i64,
			"{'descr': '<i8', 'fortran_order': False, 'shape': (2,), }"},
		{NPY_F32, f32, 2, {0, 64}, 0,
			"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 64), }"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct str text = {0};
		struct err err;
		size_t length, start;

		assert_int_equal(npy_write(path, rows[i].type, rows[i].values, rows[i].shape,
					 rows[i].rank, &err),
			0);
		assert_int_equal(file_read(path, 10000, &text, &err), 0);
		assert_memory_equal(text.text, "\x93NUMPY\x01\x00", 8);
		length = (unsigned char)text.text[8] | (size_t)(unsigned char)text.text[9] << 8;
		start = 10 + length;
		assert_int_equal(start % 64, 0);
		assert_int_equal(text.length, start + rows[i].bytes);
		assert_memory_equal(text.text + 10, rows[i].dict, strlen(rows[i].dict));
		for (size_t at = 10 + strlen(rows[i].dict); at < start; at++)
			assert_int_equal(text.text[at], at == start - 1 ? '\n' : ' ');
		assert_memory_equal(text.text + start, rows[i].values, rows[i].bytes);
		str_release(&text);
	}
}

static void an_unwritable_path_is_named(void **state)
{
	static const int64_t shape[1] = {1};
	struct err err = {0};

	(void)state;
	assert_int_equal(npy_write("/nonexistent/a.npy", NPY_F32, &(float){1}, shape, 1, &err), -1);
	assert_int_equal(err.kind, ERR_UNAVAILABLE);
	assert_non_null(strstr(err.text, "/nonexistent/a.npy"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_follow_the_format),
		cmocka_unit_test(an_unwritable_path_is_named),
	};

	return cmocka_run_group_tests(tests, make_path, remove_path);
}
