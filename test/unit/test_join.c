/* test_join.c: a join runs nothing but descendants of the child that it waits for. So a lock may be held across it,
 * the tasks on one worker's stack are one path of the spawn tree, and that path bounds the stack. */
#include <errno.h>
#include <pthread.h>

#include "support.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
}

/* ---- locks ---- */

static pthread_mutex_t lock; /* tells a thread that locks it twice, which is what this is about */
static HEIST__ATOMIC(int) locked_twice;
static long guarded;

static void make_lock(void)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lock, &attributes);
    pthread_mutexattr_destroy(&attributes);
    heist__store_seq_cst(&locked_twice, 0);
    guarded = 0;
}

static bool take_lock(void)
{
    if (pthread_mutex_lock(&lock) == 0) return true;
    heist__add_seq_cst(&locked_twice, 1); /* EDEADLK: this very thread has it */
    return false;
}

HEIST_TASK(long, busy, int, depth)
{
    if (depth == 0) {
        give_way();
        return 1;
    }
    HEIST_SPAWN(left, busy, depth - 1);
    HEIST_SPAWN(right, busy, depth - 1);
    long sum = depth % 2 ? HEIST_SYNC(left) : HEIST_SYNC(right);
    return sum + (depth % 2 ? HEIST_SYNC(right) : HEIST_SYNC(left));
}

/* Holds the lock while it joins. */
HEIST_TASK(long, holder, int, depth)
{
    bool mine = take_lock();
    HEIST_SPAWN(work, busy, depth);
    give_way(); /* a chance to steal it */
    long sum = HEIST_SYNC(work);
    if (mine) guarded++;
    if (mine) pthread_mutex_unlock(&lock);
    return sum;
}

/* The same, and in its own deque lies a younger child that wants the lock. */
HEIST_TASK(long, holder_with_brother, int, depth)
{
    HEIST_SPAWN(work, busy, depth);
    HEIST_SPAWN(brother, holder, 1);
    bool mine = take_lock();
    give_way();
    long sum = HEIST_SYNC(work); /* the elder first: whether stolen or not, the brother must not run here */
    if (mine) guarded++;
    if (mine) pthread_mutex_unlock(&lock);
    return sum + HEIST_SYNC(brother);
}

#define HOLDERS 12

HEIST_TASK(long, many_holders, int, depth, bool, eldest_first)
{
    HEIST_CHILD(holder) plain[HOLDERS];
    HEIST_CHILD(holder_with_brother) brothers[HOLDERS];
    long sum = 0;
    for (int i = 0; i < HOLDERS; i++) {
        HEIST_SPAWN_AT(&plain[i], holder, depth);
        HEIST_SPAWN_AT(&brothers[i], holder_with_brother, depth);
    }
    for (int n = 0; n < HOLDERS; n++) {
        int i = eldest_first ? n : HOLDERS - 1 - n;
        sum += HEIST_SYNC_AT(&brothers[i], holder_with_brother);
        sum += HEIST_SYNC_AT(&plain[i], holder);
    }
    return sum;
}

static void a_lock_may_be_held_across_a_join(void)
{
    const int depth = 4;
    for (unsigned workers = 4; workers <= 8; workers += 4) {
        FOR_BOTH_FENCE_MODES(mode)
        {
            make_lock();
            heist_pool *pool = pool_of(workers, *mode);
            int rounds = 0, least = test_scale(60);
            /* More of them where no thief got a CPU in time. */
            while (rounds < least || (least > 10 && stats_of(pool).joins_stolen == 0)) {
                long sum = HEIST_RUN(pool, many_holders, depth, rounds++ % 2);
                TEST_ASSERT_EQUAL_INT64(HOLDERS * (2 * (1 << depth) + 2), sum);
            }
            TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__load_seq_cst(&locked_twice),
                                          "a join ran work that does not descend from its child");
            TEST_ASSERT_EQUAL_INT64((long)rounds * HOLDERS * 3, guarded);
            free_pool(pool);
            pthread_mutex_destroy(&lock);
        }
    }
}

/* ---- leapfrogging ---- */

