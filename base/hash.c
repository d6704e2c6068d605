#include "base/hash.h"

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < count; i++)
		hash = (hash ^ byte[i]) * UINT64_C(0x100000001b3);
	return hash;
}
