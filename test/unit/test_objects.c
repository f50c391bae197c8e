/* test_objects.c: objects of a pool are apart and come back to the thread that had acquired them, whichever thread
 * releases them; none is lost or given out twice; mistakes are told; counters are right. */
#include "support.h"

#include <errno.h>
#include <pthread.h>

#include "fork_support.h"
#include "memory/home.h"
#include "memory/poison.h"

int __asan_address_is_poisoned(const volatile void *address) __attribute__((weak));

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
}

static heist_object_pool *objects_of(size_t size, size_t alignment)
{
    heist_object_options options = {.object_size = size, .alignment = alignment};
    heist_object_pool *pool = heist_object_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    return pool;
}

static heist_object_stats object_stats(heist_object_pool *pool)
{
    heist_object_stats stats = {.size = sizeof stats};
    TEST_ASSERT_EQUAL_INT(0, heist_object_stats_read(pool, &stats));
    return stats;
}

static void free_objects(heist_object_pool *pool)
{
    TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist_object_pool_free(pool), heist_explain());
}

static void objects_are_apart_and_aligned(void)
{
    enum { COUNT = 3000 };
    static unsigned char *objects[COUNT];
    static const size_t sizes[] = {1, 7, 8, 16, 64, 100, 4000}, alignments[] = {0, 1, 64, 4096, 2 << 20};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (size_t a = 0; a < sizeof alignments / sizeof alignments[0]; a++) {
            const size_t alignment = alignments[a] < 16 ? 16 : alignments[a], size = sizes[s];
            const size_t count = alignment > 4096 ? 4 : alignment == 4096 || size == 4000 ? 40 : COUNT;
            heist_object_pool *pool = objects_of(size, alignments[a]);
            for (size_t i = 0; i < count; i++) {
                objects[i] = heist_object_acquire(pool);
                TEST_ASSERT_NOT_NULL(objects[i]);
                TEST_ASSERT_EQUAL_UINT64(0, (uintptr_t)objects[i] % alignment);
                memset(objects[i], (int)(i % 251), size);
            }
            for (size_t i = 0; i < count; i++) {
                TEST_ASSERT_EACH_EQUAL_UINT8(i % 251, objects[i], size);
                TEST_ASSERT_EQUAL_INT(0, heist_object_release(pool, objects[i]));
            }
            const heist_object_stats stats = object_stats(pool);
            TEST_ASSERT_EQUAL_UINT64(count, stats.acquired);
            TEST_ASSERT_EQUAL_UINT64(count, stats.released);
            TEST_ASSERT_EQUAL_UINT64(count, stats.made);
            TEST_ASSERT_EQUAL_UINT64(0, stats.returned);
            TEST_ASSERT_EQUAL_UINT(1, stats.lists);
            free_objects(pool);
        }
    }
}

static void the_latest_released_is_acquired_first(void)
{
    heist_object_pool *pool = objects_of(24, 0);
    void *first = heist_object_acquire(pool), *second = heist_object_acquire(pool);
    heist_object_release(pool, first);
    heist_object_release(pool, second);
    TEST_ASSERT_EQUAL_PTR(second, heist_object_acquire(pool));
    TEST_ASSERT_EQUAL_PTR(first, heist_object_acquire(pool));
    TEST_ASSERT_EQUAL_UINT64(2, object_stats(pool).made);
    heist_object_release(pool, first);
    heist_object_release(pool, second);
    free_objects(pool);
}

static void a_pool_in_use_is_not_freed(void)
{
    heist_object_pool *pool = objects_of(24, 0);
    void *object = heist_object_acquire(pool);
    TEST_ASSERT_EQUAL_INT(-EBUSY, heist_object_pool_free(pool));
    TEST_ASSERT_EQUAL_STRING("pool \"objects\": 1 objects are in use", heist_explain());
    TEST_ASSERT_EQUAL_INT(0, heist_object_release(pool, object));
    free_objects(pool);
    TEST_ASSERT_EQUAL_INT(0, heist_object_pool_free(NULL));
}

