/* A kernel that refuses: in a child process a seccomp filter answers a system call with an error. The pool goes on with
 * less, says so where it matters, and every result is right.
 *
 * libc's own use of futex is spared: its mutexes end the program when that is refused, whatever heist does. The filter
 * tells by the address: heist goes through syscall(), libc does not. */
#include <dlfcn.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "fault_support.h"
#include "platform/futex.h"
#include "schedule/pool.h"

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
}

/* ---- the filter ---- */

#if defined(__x86_64__)
#define THIS_MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define THIS_MACHINE AUDIT_ARCH_AARCH64
#endif

typedef enum { FROM_ANYWHERE, FROM_HEIST } whose;

typedef struct {
    long number; /* the system call */
    int error;
    whose from;
} refusal;

#define LOAD(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, field)))
#define LOAD_HIGH(field) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(offsetof(struct seccomp_data, field) + 4))

/* How long libc's syscall() can be: a few moves and a return. */
#define SYSCALL_BYTES 64u

/* From now on, for every thread: 0, or -1 where the system has no such filters. */
static int install(const refusal *r)
{
#ifdef THIS_MACHINE
    uint64_t from = 0, to = UINT32_MAX;
    if (r->from == FROM_HEIST) {
        from = (uint64_t)(uintptr_t)dlsym(RTLD_DEFAULT, "syscall");
        to = from + SYSCALL_BYTES;
        if (!from || from >> 32 != to >> 32) return -1;
    }
    uint8_t anywhere = r->from == FROM_ANYWHERE;
    /* Both jumps count the instructions to pass over. */
    struct sock_filter program[] = {
        LOAD(arch),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_MACHINE, 0, 8),
        LOAD(nr),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)r->number, 0, 6),
        LOAD_HIGH(instruction_pointer),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(from >> 32), 0, (uint8_t)(anywhere ? 0 : 4)),
        LOAD(instruction_pointer),
        BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, (uint32_t)from, 0, (uint8_t)(anywhere ? 0 : 2)),
        BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, (uint32_t)to, (uint8_t)(anywhere ? 0 : 1), 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ((uint32_t)r->error & SECCOMP_RET_DATA)),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof program / sizeof *program, program};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &filter) == 0 ? 0 : -1;
#else
    (void)r;
    return -1;
#endif
}

/* Filters add up: each refusal is one more. */
static const char *install_all(const refusal *refusals)
{
    for (; refusals->error; refusals++) DEMAND(install(refusals) == 0, "no filter");
    return NULL;
}

static const char *install_only(const void *argument)
{
    return install(argument) == 0 ? NULL : "no";
}

static const int errors[] = {EPERM, ENOSYS};
#define FOR_BOTH_ERRORS(e) for (const int *e = errors; e < errors + 2; e++)

static void with_seccomp(void)
{
    refusal r = {SYS_membarrier, EPERM, FROM_ANYWHERE};
    if (in_child(install_only, &r).status != 0) TEST_IGNORE_MESSAGE("the system allows no seccomp filter here");
}

/* ---- what a child does ---- */

typedef struct {
    refusal refusal;
    heist_options options;
    const char *note; /* must be there; NULL: there must be none; "": whatever */
} scenario;

static const char *notes_are_as_wanted(heist_pool *pool, const char *wanted)
{
    const char *notes = heist_pool_notes(pool);
    if (!wanted)
        DEMAND(strcmp(notes, USUAL_NOTES) == 0, notes);
    else
        DEMAND(strstr(notes, wanted), "the note is missing");
    return NULL;
}

static const char *many_rounds(heist_pool *pool)
{
    const char *trouble = NULL;
    for (int i = 0; i < test_scale(SANITIZED ? 5 : 10) && !trouble; i++) {
        trouble = trouble_with(pool);
        if (i % 5 == 4) sleep_us(3000); /* let them fall asleep */
    }
    return trouble;
}

static const char *make_and_use(const void *argument)
{
    const scenario *s = argument;
    DEMAND(install(&s->refusal) == 0, "no filter");
    heist_pool *pool = heist_pool_new(&s->options);
    DEMAND(pool, heist_explain());
    const char *trouble = notes_are_as_wanted(pool, s->note);
    if (!trouble) trouble = many_rounds(pool);
    DEMAND(!trouble, trouble);
    DEMAND(heist_pool_free(pool) == 0, "not freed");
    return NULL;
}

