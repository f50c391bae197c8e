/* The termination detector by itself: it may never say "quiet" while something is unfinished, and has to say it
 * afterwards; the writes of finished tasks are visible then (under ThreadSanitizer the plain writes below are the
 * test).
 * The order of its reads is tested without luck: part of the counters lies in a page that cannot be touched. A
 * thread that touches it runs, in the handler of the fault, the steps that another worker might take at just that
 * moment. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "quiescence/detector.h"
#include "test_scale.h"
#include "unity.h"

enum { WORKERS = 5 };
static heist__detector detector;

void setUp(void)
{
    TEST_ASSERT_EQUAL_INT(0, heist__detector_init(&detector, WORKERS));
}

void tearDown(void)
{
    heist__detector_destroy(&detector);
}

/* ---- one thread ---- */

static void a_new_detector_is_quiet(void)
{
    TEST_ASSERT_TRUE(heist__detector_quiet(&detector));
}

static void created_by(unsigned who)
{
    if (who == WORKERS)
        heist__detector_created_outside(&detector);
    else
        heist__detector_created(&detector, who);
}

static void finished_by(unsigned who)
{
    if (who == WORKERS)
        heist__detector_finished_outside(&detector);
    else
        heist__detector_finished(&detector, who);
}

static void every_creator_and_every_finisher_of_a_task_is_seen(void)
{
    for (unsigned creator = 0; creator <= WORKERS; creator++) {
        for (unsigned finisher = 0; finisher <= WORKERS; finisher++) {
            created_by(creator);
            TEST_ASSERT_FALSE(heist__detector_quiet(&detector));
            finished_by(finisher);
            TEST_ASSERT_TRUE(heist__detector_quiet(&detector));
        }
    }
}

static void a_burst_is_quiet_only_after_its_last_task(void)
{
    enum { BURST = 1000 };
    for (unsigned i = 0; i < BURST; i++) created_by(i % 2 ? 0 : WORKERS);
    for (unsigned i = 0; i < BURST; i++) {
        TEST_ASSERT_FALSE(heist__detector_quiet(&detector));
        finished_by(i % (WORKERS + 1));
    }
    TEST_ASSERT_TRUE(heist__detector_quiet(&detector));
}

/* Each task creates the next and then finishes, on another worker each time: one is always unfinished. */
static void a_chain_is_not_quiet_between_its_links(void)
{
    created_by(WORKERS);
    for (unsigned i = 0; i < 1000; i++) {
        created_by(i % WORKERS);
        TEST_ASSERT_FALSE(heist__detector_quiet(&detector));
        finished_by(i % WORKERS);
        TEST_ASSERT_FALSE(heist__detector_quiet(&detector));
    }
    finished_by(0);
    TEST_ASSERT_TRUE(heist__detector_quiet(&detector));
}

static void counters_may_wrap(void)
{
    for (unsigned i = 0; i <= WORKERS; i++) {
        heist__store_relaxed(&detector.tallies[i].created, UINT64_MAX - i % 2);
        heist__store_relaxed(&detector.tallies[i].finished, UINT64_MAX - (i + 1) % 2);
    }
    TEST_ASSERT_TRUE(heist__detector_quiet(&detector));
    every_creator_and_every_finisher_of_a_task_is_seen();
}

/* ---- something happens in the middle of the reading ---- */

static struct {
    heist__detector detector;
    char *pages;
    size_t page; /* bytes */
    unsigned pages_count, per_page;
    unsigned shut; /* the page that cannot be touched */
    unsigned creator, finisher;
    int faults;
} trap;

/* The steps of two workers while a third is between its reads: one creates a task, the other runs it; it has no
 * children. */
static void meanwhile(int signal)
{
    (void)signal;
    trap.faults++;
    mprotect(trap.pages + trap.shut * trap.page, trap.page, PROT_READ | PROT_WRITE);
    heist__detector_created(&trap.detector, trap.creator);
    heist__detector_finished(&trap.detector, trap.finisher);
}

