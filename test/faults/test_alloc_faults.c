/* Memory that runs out: every allocation of a scenario fails in its turn, once alone and once with all that follow.
 * What was refused says so and did not happen, what was accepted happens once, and nothing is left allocated.
 *
 * The linker puts the functions of this file in place of the allocating ones (--wrap), in the library's objects too.
 * What libc and hwloc allocate inside themselves goes past them. */
#include <stdarg.h>
#include <sys/mman.h>

#include "fault_support.h"
#include "schedule/worker.h"

#include "../topologies/fixture.h"

/* ---- which allocation fails ---- */

enum {
    MALLOC = 1,
    CALLOC = 2,
    ALIGNED = 4,
    STRDUP = 8,
    CPU_SET = 16,
    MMAP = 32,
    FILES = 64, /* what reading a file needs */
    HWLOC = 128,
    ANYTHING = 255
};

typedef enum { ONCE, FROM_THEN_ON } how_long;

/* Written by: the test, while nothing else allocates. Read by: whoever allocates. */
static HEIST__ATOMIC(unsigned) kinds_refused;
static HEIST__ATOMIC(unsigned) refused_forever;
static HEIST__ATOMIC(int) left_before;    /* allocations that succeed until then. Written by: whoever allocates. */
static HEIST__ATOMIC(unsigned) kinds_hit; /* what was refused. Written by: whoever allocates. */

static void refuse(unsigned kinds, int nth, how_long how)
{
    heist__store_relaxed(&kinds_hit, 0); /* relaxed throughout: the last store publishes them */
    heist__store_relaxed(&left_before, nth - 1);
    heist__store_relaxed(&refused_forever, how == FROM_THEN_ON);
    heist__store_release(&kinds_refused, kinds);
}

/* Back to normal. Returns what was refused: 0 if the scenario did not come that far. */
static unsigned refuse_no_more(void)
{
    heist__store_release(&kinds_refused, 0);
    return heist__load_acquire(&kinds_hit);
}

static bool fails(unsigned kind)
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
static const char *misuse; /* what was given back in a wrong way */

/* The link to the block's entry, or the end of its chain. */
static holding **link_to(void *block)
{
    holding **link = &chains[(uint64_t)(uintptr_t)block * UINT64_C(0x9e3779b97f4a7c15) >> 52];
    while (*link && (*link)->block != block) link = &(*link)->next;
    return link;
}

static void *hold(void *block, size_t bytes)
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
static void let_go(void *block, size_t bytes)
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

static size_t held_now(void)
{
    pthread_mutex_lock(&table_lock);
    size_t now = held;
    pthread_mutex_unlock(&table_lock);
    return now;
}

static size_t held_before; /* the test; not 0 if one before has failed */

static void nothing_is_left(const char *what)
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

static int print_to_new(char **text, const char *format, va_list arguments)
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

/* What it becomes in hardened builds. */
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

/* Returns false when the scenario does not come to the nth allocation. */
static bool make_with_refusal(const heist_options *options, int nth, how_long how)
{
    char what[100];
    unsigned threads = threads_now();
    refuse(ANYTHING, nth, how);
    errno = 0;
    heist_pool *pool = heist_pool_new(options);
    int error = errno;
    unsigned hit = refuse_no_more();
    snprintf(what, sizeof what, "allocation %d fails %s, of kind %#x", nth, how == ONCE ? "alone" : "with all after it",
             hit);
    if (pool) {
        if (hit & ~(unsigned)MMAP) /* less address space is not worth a word */
            TEST_ASSERT_TRUE_MESSAGE(strlen(heist_pool_notes(pool)) > 0, what);
        const char *trouble = trouble_with(pool);
        TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
        free_pool(pool);
    } else {
        TEST_ASSERT_NOT_EQUAL_MESSAGE(0, hit, heist_explain());
        TEST_ASSERT_EQUAL_INT_MESSAGE(ENOMEM, error, what);
        TEST_ASSERT_TRUE_MESSAGE(strlen(heist_explain()) > 0, what);
    }
    nothing_is_left(what);
    TEST_ASSERT_TRUE_MESSAGE(threads_become(threads), what);
    return hit != 0;
}

static void make_with_each_refusal(const heist_options *options, int at_least)
{
    for (size_t way = 0; way < 2; way++) {
        int nth = 1;
        while (nth < MOST_CALLS && make_with_refusal(options, nth, both_ways[way])) nth++;
        TEST_ASSERT_GREATER_THAN_INT(at_least, nth); /* it did fail, in many places */
        TEST_ASSERT_LESS_THAN_INT(MOST_CALLS, nth);
    }
}

