#include "data/npy.h"

#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/str.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "values are written as they lie");

static const struct {
	const char *descr;
	int size;
} types[] = {
	[NPY_F32] = {"<f4", 4},
	[NPY_F64] = {"<f8", 8},
	[NPY_I32] = {"<i4", 4},
	[NPY_I64] = {"<i8", 8},
};

/* The values start at a multiple of this. */
#define ALIGNMENT 64

/* Magic, version 1.0, the length of the rest in 16 bits, a Python dictionary, spaces, a newline. */
static void add_header(struct str *text, enum npy_type type, const int64_t *shape, int rank)
{
	static const char magic[] = "\x93NUMPY\x01\x00";
	size_t prefix = sizeof magic - 1 + 2, length;
	struct str dict = {0};
	unsigned char size[2];

	str_addf(&dict, "{'descr': '%s', 'fortran_order': False, 'shape': (", types[type].descr);
	for (int i = 0; i < rank; i++)
		str_addf(&dict, "%s%lld", i ? ", " : "", (long long)shape[i]);
	str_add(&dict, rank == 1 ? ",), }" : "), }");
	while ((prefix + dict.length + 1) % ALIGNMENT)
		str_add(&dict, " ");
	str_add(&dict, "\n");
	length = dict.length;
	size[0] = (unsigned char)(length & 0xff);
	size[1] = (unsigned char)(length >> 8);
	str_add_bytes(text, magic, sizeof magic - 1);
	str_add_bytes(text, (const char *)size, sizeof size);
	str_add_bytes(text, dict.text, length);
	str_release(&dict);
}

int npy_write(const char *path, enum npy_type type, const void *values, const int64_t *shape,
	int rank, struct err *err)
{
	struct str header = {0};
	int64_t bytes = types[type].size, whole;
	char *file = NULL;
	int result = -1;

	add_header(&header, type, shape, rank);
	for (int i = 0; i < rank; i++)
		if (!mem_mul(bytes, shape[i], &bytes))
			bug("an array of more than 63 bits");
	if (!mem_add(bytes, (int64_t)header.length, &whole))
		bug("an array of more than 63 bits");
	file = mem_new(whole, 1, path, err);
	if (!file)
		goto out;
	memcpy(file, header.text, header.length);
	memcpy(file + header.length, values, (size_t)bytes);
	result = file_write(path, file, (size_t)whole, err);
out:
	mem_free(file);
	str_release(&header);
	return result;
}