static void trap_set_up(void)
{
    trap.page = (size_t)sysconf(_SC_PAGESIZE);
    trap.pages_count = 3;
    trap.per_page = (unsigned)(trap.page / sizeof(heist__tally));
    trap.pages = mmap(NULL, trap.pages_count * trap.page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    TEST_ASSERT_TRUE(trap.pages != MAP_FAILED);
    trap.detector.workers = trap.pages_count * trap.per_page - 1;
    trap.detector.tallies = (heist__tally *)(void *)trap.pages;
}

static bool quiet_with_something_in_the_middle(void)
{
    memset(trap.pages, 0, trap.pages_count * trap.page);
    heist__detector_created(&trap.detector, 0); /* runs all the time */
    TEST_ASSERT_EQUAL_INT(0, mprotect(trap.pages + trap.shut * trap.page, trap.page, PROT_NONE));
    trap.faults = 0;
    bool quiet = heist__detector_quiet(&trap.detector);
    TEST_ASSERT_EQUAL_INT(1, trap.faults);
    return quiet;
}

static void a_childless_stolen_task_does_not_stand_in_for_a_running_one(void)
{
    trap_set_up();
    struct sigaction action = {.sa_handler = meanwhile}, segv, bus;
    sigaction(SIGSEGV, &action, &segv);
    sigaction(SIGBUS, &action, &bus);
    unsigned fooled = 0;
    for (trap.shut = 0; trap.shut < trap.pages_count; trap.shut++) {
        for (unsigned from = 0; from < trap.pages_count; from++) {
            for (unsigned to = 0; to < trap.pages_count; to++) {
                trap.creator = from * trap.per_page;
                trap.finisher = to * trap.per_page + 1;
                fooled += quiet_with_something_in_the_middle();
            }
        }
    }
    sigaction(SIGSEGV, &segv, NULL);
    sigaction(SIGBUS, &bus, NULL);
    munmap(trap.pages, trap.pages_count * trap.page);
    TEST_ASSERT_EQUAL_UINT(0, fooled);
}

/* ---- several threads ---- */

/* A task of the model: the tasks that it has still to create, and where it leaves its mark. */
typedef struct task {
    struct task *next;
    unsigned children, depth;
    size_t mark;
} task;

/* The model's scheduler: one stack for all, with a lock, so that every task may be anybody's. Its atomics are used
 * relaxed: nothing but the detector is to order what the tasks wrote before what is read after "quiet". */
static struct {
    pthread_mutex_t lock;
    task *stack;
    task *tasks;
    char *marks;         /* plain: visible after "quiet", or ThreadSanitizer complains */
    size_t most;         /* of tasks */
    atomic_size_t made;  /* tasks so far */
    atomic_size_t alive; /* up before the detector hears of a task, down before it hears of its end */
    atomic_bool stop;
} model = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void model_make(size_t most)
{
    model.tasks = calloc(most, sizeof *model.tasks);
    model.marks = calloc(most, 1);
    TEST_ASSERT_TRUE(model.tasks && model.marks);
    model.most = most;
    model.stack = NULL;
    atomic_store(&model.made, 0);
    atomic_store(&model.alive, 0);
    atomic_store(&model.stop, false);
}

static void model_free(void)
{
    free(model.tasks);
    free(model.marks);
}

static void model_put(unsigned who, unsigned children, unsigned depth)
{
    size_t at = atomic_fetch_add_explicit(&model.made, 1, memory_order_relaxed);
    if (at >= model.most) abort();
    model.tasks[at] = (task){.children = children, .depth = depth, .mark = at};
    atomic_fetch_add_explicit(&model.alive, 1, memory_order_relaxed);
    created_by(who);
    pthread_mutex_lock(&model.lock);
    model.tasks[at].next = model.stack;
    model.stack = &model.tasks[at];
    pthread_mutex_unlock(&model.lock);
}

static task *model_take(void)
{
    pthread_mutex_lock(&model.lock);
    task *t = model.stack;
    if (t) model.stack = t->next;
    pthread_mutex_unlock(&model.lock);
    return t;
}

static void model_run(unsigned who, task *t)
{
    model.marks[t->mark] = 1;
    for (unsigned i = 0; t->depth > 0 && i < t->children; i++) model_put(who, t->children, t->depth - 1);
    atomic_fetch_sub_explicit(&model.alive, 1, memory_order_relaxed);
    finished_by(who);
}

static void *model_worker(void *number)
{
    unsigned who = (unsigned)(uintptr_t)number;
    while (!atomic_load(&model.stop)) {
        task *t = model_take();
        if (t)
            model_run(who, t);
        else
            sched_yield();
    }
    return NULL;
}

/* Waits for quiet. Returns how many tasks were alive, or had left no mark, when it came. */
static size_t wrong_when_quiet(void)
{
    while (!heist__detector_quiet(&detector)) sched_yield();
    size_t made = atomic_load_explicit(&model.made, memory_order_relaxed);
    size_t wrong = atomic_load_explicit(&model.alive, memory_order_relaxed);
    for (size_t i = 0; i < made; i++) wrong += model.marks[i] != 1;
    return wrong;
}

/* Rounds of `burst` tasks from outside, each with a tree below it. */
static void run_model(unsigned rounds, unsigned burst, unsigned children, unsigned depth, size_t most)
{
    pthread_t threads[WORKERS];
    size_t wrong = 0;
    model_make(most);
    for (unsigned i = 0; i < WORKERS; i++) {
        TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[i], NULL, model_worker, (void *)(uintptr_t)i));
    }
    for (unsigned round = 0; round < rounds && wrong == 0; round++) {
        atomic_store(&model.made, 0); /* nothing is alive: the records can be used again */
        memset(model.marks, 0, most);
        for (unsigned i = 0; i < burst; i++) model_put(WORKERS, children, depth);
        wrong += wrong_when_quiet();
    }
    atomic_store(&model.stop, true);
    for (unsigned i = 0; i < WORKERS; i++) pthread_join(threads[i], NULL);
    model_free();
    TEST_ASSERT_EQUAL_size_t(0, wrong);
}

