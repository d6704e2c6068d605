#include "tune/store_file.h"

#include <string.h>

#include "tune/store.h"

static const char magic[16] = "SQLite format 3";

enum offset {
	OFFSET_PAGE_SIZE = 16,
	OFFSET_WRITE_FORMAT = 18,
	OFFSET_READ_FORMAT = 19,
	OFFSET_PAGE_COUNT = 28,
	OFFSET_USER_VERSION = 60,
	OFFSET_APPLICATION = 68,
};
#define FORMAT_ROLLBACK 1 /* and 2 is a write-ahead log */

static uint32_t big_endian(const struct store_header *header, enum offset offset, int bytes)
{
	uint32_t value = 0;

	for (int i = 0; i < bytes; i++)
		value = value << 8 | header->bytes[offset + i];
	return value;
}

static int refuse(struct err *err, const char *path, const char *what)
{
	return err_set(err, ERR_UNAVAILABLE, "%s: %s; move it away, " STORE_ELSEWHERE, path, what);
}

static bool has_magic(const struct store_header *header)
{
	int64_t size = header->file_size;

	return !memcmp(header->bytes, magic, size < 16 ? (size_t)size : 16);
}

static bool rolls_back(const struct store_header *header)
{
	return header->bytes[OFFSET_WRITE_FORMAT] == FORMAT_ROLLBACK &&
	       header->bytes[OFFSET_READ_FORMAT] == FORMAT_ROLLBACK;
}

int store_file_version(const struct store_header *header, const char *path, struct err *err)
{
	uint32_t version = big_endian(header, OFFSET_USER_VERSION, 4);

	if (!header->file_size)
		return 0;
	if (!has_magic(header))
		return refuse(err, path, "not a SQLite database");
	if (header->file_size < STORE_HEADER_SIZE)
		return refuse(err, path, "damaged: cut short within its header");
	if (big_endian(header, OFFSET_APPLICATION, 4) != STORE_APPLICATION)
		return refuse(err, path, "a SQLite database, but not a store of pattn's");
	if (!version || version > INT32_MAX)
		return refuse(err, path, "damaged: its header has no schema version");
	if (version > STORE_SCHEMA)
		return err_set(err, ERR_UNAVAILABLE,
			"%s: written by a newer pattn (schema %u, this one knows %d); "
			"use that one, " STORE_ELSEWHERE,
			path, version, STORE_SCHEMA);
	if (!rolls_back(header))
		return err_set(err, ERR_UNAVAILABLE,
			"%s: set to keep a write-ahead log; turn that off with "
			"`sqlite3 FILE 'PRAGMA journal_mode = delete'`, " STORE_ELSEWHERE,
			path);
	return (int)version;
}

int store_file_whole(const struct store_header *header, const char *path, struct err *err)
{
	int64_t page_size = big_endian(header, OFFSET_PAGE_SIZE, 2);
	int64_t size = big_endian(header, OFFSET_PAGE_COUNT, 4);

	size *= page_size == 1 ? 65536 : page_size;
	if (header->file_size < size)
		return err_set(err, ERR_UNAVAILABLE,
			"%s: damaged: cut short to %lld of its %lld bytes; "
			"move it away, " STORE_ELSEWHERE,
			path, (long long)header->file_size, (long long)size);
	return 0;
}
