/* memory/poison.h: memory that is not in use is told to the tools that look for misuse.
 *
 * AddressSanitizer is asked through its own functions, which are there when the program or the library was built with
 * it: the references are weak. valgrind is asked through its header, where that was found. */
#ifndef HEIST_MEMORY_POISON_H
#define HEIST_MEMORY_POISON_H

#include <stdbool.h>
#include <stddef.h>

#if HEIST_HAVE_VALGRIND
#include <valgrind/memcheck.h>
#endif

void __asan_poison_memory_region(const volatile void *memory, size_t bytes) __attribute__((weak));
void __asan_unpoison_memory_region(const volatile void *memory, size_t bytes) __attribute__((weak));

/* Whether a tool watches this process. */
static inline bool heist__watched(void)
{
#if HEIST_HAVE_VALGRIND
    if (RUNNING_ON_VALGRIND) return true;
#endif
    return __asan_poison_memory_region != NULL;
}

/* From now on nobody may touch this memory. */
static inline void heist__hide(void *memory, size_t bytes)
{
    if (__asan_poison_memory_region) __asan_poison_memory_region(memory, bytes);
#if HEIST_HAVE_VALGRIND
    VALGRIND_MAKE_MEM_NOACCESS(memory, bytes);
#endif
}

/* From now on it may be used; its contents are undefined. */
static inline void heist__show(void *memory, size_t bytes)
{
    if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(memory, bytes);
#if HEIST_HAVE_VALGRIND
    VALGRIND_MAKE_MEM_UNDEFINED(memory, bytes);
#endif
}

/* The same; it has the contents that it had when it was hidden. */
static inline void heist__show_contents(void *memory, size_t bytes)
{
    if (__asan_unpoison_memory_region) __asan_unpoison_memory_region(memory, bytes);
#if HEIST_HAVE_VALGRIND
    VALGRIND_MAKE_MEM_DEFINED(memory, bytes);
#endif
}

#endif
