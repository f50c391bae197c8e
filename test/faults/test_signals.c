/* Signals that arrive everywhere: every thread of the process is hit again and again, by a timer and one by one,
 * while a pool is made, works, sleeps and ends. System calls are interrupted, with and without SA_RESTART; nothing
 * may be lost or cut short. */
#include <dirent.h>
#include <sys/syscall.h>

#include "fault_support.h"
#include "schedule/pool.h"

/* ---- the storm ---- */

#define WORKERS 3u

static HEIST__ATOMIC(
    unsigned) hits[WORKERS + 1];     /* of each worker; the last: of everybody else. Written by: handlers (add). */
static HEIST__ATOMIC(unsigned) calm; /* the storm is to end. Written by: the test. */

static void hit(int signal)
{
    (void)signal;
    int worker = heist_worker_number();
    heist__add_relaxed(&hits[worker >= 0 && worker < (int)WORKERS ? worker : (int)WORKERS], 1); /* relaxed: a number */
}

static void hit_every_thread(pid_t self)
{
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return;
    for (struct dirent *entry; (entry = readdir(tasks));) {
        pid_t thread = (pid_t)atoi(entry->d_name);
        if (thread > 0 && thread != self) syscall(SYS_tgkill, getpid(), thread, SIGUSR2);
    }
    closedir(tasks);
}

static void *blow(void *unused)
{
    (void)unused;
    pid_t self = (pid_t)syscall(SYS_gettid);
    while (!heist__load_acquire(&calm)) {
        hit_every_thread(self);
        sleep_us(50);
    }
    return NULL;
}

typedef struct {
    timer_t timer;
    pthread_t thread;
} storm;

static storm storm_begin(int flags)
{
    storm s;
    struct sigaction action = {.sa_handler = hit, .sa_flags = flags};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN};
    struct itimerspec often = {{0, 100000}, {0, 100000}};
    for (unsigned i = 0; i <= WORKERS; i++) heist__store_relaxed(&hits[i], 0); /* relaxed: nothing blows */
    heist__store_release(&calm, 0);
    TEST_ASSERT_EQUAL_INT(0, sigaction(SIGUSR2, &action, NULL));
    TEST_ASSERT_EQUAL_INT(0, sigaction(SIGRTMIN, &action, NULL));
    TEST_ASSERT_EQUAL_INT(0, timer_create(CLOCK_MONOTONIC, &event, &s.timer));
    TEST_ASSERT_EQUAL_INT(0, timer_settime(s.timer, 0, &often, NULL));
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&s.thread, NULL, blow, NULL));
    return s;
}

static void storm_end(storm *s)
{
    heist__store_release(&calm, 1);
    pthread_join(s->thread, NULL);
    timer_delete(s->timer);
}

static const int ways_to_interrupt[] = {0, SA_RESTART};
#define FOR_BOTH_WAYS(flags) for (const int *flags = ways_to_interrupt; flags < ways_to_interrupt + 2; flags++)

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
    heist__store_release(&calm, 1);
}

static heist_pool *small_pool(heist_fences fences)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = WORKERS;
    options.fences = fences;
    options.inbox = 4; /* submitters have to wait for room */
    options.stack_size = (size_t)1 << 20;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    TEST_ASSERT_EQUAL_UINT(WORKERS, heist__load_acquire(&pool->ready)); /* it was waited for them */
    return pool;
}

/* ---- scenarios ---- */

static void all_is_well(heist_pool *pool)
{
    const char *trouble = trouble_with(pool);
    if (!trouble) trouble = loop_trouble_with(pool);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
}

/* Until every worker was hit often. ThreadSanitizer lets handlers run when it likes. */
static bool hit_often(unsigned times)
{
    if (THREAD_SANITIZED) return true;
    for (unsigned i = 0; i < WORKERS; i++) {
        if (heist__load_relaxed(&hits[i]) < times) return false; /* relaxed: a number */
    }
    return true;
}

static void work_goes_on_under_signals(void)
{
    FOR_BOTH_WAYS(flags)
    {
        FOR_BOTH_FENCE_MODES(mode)
        {
            storm s = storm_begin(*flags);
            heist_pool *pool = small_pool(*mode);
            for (int round = 0; round < test_scale(10) || !hit_often(100); round++) all_is_well(pool);
            free_pool(pool);
            storm_end(&s);
        }
    }
}

/* In the end all sleep, and are counted as such; else a wake-up would be missed some day. */
static void all_fall_asleep(heist_pool *pool)
{
    while (heist__load_acquire(&pool->idle.asleep) != WORKERS || heist__load_acquire(&pool->idle.searching) != 0)
        sleep_us(1000);
}