static void a_second_release_is_refused(void)
{
    heist_object_pool *pool = objects_of(24, 0);
    void *other = heist_object_acquire(pool), *object = heist_object_acquire(pool);
    TEST_ASSERT_EQUAL_INT(0, heist_object_release(pool, other));
    TEST_ASSERT_EQUAL_INT(0, heist_object_release(pool, object));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_object_release(pool, object));
    TEST_ASSERT_NOT_NULL(strstr(heist_explain(), "released before"));
    TEST_ASSERT_EQUAL_UINT64(2, object_stats(pool).released);
    free_objects(pool);
}

static void an_object_of_another_pool_is_refused(void)
{
    heist_object_pool *one = objects_of(24, 0), *two = objects_of(24, 0);
    void *object = heist_object_acquire(one);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_object_release(two, object));
    TEST_ASSERT_NOT_NULL(strstr(heist_explain(), "another pool"));
    TEST_ASSERT_EQUAL_INT(0, heist_object_release(one, object));
    free_objects(one);
    free_objects(two);
}

static void bad_arguments_are_refused(void)
{
    static const heist_object_options bad[] = {
        {.object_size = 0},
        {.object_size = 8, .alignment = 24},
        {.object_size = 8, .alignment = (size_t)4 << 20},
        {.size = 4, .object_size = 8},
        {.size = 5000, .object_size = 8},
        {.size = offsetof(heist_object_options, pool) + 3, .object_size = 8},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        errno = 0;
        TEST_ASSERT_NULL(heist_object_pool_new(&bad[i]));
        TEST_ASSERT_EQUAL_INT(EINVAL, errno);
    }
    TEST_ASSERT_NULL(heist_object_pool_new(NULL));
    heist_object_options huge = {.object_size = SIZE_MAX};
    TEST_ASSERT_NULL(heist_object_pool_new(&huge));
    TEST_ASSERT_EQUAL_INT(EOVERFLOW, errno);
    heist_object_options many = {.object_size = 1 << 20, .preallocate = SIZE_MAX / 1000};
    TEST_ASSERT_NULL(heist_object_pool_new(&many));
    TEST_ASSERT_EQUAL_INT(EOVERFLOW, errno);
    TEST_ASSERT_NULL(heist_object_acquire(NULL));
    TEST_ASSERT_EQUAL_INT(EINVAL, errno);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_object_release(NULL, &huge));
    heist_object_stats stats = {.size = 3};
    heist_object_pool *pool = objects_of(8, 0);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_object_stats_read(pool, &stats));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_object_stats_read(NULL, &stats));
    TEST_ASSERT_EQUAL_INT(0, heist_object_release(pool, NULL));
    free_objects(pool);
}

enum { EACH = 100, BUFFER = 5000 };

typedef struct {
    heist_object_pool *pool;
    void *objects[EACH];
} buffers;

static void take_each(void *argument)
{
    buffers *b = argument;
    for (int i = 0; i < EACH; i++) b->objects[i] = heist_object_acquire(b->pool);
}

static void preallocated_objects_need_no_more_memory(void)
{
    heist_pool *workers = pool_of(2, HEIST_FENCES_DEFAULT);
    heist_object_options options = {.object_size = BUFFER, .alignment = 64, .preallocate = EACH, .pool = workers};
    buffers b = {.pool = heist_object_pool_new(&options)};
    TEST_ASSERT_NOT_NULL_MESSAGE(b.pool, heist_explain());
    const heist_object_stats before = object_stats(b.pool);
    TEST_ASSERT_EQUAL_UINT(2, before.lists);
    TEST_ASSERT_GREATER_OR_EQUAL_UINT64(2 * EACH * BUFFER, before.bytes);
    TEST_ASSERT_EQUAL_STRING("", heist_object_pool_notes(b.pool));
    for (uint64_t round = 1; round <= 3; round++) {
        TEST_ASSERT_EQUAL_INT(0, heist_run(workers, take_each, &b));
        for (int i = 0; i < EACH; i++) TEST_ASSERT_EQUAL_INT(0, heist_object_release(b.pool, b.objects[i]));
        TEST_ASSERT_EQUAL_UINT64(before.bytes, object_stats(b.pool).bytes);
        TEST_ASSERT_EQUAL_UINT64(round * EACH, object_stats(b.pool).returned); /* this thread is no worker */
    }
    free_objects(b.pool);
    free_pool(workers);
}

