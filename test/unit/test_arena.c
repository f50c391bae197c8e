/* test_arena.c: memory of arenas is apart, aligned, and there again after a rewind; sizes that cannot be are refused;
 * every worker has an arena of its own; memory that is not in use is known to AddressSanitizer. */
#include "support.h"

#include <errno.h>

#include "memory/poison.h"
#include "schedule/worker.h"

int __asan_address_is_poisoned(const volatile void *address) __attribute__((weak));

static heist_arena arena;

void setUp(void)
{
    watchdog(PATIENCE_S);
    TEST_ASSERT_EQUAL_INT(0, heist_arena_begin(&arena, 4096));
}

void tearDown(void)
{
    alarm(0);
    heist_arena_end(&arena);
}

static void *get(size_t size)
{
    char *memory = heist_arena_alloc(&arena, size);
    TEST_ASSERT_NOT_NULL(memory);
    TEST_ASSERT_EQUAL_UINT64(0, (uintptr_t)memory % HEIST_ALIGNMENT);
    memset(memory, 0x5A, size); /* all of it is ours */
    return memory;
}

static void allocations_are_apart_and_keep_their_contents(void)
{
    enum { COUNT = 2000 };
    static unsigned char *memory[COUNT];
    uint32_t seed = 1;
    for (size_t i = 0; i < COUNT; i++) {
        seed = seed * 1664525 + 1013904223;
        const size_t size = 1 + seed % 300;
        memory[i] = get(size + sizeof size);
        memcpy(memory[i], &size, sizeof size);
        memset(memory[i] + sizeof size, (int)(i & 255), size);
    }
    for (size_t i = 0; i < COUNT; i++) {
        size_t size;
        memcpy(&size, memory[i], sizeof size);
        for (size_t k = 0; k < size; k++) TEST_ASSERT_EQUAL_UINT8(i & 255, memory[i][sizeof size + k]);
    }
    heist_arena_stats stats = heist_arena_stats_read(&arena);
    TEST_ASSERT_GREATER_THAN_UINT(10, stats.chunks);
    TEST_ASSERT_GREATER_THAN_UINT64(COUNT * 100, stats.used);
    TEST_ASSERT_GREATER_OR_EQUAL_UINT64(stats.used, stats.reserved);
}

static void every_alignment_is_kept(void)
{
    for (size_t alignment = 1; alignment <= 65536; alignment *= 2) {
        for (size_t size = 0; size < 70; size += 23) {
            char *memory = heist_arena_alloc_aligned(&arena, size, alignment);
            TEST_ASSERT_NOT_NULL(memory);
            TEST_ASSERT_EQUAL_UINT64(0, (uintptr_t)memory % alignment);
            memset(memory, 1, size);
        }
    }
}

static void no_bytes_are_no_error(void)
{
    TEST_ASSERT_NOT_NULL(heist_arena_alloc(&arena, 0));
    TEST_ASSERT_NOT_NULL(heist_arena_array(&arena, 0, 8));
    TEST_ASSERT_NOT_NULL(heist_arena_array(&arena, 8, 0));
}

static void a_large_one_gets_a_chunk_of_its_own(void)
{
    char *large = get(100000);
    large[99999] = 1;
    TEST_ASSERT_GREATER_OR_EQUAL_UINT64(100000, heist_arena_stats_read(&arena).reserved);
    get(10);
}

static void a_rewind_gives_the_same_memory_again(void)
{
    get(100);
    heist_arena_mark mark = heist_arena_mark_now(&arena);
    const uint64_t used = heist_arena_stats_read(&arena).used;
    void *first = get(50);
    for (int i = 0; i < 100; i++) get(1000); /* many chunks */
    const heist_arena_stats full = heist_arena_stats_read(&arena);
    TEST_ASSERT_EQUAL_INT(0, heist_arena_rewind(&arena, mark));
    TEST_ASSERT_EQUAL_UINT64(used, heist_arena_stats_read(&arena).used);
    TEST_ASSERT_EQUAL_PTR(first, get(50));
    for (int i = 0; i < 100; i++) get(1000);
    const heist_arena_stats again = heist_arena_stats_read(&arena);
    TEST_ASSERT_EQUAL_UINT64(full.reserved, again.reserved); /* nothing new was needed */
    TEST_ASSERT_EQUAL_UINT64(full.used, again.used);
    TEST_ASSERT_EQUAL_UINT64(full.used, again.most);
}

