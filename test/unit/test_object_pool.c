/* test_object_pool.c: blocks come back, no more are kept than asked for, none is lost, and a kept one is poisoned. */
#include "memory/object_pool.h"
#include "unity.h"

#include <errno.h>
#include <heist/detail/atomic.h>
#include <stdint.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN 1
#endif
#endif
#ifdef ASAN
#include <sanitizer/asan_interface.h>
#endif

/* A request that no address space holds shall give NULL here too, as it does without the sanitizers. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void);
const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

enum { OBJECT = 200, KEEP = 4, MANY = 10 };

static heist__object_pool pool;

void setUp(void)
{
    TEST_ASSERT_EQUAL_INT(0, heist__object_pool_init(&pool, OBJECT, KEEP));
}

void tearDown(void)
{
    heist__object_pool_destroy(&pool);
}

static void *take(void)
{
    void *object = heist__object_pool_take(&pool);
    TEST_ASSERT_NOT_NULL(object);
    memset(object, 0x5A, OBJECT); /* all of it is ours: ASan would object */
    return object;
}

static void objects_are_apart_and_on_lines_of_their_own(void)
{
    char *objects[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        objects[i] = take();
        TEST_ASSERT_EQUAL_UINT64(0, (uintptr_t)objects[i] % HEIST__LINE);
        for (unsigned k = 0; k < i; k++) {
            ptrdiff_t apart = objects[i] > objects[k] ? objects[i] - objects[k] : objects[k] - objects[i];
            TEST_ASSERT_GREATER_OR_EQUAL_size_t(OBJECT, (size_t)apart);
        }
    }
    for (unsigned i = 0; i < MANY; i++) {
        heist__object_pool_give(&pool, objects[i]);
    }
}

static void the_latest_given_is_taken_first(void)
{
    void *first = take();
    void *second = take();
    heist__object_pool_give(&pool, first);
    heist__object_pool_give(&pool, second);
    TEST_ASSERT_EQUAL_PTR(second, take());
    TEST_ASSERT_EQUAL_PTR(first, take());
    heist__object_pool_give(&pool, first);
    heist__object_pool_give(&pool, second);
}

static void no_more_are_kept_than_asked_for(void)
{
    void *objects[MANY];
    for (unsigned i = 0; i < MANY; i++) {
        objects[i] = take();
    }
    for (unsigned i = 0; i < MANY; i++) {
        heist__object_pool_give(&pool, objects[i]); /* the leak checker sees whether the rest was freed */
        TEST_ASSERT_EQUAL_size_t(i < KEEP ? i + 1 : KEEP, pool.kept_count);
    }
    for (unsigned i = KEEP; i > 0; i--) {
        TEST_ASSERT_EQUAL_PTR(objects[i - 1], heist__object_pool_take(&pool));
    }
    TEST_ASSERT_NULL(pool.kept);
    for (unsigned i = 0; i < KEEP; i++) {
        heist__object_pool_give(&pool, objects[i]);
    }
}

static void a_pool_that_keeps_nothing_works(void)
{
    heist__object_pool none;
    TEST_ASSERT_EQUAL_INT(0, heist__object_pool_init(&none, 1, 0));
    for (unsigned i = 0; i < MANY; i++) {
        heist__object_pool_give(&none, heist__object_pool_take(&none));
        TEST_ASSERT_NULL(none.kept);
    }
    heist__object_pool_destroy(&none);
}

static void blocks_move_from_one_pool_to_another(void)
{
    heist__object_pool other;
    TEST_ASSERT_EQUAL_INT(0, heist__object_pool_init(&other, OBJECT, KEEP));
    void *object = take();
    heist__object_pool_give(&other, object);
    TEST_ASSERT_EQUAL_size_t(0, pool.kept_count);
    TEST_ASSERT_EQUAL_PTR(object, heist__object_pool_take(&other));
    heist__object_pool_give(&pool, object);
    TEST_ASSERT_EQUAL_size_t(1, pool.kept_count);
    heist__object_pool_destroy(&other);
}

static void giving_nothing_is_allowed(void)
{
    heist__object_pool_give(&pool, NULL);
    TEST_ASSERT_EQUAL_size_t(0, pool.kept_count);
}

static void a_destroyed_pool_may_be_used_again(void)
{
    heist__object_pool_give(&pool, take());
    heist__object_pool_destroy(&pool);
    TEST_ASSERT_EQUAL_size_t(0, pool.kept_count);
    heist__object_pool_give(&pool, take());
    TEST_ASSERT_EQUAL_size_t(1, pool.kept_count);
}

static void absurd_sizes_are_refused(void)
{
    heist__object_pool absurd;
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__object_pool_init(&absurd, 0, KEEP));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__object_pool_init(&absurd, SIZE_MAX, KEEP));
    TEST_ASSERT_EQUAL_INT(-EINVAL, heist__object_pool_init(&absurd, SIZE_MAX / 2, KEEP));
}

static void memory_that_is_short_is_null(void)
{
    heist__object_pool huge;
    TEST_ASSERT_EQUAL_INT(0, heist__object_pool_init(&huge, PTRDIFF_MAX / 2, KEEP));
    TEST_ASSERT_NULL(heist__object_pool_take(&huge));
    heist__object_pool_destroy(&huge);
}

static void a_kept_object_is_poisoned(void)
{
#ifdef ASAN
    static const size_t sizes[] = {1, HEIST__LINE - sizeof(void *), HEIST__LINE, OBJECT};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        heist__object_pool p;
        TEST_ASSERT_EQUAL_INT(0, heist__object_pool_init(&p, sizes[i], KEEP));
        char *object = heist__object_pool_take(&p);
        TEST_ASSERT_NULL(__asan_region_is_poisoned(object, sizes[i]));
        heist__object_pool_give(&p, object);
        for (size_t byte = 0; byte < sizes[i]; byte++) {
            TEST_ASSERT_TRUE(__asan_address_is_poisoned(object + byte));
        }
        TEST_ASSERT_EQUAL_PTR(object, heist__object_pool_take(&p));
        TEST_ASSERT_NULL(__asan_region_is_poisoned(object, sizes[i]));
        heist__object_pool_give(&p, object);
        heist__object_pool_destroy(&p);
    }
#else
    TEST_IGNORE_MESSAGE("only under AddressSanitizer");
#endif
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(objects_are_apart_and_on_lines_of_their_own);
    RUN_TEST(the_latest_given_is_taken_first);
    RUN_TEST(no_more_are_kept_than_asked_for);
    RUN_TEST(a_pool_that_keeps_nothing_works);
    RUN_TEST(blocks_move_from_one_pool_to_another);
    RUN_TEST(giving_nothing_is_allowed);
    RUN_TEST(a_destroyed_pool_may_be_used_again);
    RUN_TEST(absurd_sizes_are_refused);
    RUN_TEST(memory_that_is_short_is_null);
    RUN_TEST(a_kept_object_is_poisoned);
    return UNITY_END();
}