/* ---- other threads ---- */

typedef struct {
    heist_object_pool *pool;
    void **objects;
    size_t count;
} batch;

static void *release_batch(void *argument)
{
    batch *b = argument;
    for (size_t i = 0; i < b->count; i++) {
        if (heist_object_release(b->pool, b->objects[i]) != 0) return argument;
    }
    return NULL;
}

static void in_a_thread(void *(*body)(void *), void *argument)
{
    pthread_t thread;
    void *result;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, body, argument));
    TEST_ASSERT_EQUAL_INT(0, pthread_join(thread, &result));
    TEST_ASSERT_NULL(result);
}

static void objects_come_back_to_the_thread_that_had_them(void)
{
    enum { COUNT = 500 };
    static void *objects[COUNT], *again[COUNT];
    heist_object_pool *pool = objects_of(40, 0);
    for (size_t i = 0; i < COUNT; i++) objects[i] = heist_object_acquire(pool);
    batch b = {pool, objects, COUNT};
    in_a_thread(release_batch, &b);
    TEST_ASSERT_EQUAL_UINT64(COUNT, object_stats(pool).returned);
    for (size_t i = 0; i < COUNT; i++) again[i] = heist_object_acquire(pool);
    TEST_ASSERT_EQUAL_UINT64(COUNT, object_stats(pool).made); /* no other ones were made */
    for (size_t i = 0; i < COUNT; i++) {
        size_t k = 0;
        while (k < COUNT && again[k] != objects[i]) k++;
        TEST_ASSERT_LESS_THAN_size_t(COUNT, k);
        again[k] = NULL;
    }
    b.count = COUNT;
    TEST_ASSERT_NULL(release_batch(&b));
    free_objects(pool);
}

static void *acquire_batch(void *argument)
{
    batch *b = argument;
    for (size_t i = 0; i < b->count; i++) b->objects[i] = heist_object_acquire(b->pool);
    return NULL;
}

static void a_threads_list_is_used_on_after_its_end(void)
{
    enum { COUNT = 50 };
    void *objects[COUNT];
    heist_object_pool *pool = objects_of(40, 0);
    for (int round = 0; round < 20; round++) {
        batch b = {pool, objects, COUNT};
        in_a_thread(acquire_batch, &b);
        TEST_ASSERT_NULL(release_batch(&b));
    }
    TEST_ASSERT_EQUAL_UINT64(COUNT, object_stats(pool).made);
    TEST_ASSERT_EQUAL_UINT(1, object_stats(pool).lists);
    free_objects(pool);
}

/* Between its two steps a releasing thread has made its object the newest, and has not yet linked it. */
static void an_object_that_is_not_linked_yet_is_not_given_out(void)
{
    heist__object_layout layout;
    TEST_ASSERT_EQUAL_INT(0, heist__object_layout_init(&layout, 32, 16, false, NULL));
    _Alignas(16) char room[4][64];
    heist__returned list = NULL;
    for (int i = 0; i < 3; i++) *(uintptr_t *)(void *)(room[i] + layout.word) = (uintptr_t)&layout | 1;
    heist__returned_push(&list, room[0], layout.word);
    void *older = heist__exchange_relaxed(&list, (void *)room[1]); /* the first step of a push */
    heist__returned_push(&list, room[2], layout.word);
    void *rest = heist__returned_take_all(&list), *next;
    TEST_ASSERT_EQUAL_PTR(room[2], rest);
    TEST_ASSERT_TRUE(heist__returned_next(rest, layout.word, &next));
    TEST_ASSERT_EQUAL_PTR(room[1], next);
    TEST_ASSERT_FALSE(heist__returned_next(room[1], layout.word, &next));
    heist__store_release((HEIST__ATOMIC(uintptr_t) *)(void *)(room[1] + layout.word),
                         (uintptr_t)older); /* the second */
    TEST_ASSERT_TRUE(heist__returned_next(room[1], layout.word, &next));
    TEST_ASSERT_EQUAL_PTR(room[0], next);
    TEST_ASSERT_TRUE(heist__returned_next(room[0], layout.word, &next));
    TEST_ASSERT_NULL(next);
    TEST_ASSERT_NULL(heist__returned_take_all(&list));
}

