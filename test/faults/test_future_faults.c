/* Memory that runs out while futures are made: every allocation fails in its turn, once alone and once with all that
 * follow. A future that is refused says so, its task does not run; the others give their results; nothing is left. */
#include "alloc_support.h"
#include "schedule/overflow.h"

enum { CHAIN = 4, MOST = 400 };

HEIST_TASK(long, next, heist_future *, after)
{
    return after ? HEIST_RESULT(after, next) + 1 : 1;
}

typedef struct {
    heist_pool *pool;
    const char *trouble;
} scene;

static bool refused_rightly(void)
{
    return errno == ENOMEM;
}

/* A future, some after it, one for all of them, a promise; whichever could be had. */
static void make_some(scene *s)
{
    heist_future *f[CHAIN] = {HEIST_ASYNC(s->pool, next, NULL)};
    if (!f[0] && !refused_rightly()) s->trouble = "refused, but not for want of memory";
    size_t count = f[0] ? 1 : 0;
    while (count && count < CHAIN) {
        f[count] = HEIST_THEN(f[count - 1], next, f[count - 1]);
        if (!f[count] && !refused_rightly()) s->trouble = "a continuation: not for want of memory";
        if (!f[count]) break;
        count++;
    }
    heist_future *all = heist_all(f, count);
    if (all) {
        /* A task that could not be started for want of memory is done with that error. */
        int error = heist_await(all, NULL);
        if (error && error != -ENOMEM) s->trouble = "all: another error";
    }
    for (size_t i = 0; i < count; i++) {
        int error = heist_future_wait(f[i]);
        long result = HEIST_AWAIT(f[i], next);
        if (!error && result != (long)i + 1 && result != 1) s->trouble = "a result is wrong";
    }
    heist_promise *promise = HEIST_PROMISE(next);
    heist_future *kept = promise ? heist_promise_future(promise) : NULL;
    if (promise && HEIST_FULFIL(promise, next, 5) != 0) s->trouble = "a promise was not kept";
    if (kept && HEIST_AWAIT(kept, next) != 5) s->trouble = "a promise kept the wrong value";
    heist_promise_drop(promise);
}

static void make_inside(void *argument)
{
    make_some(argument);
}

/* A thread of its own: what it keeps for its next futures is freed when it ends. */
static void *make_outside(void *argument)
{
    make_some(argument);
    return NULL;
}

/* Returns false when the scenario does not come to the nth allocation. */
static bool with_refusal(bool inside, int nth, how_long how)
{
    heist_options options = small_stacks(2);
    scene s = {.pool = heist_pool_new(&options)};
    TEST_ASSERT_NOT_NULL_MESSAGE(s.pool, heist_explain());
    pthread_t thread;
    refuse(MALLOC | ALIGNED, nth, how);
    if (inside) {
        heist_run(s.pool, make_inside, &s);
    } else {
        TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, make_outside, &s));
        pthread_join(thread, NULL);
    }
    bool hit = refuse_no_more() != 0;
    TEST_ASSERT_NULL_MESSAGE(s.trouble, s.trouble);
    free_pool(s.pool);
    nothing_is_left("after the futures");
    return hit;
}

static void each_refusal(bool inside)
{
    for (size_t way = 0; way < 2; way++) {
        int nth = 1;
        while (nth < MOST && with_refusal(inside, nth, both_ways[way])) nth++;
        TEST_ASSERT_GREATER_THAN_INT(2, nth);
        TEST_ASSERT_LESS_THAN_INT(MOST, nth);
    }
}

static void futures_from_outside_without_memory(void)
{
    each_refusal(false);
}

static void futures_from_a_task_without_memory(void)
{
    each_refusal(true);
}

int main(void)
{
    heist__overflow_prepare(); /* before there is a pool: this thread keeps no alternate stack, which would count */
    UNITY_BEGIN();
    RUN_TEST(futures_from_outside_without_memory);
    RUN_TEST(futures_from_a_task_without_memory);
    return UNITY_END();
}