static HEIST__ATOMIC(int) started, met;

static void wait_for(HEIST__ATOMIC(int) * counter, int value)
{
    while (heist__load_acquire(counter) < value) sched_yield(); /* the watchdog ends it if it never comes */
}

/* Ends when so many of its kind run at the same time. */
HEIST_VOID_TASK(meet, int, others)
{
    heist__add_acq_rel(&met, 1);
    wait_for(&met, others);
}

HEIST_VOID_TASK(needs_help)
{
    heist__add_acq_rel(&started, 1);
    HEIST_SPAWN(one, meet, 2);
    HEIST_SPAWN(two, meet, 2);
    HEIST_SYNC(two); /* runs here; the other one must run elsewhere, or this never ends */
    HEIST_SYNC(one);
}

/* Its child is stolen, for it does nothing before that. Then it has nothing to do but to help. */
HEIST_VOID_TASK(helper)
{
    HEIST_SPAWN(child, needs_help);
    wait_for(&started, 1);
    HEIST_SYNC(child);
}

static void a_join_of_a_stolen_child_helps_its_thief(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(2, *mode);
        for (int i = test_scale(50); i > 0; i--) {
            heist__store_seq_cst(&started, 0);
            heist__store_seq_cst(&met, 0);
            HEIST_RUN(pool, helper);
        }
        heist_stats stats = stats_of(pool);
        TEST_ASSERT_GREATER_OR_EQUAL_UINT64(test_scale(50), stats.leapfrogs);
        TEST_ASSERT_GREATER_OR_EQUAL_UINT64(2 * test_scale(50), stats.joins_stolen);
        free_pool(pool);
    }
}

/* How many leaves each worker ran. */
static HEIST__ATOMIC(int) leaves_of[3];

HEIST_VOID_TASK(slow_leaf)
{
    heist__add_acq_rel(&leaves_of[heist_worker_number()], 1);
    sleep_us(2000);
}

/* Has no children until both waiting workers have nothing to do. */
HEIST_VOID_TASK(gives_late)
{
    HEIST_CHILD(slow_leaf) leaf[4];
    heist__add_acq_rel(&started, 1);
    sleep_us(2000);
    for (int i = 0; i < 4; i++) HEIST_SPAWN_AT(&leaf[i], slow_leaf);
    for (int i = 3; i >= 0; i--) HEIST_SYNC_AT(&leaf[i], slow_leaf);
}

HEIST_VOID_TASK(between)
{
    heist__add_acq_rel(&started, 1);
    HEIST_SPAWN(child, gives_late);
    wait_for(&started, 2);
    HEIST_SYNC(child);
}

HEIST_TASK(int, far_helper)
{
    HEIST_SPAWN(child, between);
    wait_for(&started, 2);
    HEIST_SYNC(child); /* its thief waits, too: the work is with the thief's thief */
    return heist_worker_number();
}

static bool waiters_help_from_afar(void *pool)
{
    int helped = 0;
    for (int i = 0; i < 400 && helped < 3; i++) { /* the other worker that waits may be faster; not every time */
        heist__store_seq_cst(&started, 0);
        for (int w = 0; w < 3; w++) heist__store_seq_cst(&leaves_of[w], 0);
        int root = HEIST_RUN(pool, far_helper);
        helped += heist__load_seq_cst(&leaves_of[root]) > 0;
    }
    return helped == 3;
}

static void help_goes_to_the_thief_of_the_thief(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(3, *mode);
        TEST_ASSERT_TRUE_MESSAGE(succeeds_with_cpu(waiters_help_from_afar, pool),
                                 "a worker that waits for a thief that waits itself never helped");
        free_pool(pool);
    }
}

/* ---- what a stolen child has done can be seen ---- */

typedef struct {
    int cells[64];
} block;

HEIST_TASK(block, fill, int *, cells, int, value)
{
    block b;
    for (int i = 0; i < 64; i++) {
        cells[i] = value + i;
        b.cells[i] = value - i;
    }
    return b;
}