/* Stacks are small, for a sanitizer looks at all of them. */
static heist_options small_stacks(unsigned workers)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    options.spin = 16; /* 0: the CPUs are counted for it, and want of memory for that is not worth a word */
    options.stack_size = (size_t)1 << 20;
    return options;
}

static void a_pool_is_made_or_refused_whole(void)
{
    heist_options options = small_stacks(2);
    make_with_each_refusal(&options, 15);
}

static void a_pool_of_default_size_is_made_or_refused_whole(void)
{
    heist_options options = small_stacks(0);
    make_with_each_refusal(&options, 10);
}

static void a_bound_pool_is_made_or_refused_whole(void)
{
    heist_options options = small_stacks(2);
    options.bind = HEIST_BIND_CORE;
    make_with_each_refusal(&options, 15);
}

static void a_pool_on_a_described_machine_is_made_or_refused_whole(void)
{
#if HEIST_HAVE_HWLOC
    heist_options options = small_stacks(3);
    options.topology = "pack:2 [numa] core:2 pu:1";
    make_with_each_refusal(&options, 20);
#else
    TEST_IGNORE_MESSAGE("needs hwloc");
#endif
}

static void a_pool_on_a_recorded_machine_is_made_or_refused_whole(void)
{
#if HEIST_HAVE_HWLOC
    heist_options options = small_stacks(3);
    options.topology = fixture("eight-in-a-row.xml");
    make_with_each_refusal(&options, 20);
#else
    TEST_IGNORE_MESSAGE("needs hwloc");
#endif
}

/* ---- a living pool ---- */

/* A scenario that gives `count` tasks to a pool; a refusal must be for want of memory. */
typedef struct giving {
    heist_pool *pool;
    size_t count;
    size_t accepted;
    const char *trouble; /* NULL: none */
    void (*scenario)(struct giving *);
} giving;

static bool was_accepted[MOST_MARKS];

static bool took(giving *g, size_t i, int error)
{
    was_accepted[i] = error == 0;
    if (error == 0)
        g->accepted++;
    else if (error != -ENOMEM)
        g->trouble = "refused, but not for want of memory";
    return error == 0;
}

static void what_was_accepted_ran_once(const giving *g)
{
    char what[60];
    TEST_ASSERT_NULL_MESSAGE(g->trouble, g->trouble);
    for (size_t i = 0; i < g->count; i++) {
        snprintf(what, sizeof what, "task %zu", i);
        TEST_ASSERT_EQUAL_UINT_MESSAGE(was_accepted[i], marks_of(i), what);
    }
}

/* Returns false when the scenario does not come to the nth allocation. */
static bool give_with_refusal(const heist_options *options, unsigned kinds, int nth, how_long how, giving g)
{
    g.pool = heist_pool_new(options);
    TEST_ASSERT_NOT_NULL_MESSAGE(g.pool, heist_explain());
    forget_marks();
    refuse(kinds, nth, how);
    g.scenario(&g);
    bool hit = refuse_no_more() != 0;
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(g.pool));
    what_was_accepted_ran_once(&g);
    if (!hit) TEST_ASSERT_EQUAL_size_t(g.count, g.accepted);
    const char *trouble = trouble_with(g.pool);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
    free_pool(g.pool);
    nothing_is_left("after the scenario");
    return hit;
}

/* Runs `scenario` with each refusal in turn, each on a new pool: an old one has memory left that spares allocations. */
static void give_with_each_refusal(const heist_options *options, unsigned kinds, size_t count,
                                   void (*scenario)(giving *))
{
    for (size_t way = 0; way < 2; way++) {
        int nth = 1;
        giving g = {.count = count, .scenario = scenario};
        while (nth < MOST_CALLS && give_with_refusal(options, kinds, nth, both_ways[way], g)) nth++;
        TEST_ASSERT_GREATER_THAN_INT(1, nth);
        TEST_ASSERT_LESS_THAN_INT(MOST_CALLS, nth);
    }
}

static void submit_from_outside(giving *g)
{
    for (size_t i = 0; i < g->count; i++) took(g, i, heist_submit(g->pool, mark, (void *)(uintptr_t)i, HEIST_WAIT));
}

/* With the built-in inbox a submission needs none, and a worker that has none takes one at a time. */
static void submissions_without_memory_run_or_are_refused(void)
{
    heist_options options = small_stacks(2);
    if (!HEIST__INBOX_CARRIES_CALLS) {
        give_with_each_refusal(&options, ANYTHING, 20, submit_from_outside);
        return;
    }
    for (int nth = 1; nth < 5; nth++) {
        for (size_t way = 0; way < 2; way++) {
            giving g = {.count = MOST_MARKS, .scenario = submit_from_outside};
            give_with_refusal(&options, ANYTHING, nth, both_ways[way], g);
            for (size_t i = 0; i < g.count; i++) TEST_ASSERT_TRUE(was_accepted[i]);
        }
    }
}

