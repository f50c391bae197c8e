/* alloc_support.h: memory that runs out. It stands between the program and the functions that allocate (linked with
 * --wrap), refuses the nth allocation, once or from then on, and knows what has not been given back. */
#ifndef ALLOC_SUPPORT_H
#define ALLOC_SUPPORT_H

#include <stdarg.h>
#include <sys/mman.h>

#include "fault_support.h"
#include "schedule/pool.h"

/* ---- which allocation fails ---- */

enum {
    MALLOC = 1,
    CALLOC = 2,
    ALIGNED = 4,
    STRDUP = 8,
    CPU_SET = 16,
    MMAP = 32,
    FILES = 64, /* the functions that read a file */
    HWLOC = 128,
    ANYTHING = 255
};

typedef enum { ONCE, FROM_THEN_ON } how_long;

/* Written by: the test, while nothing else allocates. Read by: threads that allocate. */
static HEIST__ATOMIC(unsigned) kinds_refused;
static HEIST__ATOMIC(unsigned) refused_forever;
static HEIST__ATOMIC(int) left_before;    /* allocations that succeed until then. Written by: threads that allocate. */
static HEIST__ATOMIC(unsigned) kinds_hit; /* the kinds refused so far. Written by: threads that allocate. */

static inline void refuse(unsigned kinds, int nth, how_long how)
{
    heist__store_relaxed(&kinds_hit, 0); /* relaxed throughout: the last store publishes them */
    heist__store_relaxed(&left_before, nth - 1);
    heist__store_relaxed(&refused_forever, how == FROM_THEN_ON);
    heist__store_release(&kinds_refused, kinds);
}

/* Back to normal. Returns what was refused: 0 if the scenario did not come that far. */
static inline unsigned refuse_no_more(void)
{
    heist__store_release(&kinds_refused, 0);
    return heist__load_acquire(&kinds_hit);
}

static inline bool fails(unsigned kind)
{
    if (!(heist__load_acquire(&kinds_refused) & kind)) return false;
    int left = heist__add_acq_rel(&left_before, -1);
    if (left > 0 || (left < 0 && !heist__load_relaxed(&refused_forever))) return false; /* relaxed: see refuse */
    unsigned hit = heist__load_relaxed(&kinds_hit);                                     /* relaxed: the CAS checks it */
    while (!heist__cas_acq_rel(&kinds_hit, &hit, hit | kind)) {
    }
    errno = ENOMEM;
    return true;
}

/* ---- what is allocated ---- */

#define HOLDINGS ((size_t)1 << 16)
#define CHAINS ((size_t)1 << 12)

typedef struct holding {
    void *block;
    size_t bytes; /* of a mapping; 0: a block of malloc */
    struct holding *next;
} holding;

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER; /* guards all of these */
static holding holdings[HOLDINGS], *unused, *chains[CHAINS];
static size_t used, held;
static const char *misuse; /* a sentence about a block that was given back in a wrong way */

/* The link to the block's entry, or the end of its chain. */
static inline holding **link_to(void *block)
{
    holding **link = &chains[(uint64_t)(uintptr_t)block * UINT64_C(0x9e3779b97f4a7c15) >> 52];
    while (*link && (*link)->block != block) link = &(*link)->next;
    return link;
}

static inline void *hold(void *block, size_t bytes)
{
    if (!block) return block;
    pthread_mutex_lock(&table_lock);
    holding **link = link_to(block), *entry = unused;
    if (*link) misuse = "a block was given out twice";
    if (entry) {
        unused = entry->next;
    } else {
        entry = &holdings[used++ % HOLDINGS];
        if (used > HOLDINGS) misuse = "too many blocks for this test's table";
    }
    *entry = (holding){block, bytes, NULL};
    *link = entry;
    held++;
    pthread_mutex_unlock(&table_lock);
    return block;
}

/* Blocks that libc made are not known here. */
static inline void let_go(void *block, size_t bytes)
{
    if (!block) return;
    pthread_mutex_lock(&table_lock);
    holding **link = link_to(block), *entry = *link;
    if (entry) {
        if (entry->bytes != bytes) misuse = "a mapping was not given back whole";
        *link = entry->next;
        entry->next = unused;
        unused = entry;
        held--;
    } else if (bytes) {
        misuse = "what was unmapped was not mapped";
    }
    pthread_mutex_unlock(&table_lock);
}

static inline size_t held_now(void)
{
    pthread_mutex_lock(&table_lock);
    size_t now = held;
    pthread_mutex_unlock(&table_lock);
    return now;
}

static size_t held_before; /* the test; not 0 if one before has failed */

static inline void nothing_is_left(const char *what)
{
    TEST_ASSERT_EQUAL_size_t_MESSAGE(held_before, held_now(), what);
    TEST_ASSERT_NULL_MESSAGE(misuse, misuse);
}

