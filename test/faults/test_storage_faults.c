/* Memory that runs out for arenas and pools of objects: every allocation fails in its turn, once alone and once with
 * all that follow. A failure is told, what was given out before stays good, and nothing is left allocated. */
#include "alloc_support.h"

enum { OBJECTS = 700 };

/* Returns whether the nth allocation was refused. */
static bool arena_with_refusal(int nth, how_long how)
{
    heist_arena arena;
    unsigned char *memory[OBJECTS];
    TEST_ASSERT_EQUAL_INT(0, heist_arena_begin(&arena, 1024));
    refuse(ANYTHING, nth, how);
    size_t got = 0;
    for (size_t i = 0; i < OBJECTS; i++) {
        errno = 0;
        memory[got] = heist_arena_alloc(&arena, 100);
        if (memory[got]) {
            memset(memory[got], (int)(got % 251), 100);
            got++;
        } else {
            TEST_ASSERT_EQUAL_INT(ENOMEM, errno);
        }
    }
    const bool hit = refuse_no_more() != 0;
    if (!hit) TEST_ASSERT_EQUAL_size_t(OBJECTS, got);
    for (size_t i = 0; i < got; i++) TEST_ASSERT_EACH_EQUAL_UINT8(i % 251, memory[i], 100);
    heist_arena_end(&arena);
    nothing_is_left("after an arena");
    return hit;
}

static bool arenas_with_refusal(int nth, how_long how)
{
    refuse(ANYTHING, nth, how);
    heist_arenas *arenas = heist_arenas_new(1024);
    if (!arenas) TEST_ASSERT_EQUAL_INT(ENOMEM, errno);
    for (int i = 0; arenas && i < OBJECTS; i++) {
        errno = 0;
        heist_arena *arena = heist_arenas_here(arenas);
        char *memory = arena ? heist_arena_alloc(arena, 100) : NULL;
        if (memory)
            memset(memory, 1, 100);
        else
            TEST_ASSERT_EQUAL_INT(ENOMEM, errno);
    }
    const bool hit = refuse_no_more() != 0;
    heist_arenas_free(arenas);
    nothing_is_left("after a set of arenas");
    return hit;
}

static bool objects_with_refusal(int nth, how_long how)
{
    static unsigned char *objects[OBJECTS];
    refuse(ANYTHING, nth, how);
    heist_object_options options = {.object_size = 1000};
    heist_object_pool *pool = heist_object_pool_new(&options);
    if (!pool) TEST_ASSERT_EQUAL_INT(ENOMEM, errno);
    size_t got = 0;
    for (size_t i = 0; pool && i < OBJECTS; i++) {
        errno = 0;
        objects[got] = heist_object_acquire(pool);
        if (objects[got]) {
            memset(objects[got], (int)(got % 251), 1000);
            got++;
        } else {
            TEST_ASSERT_EQUAL_INT(ENOMEM, errno);
        }
    }
    for (size_t i = 0; i < got; i++) {
        TEST_ASSERT_EACH_EQUAL_UINT8(i % 251, objects[i], 1000);
        TEST_ASSERT_EQUAL_INT(0, heist_object_release(pool, objects[i])); /* which needs no memory */
    }
    const bool hit = refuse_no_more() != 0;
    if (!hit) TEST_ASSERT_EQUAL_size_t(OBJECTS, got);
    TEST_ASSERT_EQUAL_INT(0, heist_object_pool_free(pool));
    nothing_is_left("after a pool of objects");
    return hit;
}

static heist_pool *workers;

static bool preallocation_with_refusal(int nth, how_long how)
{
    refuse(ANYTHING, nth, how);
    heist_object_options options = {.object_size = 1000, .preallocate = 20, .pool = workers};
    heist_object_pool *pool = heist_object_pool_new(&options);
    const int error = errno;
    const bool hit = refuse_no_more() != 0;
    TEST_ASSERT_EQUAL(hit, !pool);
    if (hit) TEST_ASSERT_EQUAL_INT(ENOMEM, error);
    TEST_ASSERT_EQUAL_INT(0, heist_object_pool_free(pool));
    nothing_is_left("after a preallocation");
    return hit;
}

static void with_each_refusal(bool (*scenario)(int nth, how_long how), int least)
{
    for (size_t way = 0; way < 2; way++) {
        int nth = 1;
        while (nth < MOST_CALLS && scenario(nth, both_ways[way])) nth++;
        TEST_ASSERT_GREATER_THAN_INT(least, nth); /* so many allocations there are, at least */
        TEST_ASSERT_LESS_THAN_INT(MOST_CALLS, nth);
    }
}

static void an_arena_without_memory_says_so(void)
{
    with_each_refusal(arena_with_refusal, 60);
}

static void a_set_of_arenas_without_memory_says_so(void)
{
    with_each_refusal(arenas_with_refusal, 20);
}

static void a_pool_without_memory_says_so(void)
{
    with_each_refusal(objects_with_refusal, 6);
}

static void a_preallocation_without_memory_says_so(void)
{
    heist_options options = small_stacks(2);
    workers = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL(workers);
    const size_t before = held_before;
    held_before = held_now();
    with_each_refusal(preallocation_with_refusal, 6);
    free_pool(workers);
    held_before = before;
    nothing_is_left("after the workers");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(an_arena_without_memory_says_so);
    RUN_TEST(a_set_of_arenas_without_memory_says_so);
    RUN_TEST(a_pool_without_memory_says_so);
    RUN_TEST(a_preallocation_without_memory_says_so);
    return UNITY_END();
}