static void detach_to_scope_and_wait(giving *g)
{
    heist_scope scope;
    int error = heist_scope_begin(&scope, g->pool);
    for (size_t i = 0; i < g->count; i++) {
        took(g, i, error ? error : heist_detach(&scope, mark, (void *)(uintptr_t)i));
    }
    if (!error && heist_scope_end(&scope) != 0) g->trouble = "a scope did not end";
}

static void a_scope_without_memory_is_refused_and_one_with_less_ends(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    heist_scope scope;
    refuse(ANYTHING, 1, FROM_THEN_ON);
    int error = heist_scope_begin(&scope, pool);
    refuse_no_more();
    TEST_ASSERT_EQUAL_INT(-ENOMEM, error);
    free_pool(pool);
    nothing_is_left("after no scope");

    heist_options options = small_stacks(2);
    give_with_each_refusal(&options, ANYTHING, 15, detach_to_scope_and_wait);
}

/* Runs `inside` as a task of the pool. */
typedef struct {
    void (*function)(giving *);
    giving *g;
} inside;

static void run_inside(void *argument)
{
    inside *in = argument;
    in->function(in->g);
}

static void within(giving *g, void (*function)(giving *))
{
    inside in = {function, g};
    if (heist_run(g->pool, run_inside, &in) != 0) g->trouble = "a run needs no memory";
}

static void detach_to_scope_inside(giving *g)
{
    within(g, detach_to_scope_and_wait);
}

static void a_task_without_memory_for_others_goes_on(void)
{
    heist_options options = small_stacks(2);
    give_with_each_refusal(&options, ANYTHING, 15, detach_to_scope_inside);
}

typedef struct {
    char bytes[3 * HEIST__LOOSE_BLOCK];
} bulky;

HEIST_VOID_TASK(typed_mark, size_t, i)
{
    mark((void *)(uintptr_t)i);
}

HEIST_VOID_TASK(bulky_mark, size_t, i, bulky, ballast)
{
    if (ballast.bytes[0] == 'b' && ballast.bytes[sizeof ballast - 1] == 'e') mark((void *)(uintptr_t)i);
}

static void detach_typed(giving *g)
{
    bulky ballast = {"b"};
    ballast.bytes[sizeof ballast - 1] = 'e';
    for (size_t i = 0; i < g->count; i++) {
        took(g, i, i % 2 ? HEIST_DETACH(NULL, bulky_mark, i, ballast) : HEIST_DETACH(NULL, typed_mark, i));
    }
}

static void detach_typed_inside(giving *g)
{
    within(g, detach_typed);
}

static void typed_tasks_that_are_refused_do_not_run(void)
{
    heist_options options = small_stacks(2);
    give_with_each_refusal(&options, ANYTHING, 15, detach_typed_inside);
}

/* Far more than a deque has room for at first. */
#define CROWD 2000

static HEIST__ATOMIC(unsigned) all_detached; /* Written by: who detaches. Read by: the tasks. */

/* Holds thieves up, or they would keep the deque short. */
static void mark_after_all(void *argument)
{
    while (!heist__load_acquire(&all_detached)) sched_yield();
    mark(argument);
}

static void detach_crowd(giving *g)
{
    heist__store_release(&all_detached, 0);
    for (size_t i = 0; i < g->count; i++) took(g, i, heist_detach(NULL, mark_after_all, (void *)(uintptr_t)i));
    heist__store_release(&all_detached, 1);
}

static void detach_crowd_inside(giving *g)
{
    within(g, detach_crowd);
}

static void a_deque_that_cannot_grow_refuses_and_keeps_what_it_has(void)
{
    heist_options options = small_stacks(1);
    give_with_each_refusal(&options, CALLOC, CROWD, detach_crowd_inside);

    heist_pool *pool = pool_of(1, HEIST_FENCES_DEFAULT);
    giving g = {.pool = pool, .count = CROWD};
    forget_marks();
    refuse(CALLOC, 1, FROM_THEN_ON);
    detach_crowd_inside(&g);
    refuse_no_more();
    TEST_ASSERT_EQUAL_INT(0, heist_pool_wait(pool));
    what_was_accepted_ran_once(&g);
    TEST_ASSERT_LESS_THAN_size_t(CROWD, g.accepted);
    TEST_ASSERT_GREATER_THAN_size_t(0, g.accepted);
    free_pool(pool);
    nothing_is_left("after a crowd");
}