static const char *make_in_vain(const void *argument)
{
    const scenario *s = argument;
    DEMAND(install(&s->refusal) == 0, "no filter");
    settle_threads();
    unsigned threads = threads_now();
    heist_pool *pool = heist_pool_new(&s->options);
    DEMAND(!pool, "a strict pool does without");
    DEMAND(errno == (s->refusal.number == SYS_membarrier ? ENOTSUP : s->refusal.error), "another errno");
    DEMAND(strstr(heist_explain(), s->note), heist_explain());
    DEMAND(threads_become(threads), "a thread is left");
    return NULL;
}

static heist_options some_workers(unsigned workers)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = workers;
    options.stack_size = (size_t)1 << 20;
    return options;
}

/* ---- membarrier ---- */

static void without_membarrier_both_sides_have_fences(void)
{
    with_seccomp();
    FOR_BOTH_ERRORS(error)
    {
        scenario s = {{SYS_membarrier, *error, FROM_ANYWHERE}, some_workers(3), "the kernel refuses membarrier"};
        child_succeeds(make_and_use, &s, "by default");
        s.options.fences = HEIST_FENCES_THIEF;
        child_succeeds(make_and_use, &s, "asked for the thief's");
        s.options.fences = HEIST_FENCES_BOTH;
        s.options.strict = true;
        s.note = NULL;
        child_succeeds(make_and_use, &s, "asked for both");
    }
}

static void a_strict_pool_insists_on_membarrier(void)
{
    with_seccomp();
    FOR_BOTH_ERRORS(error)
    {
        scenario s = {{SYS_membarrier, *error, FROM_ANYWHERE}, some_workers(2), "membarrier"};
        s.options.fences = HEIST_FENCES_THIEF;
        s.options.strict = true;
        child_succeeds(make_in_vain, &s, "strict");
    }
}

/* Without the barrier a worker cannot know that there is no work for it: it must not sleep. Those that sleep already
 * may wake once. */
static const char *nobody_falls_asleep(heist_pool *pool)
{
    heist_stats before = {.size = sizeof before}, after = {.size = sizeof after};
    DEMAND(heist_stats_read(pool, &before) == 0, "no statistics");
    for (int i = 0; i < 10; i++) {
        DEMAND(heist_run(pool, mark, NULL) == 0, "a run was refused");
        sleep_us(3000);
    }
    DEMAND(heist_stats_read(pool, &after) == 0, "no statistics");
    DEMAND(after.parks <= before.parks + heist_pool_workers(pool), "workers sleep on a barrier that was refused");
    return NULL;
}

/* A program may give up rights when it has its pools. */
static const char *use_then_refuse(const void *argument)
{
    const scenario *s = argument;
    heist_pool *pool = heist_pool_new(&s->options);
    DEMAND(pool, heist_explain());
    const char *trouble = trouble_with(pool);
    DEMAND(!trouble, trouble);
    DEMAND(install(&s->refusal) == 0, "no filter");
    trouble = nobody_falls_asleep(pool);
    if (!trouble) trouble = many_rounds(pool);
    DEMAND(!trouble, trouble);
    DEMAND(heist_pool_free(pool) == 0, "not freed");
    return NULL;
}

static void membarrier_may_be_lost_while_a_pool_lives(void)
{
    with_seccomp();
    FOR_BOTH_ERRORS(error)
    {
        scenario s = {{SYS_membarrier, *error, FROM_ANYWHERE}, some_workers(3), ""};
        child_succeeds(use_then_refuse, &s, "membarrier lost");
    }
}

/* ---- where workers run ---- */

static const heist_bind ways_to_bind[] = {HEIST_BIND_CORE, HEIST_BIND_COMPACT, HEIST_BIND_SPREAD, HEIST_BIND_NODE};

