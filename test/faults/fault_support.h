/* fault_support.h: shared by the fault tests: work that shows whether a pool still works as it should, and scenarios
 * in a child process, which may lose its rights or its life. */
#ifndef FAULT_SUPPORT_H
#define FAULT_SUPPORT_H

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

#include "quiet_fork.h"
#include "support.h"

/* A sentence if it is not so. In a child no Unity assertion may fail: it would jump into the parent's tests. */
#define DEMAND(condition, sentence)                                                                                    \
    do {                                                                                                               \
        if (!(condition)) return sentence;                                                                             \
    } while (0)

/* ---- work ---- */

#define MOST_MARKS 8192

static HEIST__ATOMIC(unsigned) marks[MOST_MARKS]; /* how often task i has run */

static inline void mark(void *argument)
{
    heist__add_relaxed(&marks[(uintptr_t)argument], 1); /* relaxed: the test has waited for the task when it counts */
}

static inline void forget_marks(void)
{
    for (size_t i = 0; i < MOST_MARKS; i++) heist__store_relaxed(&marks[i], 0); /* relaxed: nothing runs */
}

static inline unsigned marks_of(size_t i)
{
    return heist__load_relaxed(&marks[i]); /* relaxed: as in mark */
}

static inline bool all_marked_once(size_t from, size_t to)
{
    for (size_t i = from; i < to; i++) {
        if (marks_of(i) != 1) return false;
    }
    return true;
}

HEIST_TASK(int, fault_fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(a, fault_fib, n - 1);
    int b = HEIST_CALL(fault_fib, n - 2);
    return HEIST_SYNC(a) + b;
}

enum { SUBMITTED = 100, DETACHED = 150, SPAWNED = 200 }; /* up to these numbers */

static inline void detach_and_spawn(void *result)
{
    int *error = result;
    heist_scope scope;
    *error = heist_scope_begin(&scope, NULL);
    if (*error) return;
    for (uintptr_t i = SUBMITTED; i < DETACHED && !*error; i++) *error = heist_detach(&scope, mark, (void *)i);
    for (uintptr_t i = DETACHED; i < SPAWNED; i++) heist_spawn(&scope, mark, (void *)i);
    heist_join(&scope);
    int end = heist_scope_end(&scope);
    if (!*error) *error = end;
}

/* Every way of giving work to a pool, and of waiting for it. NULL if all came right. */
static inline const char *trouble_with(heist_pool *pool)
{
    int error = 0;
    forget_marks();
    DEMAND(HEIST_RUN(pool, fault_fib, 15) == 610, "fib is wrong");
    for (uintptr_t i = 0; i < SUBMITTED; i++) {
        DEMAND(heist_submit(pool, mark, (void *)i, HEIST_WAIT) == 0, "a task from outside was refused");
    }
    DEMAND(heist_run(pool, detach_and_spawn, &error) == 0, "a run was refused");
    DEMAND(error == 0, "a scope's task was refused");
    DEMAND(all_marked_once(SUBMITTED, SPAWNED), "a scope ended before its tasks, or one ran twice");
    DEMAND(heist_pool_wait(pool) == 0, "waiting was refused");
    DEMAND(all_marked_once(0, SUBMITTED), "a submitted task did not run once");
    return NULL;
}

static inline int add_up(heist_range part, void *sum)
{
    int64_t of_part = 0;
    HEIST_EACH(i, part) of_part += i;
    heist__add_relaxed((HEIST__ATOMIC(int64_t) *)sum, of_part); /* relaxed: read after the loop */
    return 0;
}

/* The same for loops, by every schedule. */
static inline const char *loop_trouble_with(heist_pool *pool)
{
    for (heist_schedule how = HEIST_SCHEDULE_DEFAULT; how <= HEIST_SCHEDULE_AUTO; how++) {
        HEIST__ATOMIC(int64_t) sum;
        heist__store_relaxed(&sum, 0); /* relaxed: the loop publishes it */
        heist_loop_options options = HEIST_LOOP_OPTIONS_INIT;
        options.schedule = how;
        DEMAND(heist_for(pool, heist_upto(20000), add_up, &sum, &options) == 0, "a loop was refused");
        DEMAND(heist__load_acquire(&sum) == 199990000, "a loop left something out, or did it twice");
    }
    return NULL;
}

/* ---- work that goes on beside the test ---- */