static void robbers_of_half_lose_nothing(void)
{
    heist_options options = small_stacks(3);
    options.amount = HEIST_AMOUNT_HALF;
    give_with_each_refusal(&options, CALLOC, CROWD, detach_crowd_inside);
}

/* Children: more than a scope has room for by itself. */
#define CHILDREN 300

static void spawn_children(giving *g)
{
    heist_scope scope;
    int error = heist_scope_begin(&scope, NULL);
    for (size_t i = 0; i < g->count; i++) {
        unsigned before = heist__load_acquire(&kinds_hit);
        if (error)
            mark((void *)(uintptr_t)i); /* no scope: what a program would do */
        else
            heist_spawn(&scope, mark, (void *)(uintptr_t)i);
        bool refused = heist__load_acquire(&kinds_hit) != before;
        if (refused && marks_of(i) != 1) g->trouble = "a spawn without memory is no call";
        was_accepted[i] = true;
    }
    g->accepted = g->count;
    if (!error) heist_join(&scope);
    for (size_t i = 0; i < g->count; i++) {
        if (marks_of(i) != 1) g->trouble = "a join returned before its children were done, or one ran twice";
    }
    if (!error && heist_scope_end(&scope) != 0) g->trouble = "a scope did not end";
}

static void spawn_children_inside(giving *g)
{
    within(g, spawn_children);
}

static void spawns_without_memory_are_calls(void)
{
    for (unsigned workers = 1; workers <= 2; workers++) {
        heist_options options = small_stacks(workers);
        give_with_each_refusal(&options, MALLOC, CHILDREN, spawn_children_inside);
    }
}

static void fork_join_of_typed_tasks_needs_no_memory(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    refuse(ANYTHING, 1, FROM_THEN_ON);
    int result = HEIST_RUN(pool, fault_fib, 18);
    unsigned hit = refuse_no_more();
    TEST_ASSERT_EQUAL_INT(2584, result);
    TEST_ASSERT_EQUAL_HEX(0, hit);
    free_pool(pool);
    nothing_is_left("after fib");
}

/* ---- a forked child's pool ---- */

static const char *restart_with_each_refusal(const void *argument)
{
    heist_pool *pool = *(heist_pool *const *)argument;
    for (int nth = 1; nth < MOST_CALLS; nth++) {
        forget_marks();
        refuse(ANYTHING, nth, FROM_THEN_ON);
        int error = heist_run(pool, mark, NULL);
        refuse_no_more();
        DEMAND(error == 0 || error == -ENOMEM, "neither run nor refused for want of memory");
        DEMAND(marks_of(0) == (error == 0), "refused and run, or neither");
        if (error) continue;
        DEMAND(nth > 3, "nothing was refused");
        const char *trouble = trouble_with(pool);
        DEMAND(!trouble, trouble);
        DEMAND(heist_pool_free(pool) == 0, "not freed");
        DEMAND(held_now() == held_before, "something is left");
        return misuse;
    }
    return "it never started again";
}

static void a_pool_that_cannot_start_again_after_fork_can_later(void)
{
    if (THREAD_SANITIZED) TEST_IGNORE_MESSAGE("ThreadSanitizer allows no new threads after such a fork");
    heist_options options = small_stacks(2);
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    child_succeeds(restart_with_each_refusal, &pool, "in a child");
    free_pool(pool);
    nothing_is_left("after fork");
}

/* ---- the default pool ---- */

static void the_default_pool_can_be_had_later(void)
{
    forget_marks();
    refuse(ANYTHING, 1, FROM_THEN_ON);
    heist_pool *pool = heist_default_pool();
    int error = errno;
    int submitted = heist_submit(NULL, mark, (void *)(uintptr_t)0, HEIST_WAIT);
    int run = heist_run(NULL, mark, (void *)(uintptr_t)1);
    int fib = HEIST_RUN(NULL, fault_fib, 15); /* has no way to say no: runs right here */
    refuse_no_more();
    TEST_ASSERT_NULL(pool);
    TEST_ASSERT_EQUAL_INT(ENOMEM, error);
    TEST_ASSERT_EQUAL_INT(-ENOMEM, submitted);
    TEST_ASSERT_EQUAL_INT(-ENOMEM, run);
    TEST_ASSERT_EQUAL_INT(610, fib);
    nothing_is_left("without a default pool");

    const char *trouble = trouble_with(NULL);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
    free_pool(heist_default_pool());
    nothing_is_left("after the default pool");
}