static void a_refused_binding_is_a_note(void)
{
    with_seccomp();
    FOR_BOTH_ERRORS(error)
    {
        for (size_t i = 0; i < sizeof ways_to_bind / sizeof *ways_to_bind; i++) {
            scenario s = {{SYS_sched_setaffinity, *error, FROM_ANYWHERE}, some_workers(2), "worker 1 runs unbound"};
            s.options.bind = ways_to_bind[i];
            child_succeeds(make_and_use, &s, "binding");
        }
    }
    scenario s = {{SYS_sched_setaffinity, EPERM, FROM_ANYWHERE}, some_workers(2), NULL};
    child_succeeds(make_and_use, &s, "no binding wanted");
}

static void a_refused_binding_is_an_error_to_a_strict_pool(void)
{
    with_seccomp();
    FOR_BOTH_ERRORS(error)
    {
        scenario s = {{SYS_sched_setaffinity, *error, FROM_ANYWHERE}, some_workers(2), "could not be bound"};
        s.options.bind = HEIST_BIND_CORE;
        s.options.strict = true;
        child_succeeds(make_in_vain, &s, "strict binding");
    }
}

static const char *make_with_more_notes_than_room(const void *argument)
{
    const scenario *s = argument;
    DEMAND(install(&s->refusal) == 0, "no filter");
    heist_pool *pool = heist_pool_new(&s->options);
    DEMAND(pool, heist_explain());
    const char *notes = heist_pool_notes(pool);
    DEMAND(memchr(notes, '\0', HEIST__NOTES_SIZE), "the notes have no end");
    DEMAND(strstr(notes, "worker 0 runs unbound"), "the first note is missing");
    DEMAND(heist_pool_free(pool) == 0, "not freed");
    return NULL;
}

static void more_notes_than_there_is_room_for_are_cut_off(void)
{
    with_seccomp();
    scenario s = {{SYS_sched_setaffinity, EPERM, FROM_ANYWHERE}, some_workers(80), ""};
    s.options.bind = HEIST_BIND_CORE;
    child_succeeds(make_with_more_notes_than_room, &s, "80 workers");
}

static void the_affinity_mask_may_be_unreadable(void)
{
    if (SANITIZED) TEST_IGNORE_MESSAGE("a sanitizer reads the mask itself, and ends the program if it cannot");
    with_seccomp();
    FOR_BOTH_ERRORS(error)
    {
        scenario s = {{SYS_sched_getaffinity, *error, FROM_ANYWHERE}, some_workers(2), "affinity mask"};
        child_succeeds(make_and_use, &s, "sched_getaffinity");
        s.options.workers = 0;
        child_succeeds(make_and_use, &s, "sched_getaffinity and no number of workers");
    }
}

#if HEIST_HAVE_HWLOC
/* hwloc is told that this machine has two nodes; else there is no call to refuse. */
static const char *make_and_use_on_two_nodes(const void *argument)
{
    setenv("HWLOC_SYNTHETIC", "pack:2 [numa] core:1 pu:1", 1);
    setenv("HWLOC_THISSYSTEM", "1", 1);
    return make_and_use(argument);
}
#endif

static void memory_that_may_be_elsewhere_is_a_note(void)
{
#if HEIST_HAVE_HWLOC
    with_seccomp();
    FOR_BOTH_ERRORS(error)
    {
        scenario s = {{SYS_mbind, *error, FROM_ANYWHERE}, some_workers(2), "its memory may be on another node"};
        child_succeeds(make_and_use_on_two_nodes, &s, "mbind");
    }
#else
    TEST_IGNORE_MESSAGE("needs hwloc");
#endif
}

/* ---- sleeping ---- */

/* How many CPUs the process keeps busy while it has nothing to do. */
static double cpus_in_use(void)
{
    double cpu = clock_ms(CLOCK_PROCESS_CPUTIME_ID), wall = clock_ms(CLOCK_MONOTONIC);
    sleep_us(300000);
    return (clock_ms(CLOCK_PROCESS_CPUTIME_ID) - cpu) / (clock_ms(CLOCK_MONOTONIC) - wall);
}