typedef struct {
    heist_pool *pool;
    pthread_t thread;
    const char *trouble;                   /* of the thread's rounds, when it has ended */
    HEIST__ATOMIC(unsigned) rounds;        /* that came right. Written by: the thread. */
    HEIST__ATOMIC(unsigned) enough, ended; /* Written by: the test; the thread. */
} busy;

static inline void *go_on(void *argument)
{
    busy *b = argument;
    while (!b->trouble && !heist__load_acquire(&b->enough)) {
        b->trouble = trouble_with(b->pool);
        if (!b->trouble) b->trouble = loop_trouble_with(b->pool);
        heist__add_acq_rel(&b->rounds, 1);
    }
    heist__store_release(&b->ended, 1);
    return NULL;
}

/* Returns when the work has come so much further, or has ended with trouble. */
static inline void await_rounds(busy *b, unsigned more)
{
    unsigned until = heist__load_acquire(&b->rounds) + more;
    while (heist__load_acquire(&b->rounds) < until && !heist__load_acquire(&b->ended)) sleep_us(200);
}

static inline const char *busy_begin(busy *b, const heist_options *options)
{
    *b = (busy){.pool = heist_pool_new(options)};
    DEMAND(b->pool, heist_explain());
    DEMAND(pthread_create(&b->thread, NULL, go_on, b) == 0, "no thread");
    await_rounds(b, 2);
    return NULL;
}

static inline const char *busy_end(busy *b)
{
    heist__store_release(&b->enough, 1);
    pthread_join(b->thread, NULL);
    DEMAND(!b->trouble, b->trouble);
    DEMAND(heist_pool_free(b->pool) == 0, "not freed");
    return NULL;
}

/* ---- threads ---- */

static inline void *do_nothing(void *argument)
{
    return argument;
}

/* Before any counting: with a program's first thread comes one of ThreadSanitizer's own, which stays. */
static inline void settle_threads(void)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, do_nothing, NULL) == 0) pthread_join(thread, NULL);
}

static inline unsigned threads_now(void)
{
    unsigned count = 0;
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) return 0;
    for (struct dirent *entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
    closedir(tasks);
    return count;
}

/* A joined thread may be listed a moment longer. */
static inline bool threads_become(unsigned count)
{
    for (int i = 0; i < 2000 && threads_now() != count; i++) sleep_us(1000);
    return threads_now() == count;
}

/* Gives every thread of `process` this mask. Returns how many took it. */
static inline int narrow(pid_t process, const cpu_set_t *mask)
{
    char path[40];
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *tasks = opendir(path);
    int taken = 0;
    if (!tasks) return 0;
    for (struct dirent *entry; (entry = readdir(tasks));) {
        pid_t thread = (pid_t)atoi(entry->d_name);
        if (thread > 0) taken += sched_setaffinity(thread, sizeof *mask, mask) == 0;
    }
    closedir(tasks);
    return taken;
}

/* ---- children ---- */

#define CHILD_PATIENCE_S 20u

typedef struct {
    int status;         /* as of waitpid */
    char sentence[200]; /* the mistake that the child found; "": none */
} child_end;

/* Runs `scenario` in a child process; it returns NULL or a sentence about its mistake. */
static inline child_end in_child(const char *(*scenario)(const void *), const void *argument)
{
    child_end end = {0, ""};
    int channel[2];
    TEST_ASSERT_EQUAL_INT(0, pipe(channel));
    fflush(NULL);
    pid_t child = fork_quietly();
    TEST_ASSERT_TRUE(child >= 0);
    if (child == 0) {
        watchdog_of_child(CHILD_PATIENCE_S);
        const char *sentence = scenario(argument);
        ssize_t told = sentence ? write(channel[1], sentence, strlen(sentence)) : 0;
        _exit(sentence ? (told > 0 ? 1 : 2) : 0);
    }
    close(channel[1]);
    ssize_t length = read(channel[0], end.sentence, sizeof end.sentence - 1);
    end.sentence[length > 0 ? length : 0] = '\0';
    close(channel[0]);
    while (waitpid(child, &end.status, 0) < 0) TEST_ASSERT_EQUAL_INT(EINTR, errno);
    return end;
}

static inline void child_succeeds(const char *(*scenario)(const void *), const void *argument, const char *what)
{
    child_end end = in_child(scenario, argument);
    char message[320];
    snprintf(message, sizeof message, "%s: status %#x: %s", what, (unsigned)end.status, end.sentence);
    TEST_ASSERT_TRUE_MESSAGE(WIFEXITED(end.status) && WEXITSTATUS(end.status) == 0, message);
}

#endif
