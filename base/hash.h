/* FNV-1a, 64 bits: a name for content, not a defence against an adversary. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_SEED UINT64_C(0xcbf29ce484222325)

/* Continues `hash` (start with HASH_SEED) over `count` bytes. */
uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count);

#endif