static const char *futex_from_heist_is_refused(const void *argument)
{
    DEMAND(install(argument) == 0, "no filter");
    uint32_t word = 0;
    errno = 0;
    DEMAND(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) < 0 &&
               errno == ((const refusal *)argument)->error,
           "the filter does not work");
    return NULL;
}

static void without_futex_everything_is_right_if_slower(void)
{
    with_seccomp();
    FOR_BOTH_ERRORS(error)
    {
        scenario s = {{SYS_futex, *error, FROM_HEIST}, some_workers(3), "the kernel refuses futex"};
        child_succeeds(futex_from_heist_is_refused, &s.refusal, "the filter itself");
        child_succeeds(make_and_use, &s, "futex");
        s.options.fences = HEIST_FENCES_BOTH;
        child_succeeds(make_and_use, &s, "futex, fences on both sides");
        s.options.inbox = 2; /* submitters have to wait for room */
        child_succeeds(make_and_use, &s, "futex, a small inbox");
    }
}

/* Two workers that searched without end would be busy all the time that other processes leave them. */
#define AT_REST 0.4

typedef struct {
    const refusal *before, *after; /* the pool is made */
    bool may_spin;                 /* nothing is left to sleep with */
} at_rest;

static const char *rest(const void *argument)
{
    const at_rest *a = argument;
    heist_options options = some_workers(2);
    const char *trouble = a->before ? install_all(a->before) : NULL;
    heist_pool *pool = heist_pool_new(&options);
    DEMAND(pool, heist_explain());
    if (!trouble) trouble = trouble_with(pool);
    sleep_us(20000); /* they fall asleep */
    if (!trouble && a->after) trouble = install_all(a->after);
    if (!trouble) trouble = trouble_with(pool);
    DEMAND(!trouble, trouble);
    if (!a->may_spin) DEMAND(cpus_in_use() < AT_REST, "a pool without work keeps CPUs busy");
    trouble = trouble_with(pool);
    DEMAND(!trouble, trouble);
    DEMAND(heist_pool_free(pool) == 0, "not freed");
    return NULL;
}

static const refusal no_futex[] = {{SYS_futex, EPERM, FROM_HEIST}, {0}};
static const refusal no_membarrier[] = {{SYS_membarrier, EPERM, FROM_ANYWHERE}, {0}};
static const refusal no_futex_nor_clock_sleep[] = {
    {SYS_futex, ENOSYS, FROM_HEIST}, {SYS_clock_nanosleep, EPERM, FROM_HEIST}, {0}};
static const refusal no_sleep_at_all[] = {
    {SYS_futex, EPERM, FROM_HEIST}, {SYS_clock_nanosleep, EPERM, FROM_HEIST}, {SYS_ppoll, ENOSYS, FROM_HEIST}, {0}};

static void a_worker_that_cannot_be_woken_sleeps_by_the_clock(void)
{
    with_seccomp();
    child_succeeds(rest, &(at_rest){0}, "nothing refused");
    child_succeeds(rest, &(at_rest){.before = no_futex}, "futex");
    child_succeeds(rest, &(at_rest){.before = no_futex_nor_clock_sleep}, "futex and clock_nanosleep");
    child_succeeds(rest, &(at_rest){.after = no_membarrier}, "membarrier, later");
    child_succeeds(rest, &(at_rest){.before = no_sleep_at_all, .may_spin = true}, "every way to sleep");
}

/* ---- lost while tasks run ---- */

static const char *lose_in_the_middle(const void *argument)
{
    busy b;
    heist_options options = some_workers(3);
    const char *trouble = busy_begin(&b, &options);
    DEMAND(!trouble, trouble);
    trouble = install_all(argument); /* with TSYNC: for the threads that run, too */
    if (!trouble) await_rounds(&b, test_scale(10u));
    const char *later = busy_end(&b);
    return trouble ? trouble : later;
}