static void bursts_end_when_their_last_task_does(void)
{
    run_model(test_scale(3000u), 20, 0, 0, 20);
}

static void long_chains_end_with_their_last_link(void)
{
    run_model(test_scale(60u), 2, 1, 1000, 2 * 1001);
}

static void trees_end_with_their_last_leaf(void)
{
    run_model(test_scale(60u), 3, 3, 5, 3 * 364);
}

static pthread_barrier_t start;

static void *outsider(void *rounds)
{
    pthread_barrier_wait(&start);
    for (unsigned i = *(unsigned *)rounds; i > 0; i--) {
        heist__detector_created_outside(&detector);
        heist__detector_finished_outside(&detector);
    }
    return NULL;
}

static void outsiders_lose_no_count_among_each_other(void)
{
    unsigned rounds = test_scale(2000000u);
    pthread_t threads[4];
    pthread_barrier_init(&start, NULL, 4);
    for (int i = 0; i < 4; i++) TEST_ASSERT_EQUAL_INT(0, pthread_create(&threads[i], NULL, outsider, &rounds));
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&start);
    TEST_ASSERT_TRUE(heist__detector_quiet(&detector));
    heist__detector_created_outside(&detector);
    TEST_ASSERT_FALSE(heist__detector_quiet(&detector));
}

/* One task never ends while others come and go between threads as fast as they can. */
static atomic_bool churn_stop;
static atomic_uint churn_handed; /* odd: worker 1 has one to finish */

static void *churn_creator(void *unused)
{
    (void)unused;
    while (!atomic_load(&churn_stop)) {
        if (atomic_load(&churn_handed) % 2) continue;
        heist__detector_created(&detector, 0);
        atomic_fetch_add(&churn_handed, 1);
    }
    return NULL;
}

static void *churn_finisher(void *unused)
{
    (void)unused;
    while (!atomic_load(&churn_stop)) {
        if (atomic_load(&churn_handed) % 2 == 0) continue;
        heist__detector_finished(&detector, 1);
        atomic_fetch_add(&churn_handed, 1);
    }
    return NULL;
}

static void one_running_task_keeps_it_from_quiet_however_many_come_and_go(void)
{
    pthread_t creator, finisher;
    unsigned looks = test_scale(2000000u), fooled = 0;
    heist__detector_created(&detector, 2);
    atomic_store(&churn_stop, false);
    atomic_store(&churn_handed, 0);
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&creator, NULL, churn_creator, NULL));
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&finisher, NULL, churn_finisher, NULL));
    for (unsigned i = 0; i < looks; i++) fooled += heist__detector_quiet(&detector);
    atomic_store(&churn_stop, true);
    pthread_join(creator, NULL);
    pthread_join(finisher, NULL);
    if (atomic_load(&churn_handed) % 2) heist__detector_finished(&detector, 1); /* handed over after the end was read */
    TEST_ASSERT_EQUAL_UINT(0, fooled);
    heist__detector_finished(&detector, 2);
    TEST_ASSERT_TRUE(heist__detector_quiet(&detector));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(a_new_detector_is_quiet);
    RUN_TEST(every_creator_and_every_finisher_of_a_task_is_seen);
    RUN_TEST(a_burst_is_quiet_only_after_its_last_task);
    RUN_TEST(a_chain_is_not_quiet_between_its_links);
    RUN_TEST(counters_may_wrap);
    RUN_TEST(a_childless_stolen_task_does_not_stand_in_for_a_running_one);
    RUN_TEST(bursts_end_when_their_last_task_does);
    RUN_TEST(long_chains_end_with_their_last_link);
    RUN_TEST(trees_end_with_their_last_leaf);
    RUN_TEST(outsiders_lose_no_count_among_each_other);
    RUN_TEST(one_running_task_keeps_it_from_quiet_however_many_come_and_go);
    return UNITY_END();
}