HEIST_TASK(int, fills_are_seen, int, rounds)
{
    int mistakes = 0;
    for (int r = 0; r < rounds; r++) {
        int cells[2][64];
        HEIST_SPAWN(one, fill, cells[0], r);
        HEIST_SPAWN(two, fill, cells[1], r + 1000);
        if (r % 4 == 0) give_way();
        block first = HEIST_SYNC(one);
        block second = HEIST_SYNC(two);
        for (int i = 0; i < 64; i++) {
            mistakes += cells[0][i] != r + i || first.cells[i] != r - i;
            mistakes += cells[1][i] != r + 1000 + i || second.cells[i] != r + 1000 - i;
        }
    }
    return mistakes;
}

static void what_a_stolen_child_did_is_seen_after_its_join(void)
{
    FOR_BOTH_FENCE_MODES(mode)
    {
        heist_pool *pool = pool_of(3, *mode);
        TEST_ASSERT_EQUAL_INT(0, HEIST_RUN(pool, fills_are_seen, test_scale(20000)));
        free_pool(pool);
    }
}

/* ---- the tasks on a stack are one path of the spawn tree ---- */

/* A running task knows its parent, which outlives it. */
typedef struct node {
    const struct node *parent;
    int depth;
} node;

/* The tasks that this thread runs, the innermost last. */
static _Thread_local const node *running[64];
static _Thread_local int running_count;
static HEIST__ATOMIC(int) strangers; /* tasks that were begun on top of one they do not descend from */

static bool descends(const node *n, const node *from)
{
    while (n && n != from) n = n->parent;
    return n != NULL;
}

static void enter(const node *n)
{
    if (running_count > 0 && !descends(n, running[running_count - 1])) heist__add_seq_cst(&strangers, 1);
    if (running_count < 64) running[running_count] = n;
    running_count++;
}

static void leave(void)
{
    running_count--;
}

#define BRANCHES 5

HEIST_TASK_DECL(long, walk, const node *, parent, uint64_t, seed);

/* Any number of children, spawned and joined in any order, with pauses in which others can steal. */
HEIST_TASK_IMPL(long, walk, const node *, parent, uint64_t, seed)
{
    node self = {parent, parent ? parent->depth + 1 : 0};
    enter(&self);
    HEIST_CHILD(walk) child[BRANCHES];
    int open[BRANCHES], opened = 0, next = 0, count = self.depth < 9 ? (int)(draw(&seed) % (BRANCHES + 1)) : 0;
    if (self.depth < 3) count = BRANCHES;
    long sum = 1;
    while (next < count || opened > 0) {
        uint32_t drawn = draw(&seed);
        if (drawn % 64 == 0) give_way();
        if (drawn % 256 == 0) sleep_us(20);
        if (next < count && (opened == 0 || drawn % 7 < 4)) {
            HEIST_SPAWN_AT(&child[next], walk, &self, seed + (uint64_t)next);
            open[opened++] = next++;
        } else {
            int at = (int)(drawn / 7) % opened, i = open[at];
            open[at] = open[--opened];
            sum += HEIST_SYNC_AT(&child[i], walk);
        }
    }
    leave();
    return sum;
}

static long walk_serial(int depth, uint64_t seed)
{
    int opened = 0, next = 0, count = depth < 9 ? (int)(draw(&seed) % (BRANCHES + 1)) : 0;
    if (depth < 3) count = BRANCHES;
    long sum = 1;
    while (next < count || opened > 0) {
        uint32_t drawn = draw(&seed);
        if (next < count && (opened == 0 || drawn % 7 < 4)) {
            sum += walk_serial(depth + 1, seed + (uint64_t)next);
            opened++;
            next++;
        } else {
            opened--;
        }
    }
    return sum;
}

