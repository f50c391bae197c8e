/* What the tests of scopes share. */
#ifndef HEIST_SCOPE_SUPPORT_H
#define HEIST_SCOPE_SUPPORT_H

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include <heist/heist.h>

#include "schedule/pool.h"
#include "support.h"
#include "test_scale.h"
#include "unity.h"

/* What tasks find wrong; they run outside Unity's thread, so they count and the test asserts. */
static atomic_int wrong;
#define CHECK(good) ((good) ? (void)0 : (void)atomic_fetch_add(&wrong, 1))

void setUp(void)
{
    watchdog(PATIENCE_S);
    atomic_store(&wrong, 0);
}

void tearDown(void)
{
    alarm(0);
}

static __attribute__((unused)) void count_one(void *counter)
{
    atomic_fetch_add_explicit((atomic_size_t *)counter, 1, memory_order_relaxed);
}

/* A scope that must come into being; for use inside tasks, too. */
static __attribute__((unused)) void begin(heist_scope *scope, heist_pool *pool)
{
    if (heist_scope_begin(scope, pool) != 0) abort();
}

static __attribute__((unused)) void run_on(heist_pool *pool, heist_function *function, void *argument)
{
    TEST_ASSERT_EQUAL_INT(0, heist_run(pool, function, argument));
    TEST_ASSERT_EQUAL_INT(0, atomic_load(&wrong));
}

static __attribute__((unused)) atomic_size_t ran;

static __attribute__((unused)) void detach_hundred(void *scope)
{
    for (int i = 0; i < 100; i++) CHECK(heist_detach(scope, count_one, &ran) == 0);
}

#endif
