/* The sanitizers' hooks, where the process has them. The runtime is built without sanitizers: it
 * tells them what the emulated machine does instead of being watched itself. */
#ifndef KERNELS_EMU_SIMT_SANITIZER_H
#define KERNELS_EMU_SIMT_SANITIZER_H

#include <stddef.h>

#define HOOK __attribute__((weak))

HOOK void *__tsan_get_current_fiber(void);
HOOK void *__tsan_create_fiber(unsigned flags);
HOOK void __tsan_destroy_fiber(void *fiber);
HOOK void __tsan_switch_to_fiber(void *fiber, unsigned flags);
HOOK void __tsan_set_fiber_name(void *fiber, const char *name);
HOOK void __tsan_acquire(void *tag);
HOOK void __tsan_release(void *tag);
HOOK void __tsan_read_range(void *address, unsigned long bytes);
HOOK void __tsan_write_range(void *address, unsigned long bytes);
HOOK void __asan_poison_memory_region(const volatile void *address, size_t bytes);
HOOK void __asan_unpoison_memory_region(const volatile void *address, size_t bytes);
HOOK void __asan_loadN(void *address, size_t bytes);
HOOK void __asan_storeN(void *address, size_t bytes);
HOOK void __sanitizer_start_switch_fiber(void **fake, const void *bottom, size_t bytes);
HOOK void __sanitizer_finish_switch_fiber(void *fake, const void **bottom, size_t *bytes);

#define TSAN_NO_SYNC 1u

/* Orders what came before on this fiber before what follows an acquire of the same tag. */
static inline void order_release(void *tag)
{
	if (__tsan_release)
		__tsan_release(tag);
}

static inline void order_acquire(void *tag)
{
	if (__tsan_acquire)
		__tsan_acquire(tag);
}

static inline void watch_read(const void *address, size_t bytes)
{
	if (__asan_loadN)
		__asan_loadN((void *)address, bytes);
	if (__tsan_read_range)
		__tsan_read_range((void *)address, bytes);
}

static inline void watch_write(void *address, size_t bytes)
{
	if (__asan_storeN)
		__asan_storeN(address, bytes);
	if (__tsan_write_range)
		__tsan_write_range(address, bytes);
}

static inline void memory_forbid(const void *address, size_t bytes)
{
	if (__asan_poison_memory_region)
		__asan_poison_memory_region(address, bytes);
}

static inline void memory_allow(const void *address, size_t bytes)
{
	if (__asan_unpoison_memory_region)
		__asan_unpoison_memory_region(address, bytes);
}

#endif
