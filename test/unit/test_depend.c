/* test_depend.c: dependences by address, with a scheduler that only notes which tasks are ready. */
#include "depend/depend.h"
#include "unity.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 64 };

typedef struct use {
    heist__depend_use kind;
    void *address;
} use;

typedef struct task {
    heist__depend_node *node;
    bool ready;
} task;

static task tasks[MOST];
static size_t made;
static heist__depend_table *table;
static int blocks; /* taken, and not given back */
static bool no_memory;
static char a, b, c; /* addresses to be used */

/* ---- the scheduler ---- */

static void *take(void *thread, size_t bytes)
{
    (void)thread;
    if (no_memory) return NULL;
    blocks++;
    return malloc(bytes);
}

static void give(void *thread, void *memory)
{
    (void)thread;
    blocks--;
    free(memory);
}

static void make_ready(void *thread, void *what)
{
    task *t = what;
    (void)thread;
    TEST_ASSERT_FALSE_MESSAGE(t->ready, "ready twice");
    t->ready = true;
}

static void wake(void *waiter)
{
    TEST_FAIL_MESSAGE(waiter ? "the one thread does not sleep" : "no thread waits");
}

static void complete(size_t i);

/* Completes tasks that are ready until the wait is over. */
static void wait_until(void *thread, bool (*over)(const void *), const void *what)
{
    (void)thread;
    for (size_t i = 0; i < made && !over(what); i++) {
        if (tasks[i].ready && tasks[i].node) complete(i);
    }
    TEST_ASSERT_TRUE_MESSAGE(over(what), "what is waited for can be completed");
}

static const heist__depend_host host = {take, give, make_ready, wake, wait_until};
static char this_thread;
static const heist__depend_caller by = {&host, &this_thread};

static heist__depend_use use_at(const void *list, size_t i, void **address)
{
    const use *u = &((const use *)list)[i];
    *address = u->address;
    return u->kind;
}

static size_t enter(const use *uses, size_t count)
{
    heist__depend_clauses clauses = {uses, count, use_at};
    task *t = &tasks[made];
    t->node = heist__depend_prepare(by, &table, t, &clauses);
    TEST_ASSERT_NOT_NULL(t->node);
    heist__depend_enter(by, table, t->node, &clauses);
    return made++;
}

static size_t enter_one(heist__depend_use kind, void *address)
{
    use u = {kind, address};
    return enter(&u, 1);
}

static void complete(size_t i)
{
    heist__depend_node *node = tasks[i].node;
    TEST_ASSERT_TRUE(tasks[i].ready);
    tasks[i].node = NULL;
    heist__depend_release(by, node);
}

static bool over(heist__depend_use kind, void *address)
{
    use u = {kind, address};
    heist__depend_clauses clauses = {&u, 1, use_at};
    return heist__depend_over(table, &clauses);
}

void setUp(void)
{
    memset(tasks, 0, sizeof tasks);
    made = 0;
    no_memory = false;
}

void tearDown(void)
{
    for (size_t i = 0; i < made; i++) {
        if (tasks[i].node && tasks[i].ready) complete(i);
    }
    heist__depend_table_free(by, table);
    table = NULL;
    TEST_ASSERT_EQUAL_MESSAGE(0, blocks, "every node is given back");
}

/* ---- the cases ---- */

static void a_reader_waits_for_the_writer_before_it(void)
{
    size_t writer = enter_one(HEIST__USE_OUT, &a), reader = enter_one(HEIST__USE_IN, &a);
    TEST_ASSERT_TRUE(tasks[writer].ready);
    TEST_ASSERT_FALSE(tasks[reader].ready);
    complete(writer);
    TEST_ASSERT_TRUE(tasks[reader].ready);
}