static void a_mark_of_the_empty_arena_is_good(void)
{
    heist_arena_mark mark = heist_arena_mark_now(&arena);
    get(10000);
    TEST_ASSERT_EQUAL_INT(0, heist_arena_rewind(&arena, mark));
    TEST_ASSERT_EQUAL_UINT64(0, heist_arena_stats_read(&arena).used);
    get(10);
}

static void a_mark_that_cannot_be_is_refused(void)
{
    heist_arena other;
    TEST_ASSERT_EQUAL_INT(0, heist_arena_begin(&other, 0));
    TEST_ASSERT_NOT_NULL(heist_arena_alloc(&other, 100));
    heist_arena_mark before = heist_arena_mark_now(&arena), foreign = heist_arena_mark_now(&other);
    get(100);
    heist_arena_mark early = heist_arena_mark_now(&arena);
    get(100);
    heist_arena_mark late = heist_arena_mark_now(&arena);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_arena_rewind(&arena, foreign));
    TEST_ASSERT_EQUAL_INT(0, heist_arena_rewind(&arena, early));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_arena_rewind(&arena, late));
    TEST_ASSERT_NOT_EMPTY(heist_explain());
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_arena_rewind(NULL, before));
    TEST_ASSERT_EQUAL_INT(0, heist_arena_rewind(&arena, before));
    heist_arena_end(&other);
}

static void a_reset_keeps_memory_and_a_trim_gives_it_back(void)
{
    for (int i = 0; i < 50; i++) get(1000);
    const uint64_t reserved = heist_arena_stats_read(&arena).reserved;
    for (int round = 0; round < 3; round++) {
        heist_arena_reset(&arena);
        TEST_ASSERT_EQUAL_UINT64(0, heist_arena_stats_read(&arena).used);
        for (int i = 0; i < 50; i++) get(1000);
        TEST_ASSERT_EQUAL_UINT64(reserved, heist_arena_stats_read(&arena).reserved);
    }
    heist_arena_reset(&arena);
    heist_arena_trim(&arena);
    TEST_ASSERT_EQUAL_UINT64(0, heist_arena_stats_read(&arena).reserved);
    TEST_ASSERT_EQUAL_UINT(0, heist_arena_stats_read(&arena).chunks);
    get(10);
}

static void sizes_that_no_memory_holds_are_refused(void)
{
    static const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 15, SIZE_MAX / 2, (size_t)PTRDIFF_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        errno = 0;
        TEST_ASSERT_NULL(heist_arena_alloc(&arena, sizes[i]));
        TEST_ASSERT_EQUAL_INT(ENOMEM, errno);
        TEST_ASSERT_NULL(heist_arena_alloc_aligned(&arena, sizes[i], 64));
        get(1); /* the arena is whole */
    }
    TEST_ASSERT_NULL(heist_arena_array(&arena, SIZE_MAX / 8 + 1, 8));
    TEST_ASSERT_EQUAL_INT(EOVERFLOW, errno);
    TEST_ASSERT_NULL(heist_arena_array(&arena, SIZE_MAX / 2, SIZE_MAX / 2));
    TEST_ASSERT_EQUAL_INT(EOVERFLOW, errno);
    TEST_ASSERT_NULL(heist_arena_alloc_aligned(&arena, 8, 0));
    TEST_ASSERT_EQUAL_INT(EINVAL, errno);
    TEST_ASSERT_NULL(heist_arena_alloc_aligned(&arena, 8, 24));
    TEST_ASSERT_NULL(heist_arena_alloc_aligned(&arena, 8, (size_t)1 << 63));
    TEST_ASSERT_EQUAL_INT(EINVAL, errno);
}