/* Between the rounds all workers fall asleep, and are woken by signals over and over. */
static void sleepers_are_neither_lost_nor_let_go(void)
{
    FOR_BOTH_WAYS(flags)
    {
        storm s = storm_begin(*flags);
        heist_pool *pool = small_pool(HEIST_FENCES_DEFAULT);
        for (int round = 0; round < test_scale(30); round++) {
            sleep_us(3000);
            forget_marks();
            TEST_ASSERT_EQUAL_INT(0, heist_run(pool, mark, NULL));
            TEST_ASSERT_EQUAL_UINT(1, marks_of(0)); /* it did not return before */
        }
        storm_end(&s);
        all_fall_asleep(pool);
        all_is_well(pool);
        free_pool(pool);
    }
}

static HEIST__ATOMIC(unsigned) may_end;

static void hold_the_worker(void *unused)
{
    (void)unused;
    while (!heist__load_acquire(&may_end)) sleep_us(100);
}

/* A lower bound, which no load on the machine can break. */
static void patience_is_not_cut_short(void)
{
    FOR_BOTH_WAYS(flags)
    {
        storm s = storm_begin(*flags);
        heist_pool *pool = small_pool(HEIST_FENCES_DEFAULT);
        heist__store_release(&may_end, 0);
        while (heist_submit(pool, hold_the_worker, NULL, HEIST_DO_NOT_WAIT) == 0) {
        }
        int error;
        double took;
        do {
            double before = clock_ms(CLOCK_MONOTONIC);
            error = heist_submit(pool, hold_the_worker, NULL, 40);
            took = clock_ms(CLOCK_MONOTONIC) - before;
        } while (error == 0); /* a worker had just begun with one more */
        heist__store_release(&may_end, 1);
        free_pool(pool);
        storm_end(&s);
        TEST_ASSERT_EQUAL_INT(-ETIMEDOUT, error);
        TEST_ASSERT_TRUE_MESSAGE(took >= 40, "it did not wait as long as it was told to");
    }
}

static void pools_come_and_go_under_signals(void)
{
    FOR_BOTH_WAYS(flags)
    {
        storm s = storm_begin(*flags);
        for (int round = 0; round < test_scale(SANITIZED ? 10 : 40); round++) {
            heist_pool *pool = small_pool(round % 2 ? HEIST_FENCES_BOTH : HEIST_FENCES_DEFAULT);
            size_t cancelled = 0, accepted = 0;
            forget_marks();
            for (uintptr_t i = 0; i < 30; i++) accepted += heist_submit(pool, mark, (void *)i, HEIST_WAIT) == 0;
            heist_shutdown how = round % 3 ? HEIST_DRAIN : HEIST_CANCEL;
            TEST_ASSERT_EQUAL_INT(0, heist_pool_shutdown(pool, how, &cancelled));
            size_t ran = 0;
            for (size_t i = 0; i < 30; i++) ran += marks_of(i);
            TEST_ASSERT_EQUAL_size_t(30, accepted);
            TEST_ASSERT_EQUAL_size_t(accepted, ran + cancelled);
        }
        storm_end(&s);
    }
}

/* ---- a handler may ask where it is ---- */

static HEIST__ATOMIC(unsigned) told_right, told_wrong;
static HEIST__ATOMIC(heist_pool *) asked_about; /* a handler reads it in any thread */

static void ask(int signal)
{
    (void)signal;
    heist_pool *pool = heist_current_pool();
    bool right =
        pool ? pool == heist__load_acquire(&asked_about) && heist_worker_number() >= 0 : heist_worker_number() == -1;
    heist__add_relaxed(right ? &told_right : &told_wrong, 1); /* relaxed: a number */
}

static void a_handler_is_told_where_it_runs(void)
{
    storm s = storm_begin(0);
    struct sigaction action = {.sa_handler = ask};
    heist_pool *pool = small_pool(HEIST_FENCES_DEFAULT);
    heist__store_release(&asked_about, pool);
    sigaction(SIGUSR2, &action, NULL);
    for (int round = 0; round < test_scale(5); round++) all_is_well(pool);
    sigaction(SIGUSR2, &(struct sigaction){.sa_handler = hit}, NULL);
    free_pool(pool);
    storm_end(&s);
    TEST_ASSERT_EQUAL_UINT(0, heist__load_acquire(&told_wrong));
    if (!THREAD_SANITIZED) TEST_ASSERT_GREATER_THAN_UINT(0, heist__load_acquire(&told_right));
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(work_goes_on_under_signals);
    RUN_TEST(sleepers_are_neither_lost_nor_let_go);
    RUN_TEST(patience_is_not_cut_short);
    RUN_TEST(pools_come_and_go_under_signals);
    RUN_TEST(a_handler_is_told_where_it_runs);
    return UNITY_END();
}