static void the_default_pool_is_made_or_refused_whole(void)
{
    for (size_t way = 0; way < 2; way++) {
        unsigned hit = 1;
        int nth = 1;
        for (; nth < MOST_CALLS && hit; nth++) {
            refuse(ANYTHING, nth, both_ways[way]);
            heist_pool *pool = heist_default_pool();
            int error = errno;
            hit = refuse_no_more();
            if (!pool) TEST_ASSERT_EQUAL_INT(ENOMEM, error);
            const char *trouble = trouble_with(NULL); /* with memory it can be had, whatever was before */
            TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
            free_pool(heist_default_pool());
            nothing_is_left("after a default pool");
        }
        TEST_ASSERT_GREATER_THAN_INT(10, nth);
        TEST_ASSERT_LESS_THAN_INT(MOST_CALLS, nth);
    }
}

static HEIST__ATOMIC(int) gate; /* Written by: the test. Read by: the task that waits for it. */

static void stand_at_the_gate(void *nothing)
{
    (void)nothing;
    while (!heist__load_acquire(&gate)) sleep_us(100);
}

static void *wait_for_pool(void *pool)
{
    return heist_pool_wait(pool) == 0 ? NULL : pool;
}

/* Places for those who wait are made as they come; who gets none is not told, and looks. */
static void who_finds_no_place_to_wait_looks_by_itself(void)
{
    enum { WAITING = HEIST__PLACES + 3 };
    pthread_t threads[WAITING];
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    heist__store_release(&gate, 0);
    TEST_ASSERT_EQUAL_INT(0, heist_submit(pool, stand_at_the_gate, NULL, HEIST_WAIT));
    refuse(CALLOC, 1, FROM_THEN_ON);
    for (int i = 0; i < WAITING; i++) TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[i], NULL, wait_for_pool, pool));
    while (heist__load_acquire(&pool->waiting) < HEIST__PLACES || heist__load_acquire(&left_before) > -3) sleep_us(100);
    heist__store_release(&gate, 1);
    for (int i = 0; i < WAITING; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        TEST_ASSERT_NULL(failed);
    }
    TEST_ASSERT_EQUAL_HEX(CALLOC, refuse_no_more());
    TEST_ASSERT_EQUAL_UINT32(0, heist__load_acquire(&pool->waiting));
    free_pool(pool);
}

/* Reading and printing counters needs no memory of ours. */
static void statistics_need_no_memory(void)
{
    heist_pool *pool = pool_of(2, HEIST_FENCES_DEFAULT);
    heist_stats stats = {.size = sizeof stats};
    HEIST_RUN(pool, fault_fib, 15);
    refuse(ANYTHING, 1, FROM_THEN_ON);
    int error = heist_stats_read(pool, &stats);
    unsigned hit = refuse_no_more();
    TEST_ASSERT_EQUAL_INT(0, error);
    TEST_ASSERT_EQUAL_HEX(0, hit);
    TEST_ASSERT_GREATER_THAN_UINT64(0, stats.spawns);
    free_pool(pool);
}

int main(void)
{
    settle_threads();
    UNITY_BEGIN();
    RUN_TEST(a_pool_is_made_or_refused_whole);
    RUN_TEST(a_pool_of_default_size_is_made_or_refused_whole);
    RUN_TEST(a_bound_pool_is_made_or_refused_whole);
    RUN_TEST(a_pool_on_a_described_machine_is_made_or_refused_whole);
    RUN_TEST(a_pool_on_a_recorded_machine_is_made_or_refused_whole);
    RUN_TEST(submissions_without_memory_run_or_are_refused);
    RUN_TEST(a_scope_without_memory_is_refused_and_one_with_less_ends);
    RUN_TEST(a_task_without_memory_for_others_goes_on);
    RUN_TEST(typed_tasks_that_are_refused_do_not_run);
    RUN_TEST(a_deque_that_cannot_grow_refuses_and_keeps_what_it_has);
    RUN_TEST(robbers_of_half_lose_nothing);
    RUN_TEST(spawns_without_memory_are_calls);
    RUN_TEST(fork_join_of_typed_tasks_needs_no_memory);
    RUN_TEST(a_pool_that_cannot_start_again_after_fork_can_later);
    RUN_TEST(who_finds_no_place_to_wait_looks_by_itself);
    RUN_TEST(statistics_need_no_memory);
    RUN_TEST(the_default_pool_can_be_had_later);
    RUN_TEST(the_default_pool_is_made_or_refused_whole);
    return UNITY_END();
}