static void bad_arguments_are_refused(void)
{
    char small[100];
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_arena_begin(NULL, 0));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_arena_begin(&arena, SIZE_MAX));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_arena_begin_in(&arena, NULL, 4096, 0));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_arena_begin_in(&arena, small, sizeof small, 0));
    TEST_ASSERT_NULL(heist_arena_alloc(NULL, 8));
    TEST_ASSERT_EQUAL_INT(EINVAL, errno);
    heist_arena ended;
    memset(&ended, 0, sizeof ended);
    TEST_ASSERT_NULL(heist_arena_alloc(&ended, 8));
    TEST_ASSERT_EQUAL_INT(EINVAL, errno);
    heist_arena_end(&ended);
    heist_arena_end(NULL);
    heist_arena_reset(NULL);
    heist_arena_trim(NULL);
    heist_arenas_reset(NULL);
    heist_arenas_free(NULL);
    TEST_ASSERT_NULL(heist_arenas_here(NULL));
    TEST_ASSERT_NULL(heist_arenas_new(SIZE_MAX));
    TEST_ASSERT_EQUAL_INT(EINVAL, errno);
    /* The functions themselves, for programs that want their addresses. */
    TEST_ASSERT_EQUAL_INT(0, (heist_arena_begin)(&ended, 0));
    TEST_ASSERT_NOT_NULL((heist_arena_alloc)(&ended, 8));
    heist_arena_end(&ended);
}

static void the_callers_buffer_comes_first(void)
{
    char buffer[1000];
    heist_arena in;
    TEST_ASSERT_EQUAL_INT(0, heist_arena_begin_in(&in, buffer + 1, sizeof buffer - 1, 0));
    char *memory = heist_arena_alloc(&in, 500);
    TEST_ASSERT_TRUE(memory > buffer && memory + 500 <= buffer + sizeof buffer);
    memory = heist_arena_alloc(&in, 500);
    TEST_ASSERT_FALSE(memory >= buffer && memory < buffer + sizeof buffer);
    heist_arena_reset(&in);
    memory = heist_arena_alloc(&in, 500);
    TEST_ASSERT_TRUE(memory > buffer && memory + 500 <= buffer + sizeof buffer);
    heist_arena_reset(&in);
    heist_arena_trim(&in);
    heist_arena_end(&in);
    memset(buffer, 0, sizeof buffer); /* it is ours again, also for AddressSanitizer */
}

/* ---- checked arenas ---- */

static void a_debug_arena_fills_what_it_gives_up(void)
{
    heist_arena checked;
    TEST_ASSERT_EQUAL_INT(0, heist__arena_start(&checked, 4096, true));
    unsigned char *kept = heist_arena_alloc(&checked, 40);
    memset(kept, 1, 40);
    heist_arena_mark mark = heist_arena_mark_now(&checked);
    unsigned char *gone = heist_arena_alloc(&checked, 40);
    memset(gone, 2, 40);
    TEST_ASSERT_EQUAL_INT(0, heist_arena_rewind(&checked, mark));
    heist__show_contents(gone, 40);
    for (int i = 0; i < 40; i++) TEST_ASSERT_EQUAL_UINT8(0xDF, gone[i]);
    for (int i = 0; i < 40; i++) TEST_ASSERT_EQUAL_UINT8(1, kept[i]);
    heist_arena_end(&checked);
}

static void memory_that_is_not_in_use_is_poisoned(void)
{
    if (!__asan_address_is_poisoned) TEST_IGNORE_MESSAGE("only under AddressSanitizer");
    heist_arena_mark mark = heist_arena_mark_now(&arena);
    char *memory = get(21);
    for (int i = 0; i < 21; i++) TEST_ASSERT_FALSE(__asan_address_is_poisoned(memory + i));
    for (int i = 21; i < 33; i++) TEST_ASSERT_TRUE(__asan_address_is_poisoned(memory + i));
    get(8);
    TEST_ASSERT_EQUAL_INT(0, heist_arena_rewind(&arena, mark));
    for (int i = 0; i < 21; i++) TEST_ASSERT_TRUE(__asan_address_is_poisoned(memory + i));
}