void setUp(void)
{
    watchdog(PATIENCE_S);
    held_before = held_now();
    misuse = NULL;
}

void tearDown(void)
{
    alarm(0);
    refuse_no_more();
}

/* ---- in place of the real ones ---- */

#define WRAPPED(result, name, ...)                                                                                     \
    result __real_##name(__VA_ARGS__);                                                                                 \
    result __wrap_##name(__VA_ARGS__);                                                                                 \
    result __wrap_##name(__VA_ARGS__)

#if defined(__clang__)
#pragma clang diagnostic ignored "-Wreserved-identifier"
#endif

WRAPPED(void *, malloc, size_t size)
{
    return fails(MALLOC) ? NULL : hold(__real_malloc(size), 0);
}

WRAPPED(void *, calloc, size_t count, size_t size)
{
    return fails(CALLOC) ? NULL : hold(__real_calloc(count, size), 0);
}

WRAPPED(void *, aligned_alloc, size_t alignment, size_t size)
{
    return fails(ALIGNED) ? NULL : hold(__real_aligned_alloc(alignment, size), 0);
}

WRAPPED(void, free, void *block)
{
    let_go(block, 0); /* first: at once after the real one another thread may have it */
    __real_free(block);
}

WRAPPED(char *, strdup, const char *text)
{
    return fails(STRDUP) ? NULL : hold(__real_strdup(text), 0);
}

WRAPPED(cpu_set_t *, __sched_cpualloc, size_t count)
{
    return fails(CPU_SET) ? NULL : hold(__real___sched_cpualloc(count), 0);
}

WRAPPED(void, __sched_cpufree, cpu_set_t *set)
{
    let_go(set, 0);
    __real___sched_cpufree(set);
}

/* With 64-bit file offsets the compiler calls the one or the other; here they are the same. */
WRAPPED(void *, mmap, void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    void *block = fails(MMAP) ? MAP_FAILED : __real_mmap(at, bytes, protection, flags, file, offset);
    if (block != MAP_FAILED) hold(block, bytes);
    return block;
}

WRAPPED(void *, mmap64, void *at, size_t bytes, int protection, int flags, int file, off_t offset)
{
    return __wrap_mmap(at, bytes, protection, flags, file, offset);
}

WRAPPED(int, munmap, void *block, size_t bytes)
{
    let_go(block, bytes);
    return __real_munmap(block, bytes);
}

WRAPPED(int, mprotect, void *block, size_t bytes, int protection)
{
    if (!fails(MMAP)) return __real_mprotect(block, bytes, protection);
    errno = ENOMEM;
    return -1;
}

WRAPPED(FILE *, fopen, const char *path, const char *mode)
{
    return fails(FILES) ? NULL : hold(__real_fopen(path, mode), 0);
}

WRAPPED(FILE *, fopen64, const char *path, const char *mode)
{
    return __wrap_fopen(path, mode);
}

WRAPPED(int, fclose, FILE *file)
{
    let_go(file, 0);
    return __real_fclose(file);
}

/* Also under the name that glibc's headers put in place of getline. */
WRAPPED(ssize_t, __getdelim, char **line, size_t *room, int end, FILE *file)
{
    return fails(FILES) ? -1 : getdelim(line, room, end, file);
}

WRAPPED(ssize_t, getline, char **line, size_t *room, FILE *file)
{
    return __wrap___getdelim(line, room, '\n', file);
}

static inline int print_to_new(char **text, const char *format, va_list arguments)
{
    if (fails(FILES)) return -1;
    int length = vasprintf(text, format, arguments);
    if (length >= 0) hold(*text, 0);
    return length;
}

int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_asprintf(char **text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = print_to_new(text, format, arguments);
    va_end(arguments);
    return length;
}

/* The name of asprintf in hardened builds. */
int __wrap___asprintf_chk(char **text, int flag, const char *format, ...) __attribute__((format(printf, 3, 4)));
int __wrap___asprintf_chk(char **text, int flag, const char *format, ...)
{
    (void)flag;
    va_list arguments;
    va_start(arguments, format);
    int length = print_to_new(text, format, arguments);
    va_end(arguments);
    return length;
}

#if HEIST_HAVE_HWLOC
WRAPPED(int, hwloc_topology_init, void *topology)
{
    return fails(HWLOC) ? -1 : __real_hwloc_topology_init(topology);
}
#endif

/* ---- making a pool ---- */

static const how_long both_ways[] = {ONCE, FROM_THEN_ON};

/* Enough for every scenario here; one that allocates without end is cut off and fails. */
#define MOST_CALLS 4000

/* Stacks are small, for a sanitizer looks at all of them. */
static inline heist_options small_stacks(unsigned workers)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    options.spin = 16; /* 0: the CPUs are counted for it, and want of memory for that is not worth a word */
    options.stack_size = (size_t)1 << 20;
    return options;
}

#endif