static void rights_may_be_lost_while_tasks_run(void)
{
    with_seccomp();
    static const struct {
        long number;
        const char *name;
    } calls[] = {{SYS_membarrier, "membarrier"},
                 {SYS_sched_setaffinity, "sched_setaffinity"},
                 {SYS_sched_yield, "sched_yield"},
                 {SYS_mbind, "mbind"},
                 {SYS_clock_gettime, "clock_gettime"},
                 {SYS_clock_nanosleep, "clock_nanosleep"},
                 {SYS_madvise, "madvise"}};
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        whose from = calls[i].number == SYS_clock_nanosleep ? FROM_HEIST : FROM_ANYWHERE; /* this test sleeps, too */
        refusal all[] = {{calls[i].number, errors[i % 2], from}, {0}};
        child_succeeds(lose_in_the_middle, all, calls[i].name);
    }
}

/* A thread that sleeps when futex is lost cannot be woken: it must wake by itself, here soon. */
static void sleepers_wake_by_themselves_when_futex_is_lost(void)
{
    with_seccomp();
    int64_t usual = heist__futex_longest_ns;
    heist__futex_longest_ns = 300000000; /* for the children, which are forked from here */
    child_succeeds(rest, &(at_rest){.after = no_futex}, "asleep");
    child_succeeds(lose_in_the_middle, no_futex, "in the middle");
    heist__futex_longest_ns = usual;
}

/* ---- the clock ---- */

static HEIST__ATOMIC(unsigned) clock_is_refused; /* Written by: the test. Read by: threads that ask for the time. */

int __real_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t);
int __wrap_clock_gettime(clockid_t clock, struct timespec *t)
{
    if (!heist__load_acquire(&clock_is_refused)) return __real_clock_gettime(clock, t);
    errno = EPERM;
    return -1;
}

static HEIST__ATOMIC(unsigned) may_end;

static void hold_the_worker(void *unused)
{
    (void)unused;
    while (!heist__load_acquire(&may_end)) sleep_us(100);
}

/* Usually the clock is read without the kernel, and cannot be refused; where it can, libc's function says so. */
static void without_a_clock_patience_ends_and_loops_are_right(void)
{
    heist_options options = some_workers(1);
    options.inbox = 2;
    heist_pool *pool = heist_pool_new(&options);
    TEST_ASSERT_NOT_NULL_MESSAGE(pool, heist_explain());
    heist__store_release(&may_end, 0);
    heist__store_release(&clock_is_refused, 1);
    int error = 0, accepted = -1;
    for (; !error && accepted < 10; accepted++) error = heist_submit(pool, hold_the_worker, NULL, 20);
    heist__store_release(&may_end, 1);
    int waited = heist_pool_wait(pool);
    const char *trouble = loop_trouble_with(pool);
    heist__store_release(&clock_is_refused, 0);
    TEST_ASSERT_EQUAL_INT(-ETIMEDOUT, error);
    TEST_ASSERT_TRUE(accepted >= 2 && accepted < 10);
    TEST_ASSERT_EQUAL_INT(0, waited);
    TEST_ASSERT_NULL_MESSAGE(trouble, trouble);
    free_pool(pool);
}

static void madvise_may_be_refused_in_silence(void)
{
    with_seccomp();
    FOR_BOTH_ERRORS(error)
    {
        scenario s = {{SYS_madvise, *error, FROM_ANYWHERE}, some_workers(2), NULL};
        child_succeeds(make_and_use, &s, "madvise");
    }
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(without_membarrier_both_sides_have_fences);
    RUN_TEST(a_strict_pool_insists_on_membarrier);
    RUN_TEST(membarrier_may_be_lost_while_a_pool_lives);
    RUN_TEST(a_refused_binding_is_a_note);
    RUN_TEST(a_refused_binding_is_an_error_to_a_strict_pool);
    RUN_TEST(more_notes_than_there_is_room_for_are_cut_off);
    RUN_TEST(the_affinity_mask_may_be_unreadable);
    RUN_TEST(memory_that_may_be_elsewhere_is_a_note);
    RUN_TEST(without_futex_everything_is_right_if_slower);
    RUN_TEST(a_worker_that_cannot_be_woken_sleeps_by_the_clock);
    RUN_TEST(rights_may_be_lost_while_tasks_run);
    RUN_TEST(sleepers_wake_by_themselves_when_futex_is_lost);
    RUN_TEST(without_a_clock_patience_ends_and_loops_are_right);
    RUN_TEST(madvise_may_be_refused_in_silence);
    return UNITY_END();
}