static void the_tasks_on_a_stack_are_one_path_of_the_tree(void)
{
    uint64_t seed = test_seed();
    const unsigned counts[] = {1, 2, 4, 8};
    for (unsigned c = 0; c < 4; c++) {
        FOR_BOTH_FENCE_MODES(mode)
        {
            heist_pool *pool = pool_of(counts[c], *mode);
            heist__store_seq_cst(&strangers, 0);
            for (int i = test_scale(6); i > 0; i--, seed++)
                TEST_ASSERT_EQUAL_INT64(walk_serial(0, seed), HEIST_RUN(pool, walk, NULL, seed));
            TEST_ASSERT_EQUAL_INT_MESSAGE(0, heist__load_seq_cst(&strangers),
                                          "a task began on top of one that it does not descend from");
            free_pool(pool);
        }
    }
}

/* ---- the stack ---- */

/* How far down each thread's stack has been used, as far as tasks looked. */
static _Thread_local char *stack_top;
static HEIST__ATOMIC(size_t) deepest;

#define STACK ((ptrdiff_t)1 << 30)

static void look_at_stack(void)
{
    char *address = __builtin_frame_address(0);
    /* The runs of one thread have a stack each, one for each seat. */
    if (!stack_top || address > stack_top || stack_top - address > STACK / 2) stack_top = address;
    size_t used = (size_t)(stack_top - address), before = heist__load_relaxed(&deepest);
    while (used > before && !heist__cas_relaxed(&deepest, &before, used)) {
    }
}

/* Every child is stolen, if a thief is there: the parent waits a while for that. */
HEIST_TASK(long, handed_on, long, n, HEIST__ATOMIC(int) *, begun)
{
    look_at_stack();
    heist__store_release(begun, 1);
    if (n == 0) return 0;
    HEIST__ATOMIC(int) child_begun = 0;
    HEIST_SPAWN(child, handed_on, n - 1, &child_begun);
    for (int i = 0; i < 2000 && !heist__load_acquire(&child_begun); i++) {
        if (i % 100 == 99) give_way();
    }
    return HEIST_SYNC(child) + 1;
}

/* A worker's stack: for each task on the path, its own frame and that of a join that waits in it. */
#define FRAMES_OF_A_LEVEL 1024

static void the_stack_grows_with_the_path_alone(void)
{
    const long depth = test_scale(3000L);
    for (unsigned workers = 2; workers <= 4; workers += 2) {
        FOR_BOTH_FENCE_MODES(mode)
        {
            heist_options options = HEIST_OPTIONS_INIT;
            options.workers = workers;
            options.fences = *mode;
            options.stack_size = STACK;
            heist_pool *pool = heist_pool_new(&options);
            TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
            HEIST__ATOMIC(int) begun = 0;
            heist_stats stats;
            heist__store_seq_cst(&deepest, 0);
            /* More than once where no thief has a CPU in time. */
            for (int runs = 0; runs == 0 || (runs < 300 && depth > 100 && stats.leapfrogs == 0); runs++) {
                TEST_ASSERT_EQUAL_INT64(depth, HEIST_RUN(pool, handed_on, depth, &begun));
                stats = stats_of(pool);
            }
            char what[100];
            size_t used = heist__load_relaxed(&deepest);
            snprintf(what, sizeof what, "%zu bytes for a path of %ld tasks, %llu leapfrogs", used, depth,
                     (unsigned long long)stats.leapfrogs);
            TEST_MESSAGE(what);
#if !SANITIZED && defined(__OPTIMIZE__)
            TEST_ASSERT_LESS_THAN_UINT64_MESSAGE((uint64_t)(depth + 16) * FRAMES_OF_A_LEVEL, used, what);
#endif
            if (depth > 100) TEST_ASSERT_GREATER_THAN_UINT64(0, stats.leapfrogs);
            free_pool(pool);
        }
    }
}

int main(void)
{
    canary_begin(); /* under ThreadSanitizer, too: this program does not fork */
    UNITY_BEGIN();
    RUN_TEST(a_lock_may_be_held_across_a_join);
    RUN_TEST(a_join_of_a_stolen_child_helps_its_thief);
    RUN_TEST(help_goes_to_the_thief_of_the_thief);
    RUN_TEST(what_a_stolen_child_did_is_seen_after_its_join);
    RUN_TEST(the_tasks_on_a_stack_are_one_path_of_the_tree);
    RUN_TEST(the_stack_grows_with_the_path_alone);
    return UNITY_END();
}