/* ---- many threads ---- */

enum { SLOTS = 64, RACERS = 4 };

typedef struct {
    _Alignas(64) uint64_t owner; /* plain: ThreadSanitizer sees whether an object is had by two threads at once */
    uint64_t sum;
} payload;

static heist_object_pool *raced;
static HEIST__ATOMIC(payload *) exchange_slots[SLOTS];
static HEIST__ATOMIC(unsigned) mistakes;

/* Acquires an object, writes to it, and puts it into a slot; what was in the slot, another thread's mostly, is read and
 * released. */
static void race(uint64_t seed)
{
    heist_object_cache *cache = heist_object_cache_here(raced);
    uint64_t state = seed;
    for (unsigned i = test_scale(60000u); i > 0; i--) {
        payload *mine = i % 2 ? heist_object_take(cache) : heist_object_acquire(raced);
        mine->owner = state;
        mine->sum = ~mine->owner;
        /* what the next thread reads is ordered by the slot */
        payload *other = heist__exchange_acq_rel(&exchange_slots[draw(&state) % SLOTS], mine);
        if (!other) continue;
        if (other->sum != ~other->owner) heist__add_relaxed(&mistakes, 1); /* relaxed: read after the threads' end */
        other->owner = seed;
        other->sum = ~other->owner;
        const int error = i % 3 ? heist_object_give(cache, other) : heist_object_release(raced, other);
        if (error) heist__add_relaxed(&mistakes, 1); /* relaxed: as above */
    }
}

static void *race_outside(void *seed)
{
    race((uintptr_t)seed);
    return NULL;
}

static int race_inside(heist_range part, void *unused)
{
    (void)unused;
    for (int64_t i = part.begin; i < part.end; i++) race((uint64_t)i + 100);
    return 0;
}

static void objects_released_by_others_are_never_had_twice(void)
{
    raced = objects_of(sizeof(payload), 64);
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    pthread_t racers[RACERS];
    for (uintptr_t i = 0; i < RACERS; i++)
        TEST_ASSERT_EQUAL_INT(0, pthread_create(&racers[i], NULL, race_outside, (void *)(i + 1)));
    TEST_ASSERT_EQUAL_INT(0, heist_for(pool, heist_upto(4), race_inside, NULL, NULL));
    for (int i = 0; i < RACERS; i++) pthread_join(racers[i], NULL);
    for (int i = 0; i < SLOTS; i++) {
        heist_object_release(raced, heist__load_relaxed(&exchange_slots[i])); /* relaxed: the threads have ended */
        heist__store_relaxed(&exchange_slots[i], NULL);
    }
    TEST_ASSERT_EQUAL_UINT(0, heist__load_relaxed(&mistakes));
    const heist_object_stats stats = object_stats(raced);
    TEST_ASSERT_EQUAL_UINT64(stats.acquired, stats.released);
    TEST_ASSERT_GREATER_THAN_UINT64(SLOTS / 4, stats.returned); /* also if one thread runs after the other */
    TEST_ASSERT_LESS_THAN_UINT64(stats.acquired, stats.made);   /* returned objects are used again */
    free_pool(pool);
    free_objects(raced);
}

/* ---- checking pools ---- */

static heist_object_pool *checking(const char *name)
{
    heist_object_options options = {.object_size = 20, .check = true, .name = name};
    heist_object_pool *pool = heist_object_pool_new(&options);
    TEST_ASSERT_NOT_NULL(pool);
    return pool;
}