/* ---- an arena for every worker ---- */

enum { WORKERS = 3, ITERATIONS = 3000 };

typedef struct {
    heist_arenas *arenas;
    HEIST__ATOMIC(uintptr_t) of_worker[WORKERS];
    int *made[ITERATIONS];
} arena_work;

/* Each part uses its worker's arena within a mark, and leaves one number behind before it. */
static int use_arena(heist_range part, void *context)
{
    arena_work *work = context;
    heist_arena *mine = heist_arenas_here(work->arenas);
    if (!mine) return -ENOMEM;
    const int worker = heist_worker_number();
    uintptr_t known = heist__load_acquire(&work->of_worker[worker]);
    if (known && known != (uintptr_t)mine) return -EFAULT;
    heist__store_release(&work->of_worker[worker], (uintptr_t)mine);
    for (int64_t i = part.begin; i < part.end; i++) {
        work->made[i] = heist_arena_alloc(mine, sizeof(int));
        *work->made[i] = (int)i;
        heist_arena_mark mark = heist_arena_mark_now(mine);
        memset(heist_arena_alloc(mine, 200), 7, 200);
        heist_arena_rewind(mine, mark);
    }
    return 0;
}

static void every_worker_has_an_arena_of_its_own(void)
{
    static arena_work work;
    heist_pool *pool = pool_of(WORKERS, HEIST_FENCES_DEFAULT);
    work.arenas = heist_arenas_new(4096);
    TEST_ASSERT_NOT_NULL(work.arenas);
    for (int round = 0; round < 3; round++) {
        heist_loop_options options = HEIST_LOOP_OPTIONS_INIT;
        options.schedule = HEIST_SCHEDULE_SHARED;
        options.batch = 10;
        TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(ITERATIONS), use_arena, &work, &options));
        for (int i = 0; i < ITERATIONS; i++) TEST_ASSERT_EQUAL_INT(i, *work.made[i]);
        heist_arena_stats stats = heist_arenas_stats_read(work.arenas);
        TEST_ASSERT_GREATER_OR_EQUAL_UINT64((uint64_t)ITERATIONS * 16, stats.used);
        heist_arenas_reset(work.arenas);
        TEST_ASSERT_EQUAL_UINT64(0, heist_arenas_stats_read(work.arenas).used);
    }
    for (int i = 0; i < WORKERS; i++) {
        for (int k = 0; k < i; k++) {
            if (work.of_worker[i]) TEST_ASSERT_NOT_EQUAL(work.of_worker[i], work.of_worker[k]);
        }
    }
    TEST_ASSERT_NOT_EQUAL(work.of_worker[0], (uintptr_t)heist_arenas_here(work.arenas)); /* this thread's own */
    TEST_ASSERT_EQUAL_STRING("", heist_arenas_notes(work.arenas));
    heist_arenas_free(work.arenas);
    free_pool(pool);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(allocations_are_apart_and_keep_their_contents);
    RUN_TEST(every_alignment_is_kept);
    RUN_TEST(no_bytes_are_no_error);
    RUN_TEST(a_large_one_gets_a_chunk_of_its_own);
    RUN_TEST(a_rewind_gives_the_same_memory_again);
    RUN_TEST(a_mark_of_the_empty_arena_is_good);
    RUN_TEST(a_mark_that_cannot_be_is_refused);
    RUN_TEST(a_reset_keeps_memory_and_a_trim_gives_it_back);
    RUN_TEST(sizes_that_no_memory_holds_are_refused);
    RUN_TEST(bad_arguments_are_refused);
    RUN_TEST(the_callers_buffer_comes_first);
    RUN_TEST(a_debug_arena_fills_what_it_gives_up);
    RUN_TEST(memory_that_is_not_in_use_is_poisoned);
    RUN_TEST(every_worker_has_an_arena_of_its_own);
    return UNITY_END();
}