static void readers_do_not_wait_for_each_other_and_a_writer_waits_for_all(void)
{
    size_t first = enter_one(HEIST__USE_IN, &a), second = enter_one(HEIST__USE_IN, &a);
    size_t writer = enter_one(HEIST__USE_OUT, &a);
    TEST_ASSERT_TRUE(tasks[first].ready && tasks[second].ready);
    complete(first);
    TEST_ASSERT_FALSE(tasks[writer].ready);
    complete(second);
    TEST_ASSERT_TRUE(tasks[writer].ready);
}

static void a_writer_waits_for_the_writer_before_it(void)
{
    size_t first = enter_one(HEIST__USE_OUT, &a), second = enter_one(HEIST__USE_OUT, &a);
    TEST_ASSERT_FALSE(tasks[second].ready);
    complete(first);
    TEST_ASSERT_TRUE(tasks[second].ready);
}

static void nodes_of_complete_tasks_are_given_back_on_the_way(void)
{
    for (int i = 0; i < 20; i++) complete(enter_one(HEIST__USE_OUT, &a));
    TEST_ASSERT_LESS_THAN(4, blocks);
}

static void other_addresses_do_not_matter(void)
{
    size_t first = enter_one(HEIST__USE_OUT, &a), second = enter_one(HEIST__USE_OUT, &b);
    TEST_ASSERT_TRUE(tasks[first].ready && tasks[second].ready);
}

static void members_of_an_inoutset_do_not_wait_for_each_other(void)
{
    size_t reader = enter_one(HEIST__USE_IN, &a);
    size_t first = enter_one(HEIST__USE_SET, &a), second = enter_one(HEIST__USE_SET, &a);
    TEST_ASSERT_FALSE(tasks[first].ready || tasks[second].ready);
    complete(reader);
    TEST_ASSERT_TRUE(tasks[first].ready && tasks[second].ready);
}

static void members_of_a_mutexinoutset_are_ready_one_at_a_time(void)
{
    use both[] = {{HEIST__USE_MUTEX, &a}, {HEIST__USE_MUTEX, &b}};
    size_t first = enter_one(HEIST__USE_MUTEX, &a), second = enter(both, 2), third = enter_one(HEIST__USE_MUTEX, &b);
    size_t after = enter_one(HEIST__USE_IN, &a);
    TEST_ASSERT_TRUE(tasks[first].ready);
    TEST_ASSERT_FALSE(tasks[second].ready || tasks[after].ready);
    complete(first);
    TEST_ASSERT_TRUE(tasks[second].ready != tasks[third].ready);
    complete(tasks[second].ready ? second : third);
    TEST_ASSERT_TRUE(tasks[second].ready && tasks[third].ready);
    complete(tasks[second].node ? second : third);
    TEST_ASSERT_TRUE(tasks[after].ready);
}

static void all_memory_is_after_all_and_before_all(void)
{
    size_t first = enter_one(HEIST__USE_OUT, &a), second = enter_one(HEIST__USE_IN, &b);
    size_t all = enter_one(HEIST__USE_OUT, NULL), later = enter_one(HEIST__USE_IN, &c);
    TEST_ASSERT_FALSE(tasks[all].ready || tasks[later].ready);
    complete(first);
    TEST_ASSERT_FALSE(tasks[all].ready);
    complete(second);
    TEST_ASSERT_TRUE(tasks[all].ready);
    TEST_ASSERT_FALSE(tasks[later].ready);
    size_t again = enter_one(HEIST__USE_OUT, NULL);
    complete(all);
    TEST_ASSERT_TRUE(tasks[later].ready);
    TEST_ASSERT_FALSE(tasks[again].ready);
}

static void an_address_named_twice_counts_once_as_the_stronger(void)
{
    use twice[] = {{HEIST__USE_IN, &a}, {HEIST__USE_OUT, &a}};
    size_t first = enter(twice, 2), reader = enter_one(HEIST__USE_IN, &a);
    TEST_ASSERT_TRUE(tasks[first].ready);
    TEST_ASSERT_FALSE(tasks[reader].ready);
    complete(first);
    TEST_ASSERT_TRUE(tasks[reader].ready);
}