static void writing_to_a_released_object_is_told(void)
{
    heist_object_pool *pool = checking("requests");
    unsigned char *object = heist_object_acquire(pool);
    memset(object, 1, 20);
    TEST_ASSERT_EQUAL_INT(0, heist_object_release(pool, object));
    heist__show_contents(object, 20);
    TEST_ASSERT_EACH_EQUAL_UINT8(0xDF, object, 20);
    object[19] = 1;
    TEST_ASSERT_EQUAL_PTR(object, heist_object_acquire(pool)); /* and a sentence on stderr */
    TEST_ASSERT_EQUAL_UINT64(1, object_stats(pool).damaged);
    TEST_ASSERT_EQUAL_INT(0, heist_object_release(pool, object));
    TEST_ASSERT_EQUAL_PTR(object, heist_object_acquire(pool));
    TEST_ASSERT_EQUAL_UINT64(1, object_stats(pool).damaged);
    TEST_ASSERT_EQUAL_INT(0, heist_object_release(pool, object));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_object_release(pool, object));
    free_objects(pool);
}

static void a_checking_pool_knows_foreign_memory(void)
{
    heist_object_pool *pool = checking(NULL);
    _Alignas(16) char foreign[64];
    memset(foreign, 0xFF, sizeof foreign);
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist_object_release(pool, foreign));
    free_objects(pool);
}

static void a_released_object_is_poisoned(void)
{
    if (!__asan_address_is_poisoned) TEST_IGNORE_MESSAGE("only under AddressSanitizer");
    heist_object_pool *pool = objects_of(21, 0);
    char *object = heist_object_acquire(pool);
    for (int i = 0; i < 21; i++) TEST_ASSERT_FALSE(__asan_address_is_poisoned(object + i));
    TEST_ASSERT_TRUE(__asan_address_is_poisoned(object + 21));
    heist_object_release(pool, object);
    for (int i = 0; i < 21; i++) TEST_ASSERT_TRUE(__asan_address_is_poisoned(object + i));
    free_objects(pool);
}

/* ---- fork ---- */

static int use_in_child(void *argument)
{
    batch *b = argument;
    for (size_t i = 0; i < b->count; i++) EXPECT(heist_object_release(b->pool, b->objects[i]) == 0);
    void *object = heist_object_acquire(b->pool);
    EXPECT(object);
    EXPECT(heist_object_release(b->pool, object) == 0);
    EXPECT(heist_object_pool_free(b->pool) == 0);
    return FINE;
}

static void a_forked_child_uses_the_pool_on(void)
{
    void *objects[10];
    heist_object_pool *pool = objects_of(40, 0);
    batch b = {pool, objects, 10};
    TEST_ASSERT_NULL(acquire_batch(&b));
    TEST_ASSERT_EQUAL_INT(FINE, in_child(use_in_child, &b));
    TEST_ASSERT_NULL(release_batch(&b));
    free_objects(pool);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(objects_are_apart_and_aligned);
    RUN_TEST(the_latest_released_is_acquired_first);
    RUN_TEST(a_pool_in_use_is_not_freed);
    RUN_TEST(a_second_release_is_refused);
    RUN_TEST(an_object_of_another_pool_is_refused);
    RUN_TEST(bad_arguments_are_refused);
    RUN_TEST(preallocated_objects_need_no_more_memory);
    RUN_TEST(objects_come_back_to_the_thread_that_had_them);
    RUN_TEST(a_threads_list_is_used_on_after_its_end);
    RUN_TEST(an_object_that_is_not_linked_yet_is_not_given_out);
    RUN_TEST(objects_released_by_others_are_never_had_twice);
    RUN_TEST(writing_to_a_released_object_is_told);
    RUN_TEST(a_checking_pool_knows_foreign_memory);
    RUN_TEST(a_released_object_is_poisoned);
    RUN_TEST(a_forked_child_uses_the_pool_on);
    return UNITY_END();
}