static void a_mutex_named_twice_is_taken_once(void)
{
    use twice[] = {{HEIST__USE_MUTEX, &a}, {HEIST__USE_MUTEX, &a}};
    TEST_ASSERT_TRUE(tasks[enter(twice, 2)].ready);
}

static void over_says_whether_a_task_would_wait(void)
{
    size_t reader = enter_one(HEIST__USE_IN, &a);
    TEST_ASSERT_TRUE(over(HEIST__USE_IN, &a) && over(HEIST__USE_OUT, &b));
    TEST_ASSERT_FALSE(over(HEIST__USE_OUT, &a));
    complete(reader);
    TEST_ASSERT_TRUE(over(HEIST__USE_OUT, &a));
}

static void a_wait_completes_the_predecessors_and_no_others(void)
{
    use u = {HEIST__USE_IN, &a};
    heist__depend_clauses clauses = {&u, 1, use_at};
    size_t writer = enter_one(HEIST__USE_OUT, &a), next = enter_one(HEIST__USE_OUT, &a);
    size_t other = enter_one(HEIST__USE_OUT, &b);
    heist__depend_wait(by, table, &clauses);
    TEST_ASSERT_TRUE(!tasks[writer].node && !tasks[next].node && tasks[other].node);
}

static void a_task_with_more_predecessors_than_own_arcs_waits_for_all(void)
{
    enum { READERS = 20 };
    for (int i = 0; i < READERS; i++) enter_one(HEIST__USE_IN, &a);
    size_t writer = enter_one(HEIST__USE_OUT, &a);
    for (size_t i = 0; i < READERS; i++) {
        TEST_ASSERT_FALSE(tasks[writer].ready);
        complete(i);
    }
    TEST_ASSERT_TRUE(tasks[writer].ready);
}

static void tasks_complete_after_their_table_is_gone(void)
{
    size_t writer = enter_one(HEIST__USE_OUT, &a), reader = enter_one(HEIST__USE_IN, &a);
    heist__depend_table_free(by, table);
    table = NULL;
    complete(writer);
    TEST_ASSERT_TRUE(tasks[reader].ready);
}

static void without_memory_nothing_is_entered(void)
{
    use u = {HEIST__USE_OUT, &a};
    heist__depend_clauses clauses = {&u, 1, use_at};
    no_memory = true;
    TEST_ASSERT_NULL(heist__depend_prepare(by, &table, &tasks[0], &clauses));
    no_memory = false;
    TEST_ASSERT_TRUE(over(HEIST__USE_OUT, &a));
    heist__depend_node *node = heist__depend_prepare(by, &table, &tasks[0], &clauses);
    heist__depend_forget(by, node);
    TEST_ASSERT_TRUE(over(HEIST__USE_OUT, &a));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_reader_waits_for_the_writer_before_it);
    RUN_TEST(readers_do_not_wait_for_each_other_and_a_writer_waits_for_all);
    RUN_TEST(a_writer_waits_for_the_writer_before_it);
    RUN_TEST(nodes_of_complete_tasks_are_given_back_on_the_way);
    RUN_TEST(other_addresses_do_not_matter);
    RUN_TEST(members_of_an_inoutset_do_not_wait_for_each_other);
    RUN_TEST(members_of_a_mutexinoutset_are_ready_one_at_a_time);
    RUN_TEST(all_memory_is_after_all_and_before_all);
    RUN_TEST(an_address_named_twice_counts_once_as_the_stronger);
    RUN_TEST(a_mutex_named_twice_is_taken_once);
    RUN_TEST(over_says_whether_a_task_would_wait);
    RUN_TEST(a_wait_completes_the_predecessors_and_no_others);
    RUN_TEST(a_task_with_more_predecessors_than_own_arcs_waits_for_all);
    RUN_TEST(tasks_complete_after_their_table_is_gone);
    RUN_TEST(without_memory_nothing_is_entered);
    return UNITY_END();
}
