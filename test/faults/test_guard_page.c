/* Recursion without end in a task: it dies at the guard page below the worker's stack, and does not write into what
 * lies beyond. Each death is a child's. */
#include <pthread.h>
#include <sys/resource.h>

#include "fault_support.h"

#define STACK ((size_t)256 << 10)

void setUp(void)
{
    watchdog(PATIENCE_S);
}

void tearDown(void)
{
    alarm(0);
}

/* Each call has a kilobyte, and something to do after the next: no tail call. */
static __attribute__((noinline)) unsigned sink(size_t calls)
{
    volatile char ballast[1024];
    __asm__ volatile("" : : "r"(ballast) : "memory"); /* else a compiler keeps only the bytes in use */
    ballast[0] = (char)calls;
    ballast[sizeof ballast - 1] = (char)(calls >> 8);
    unsigned below = calls ? sink(calls - 1) : 0;
    return below + (unsigned char)ballast[0] + (unsigned char)ballast[sizeof ballast - 1];
}

static void recurse(void *calls)
{
    if (sink(*(const size_t *)calls) == 1) abort(); /* not reached: to use the result */
}

HEIST_TASK(unsigned, recurse_as_typed_task, size_t, calls)
{
    if (calls == 0) return 0;
    HEIST_SPAWN(child, recurse_as_typed_task, calls - 1);
    return HEIST_SYNC(child) + 1;
}

static heist_pool *small_pool(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2; /* the stacks are neighbours: without a guard page one runs into the other */
    options.stack_size = STACK;
    return heist_pool_new(&options);
}

/* A sanitizer would make an exit of it; and nobody wants a core of each. */
static void die_plainly(void)
{
    struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGSEGV, SIG_DFL);
    signal(SIGBUS, SIG_DFL);
}

static const char *run_to_depth(const void *calls)
{
    heist_pool *pool = small_pool();
    DEMAND(pool, heist_explain());
    die_plainly();
    DEMAND(heist_run(pool, recurse, (void *)(uintptr_t)calls) == 0, "not run");
    return NULL;
}

static const char *run_typed_to_depth(const void *calls)
{
    heist_pool *pool = small_pool();
    DEMAND(pool, heist_explain());
    die_plainly();
    DEMAND(HEIST_RUN(pool, recurse_as_typed_task, *(const size_t *)calls) == *(const size_t *)calls, "wrong");
    return NULL;
}

static void dies_by_segv(const char *(*scenario)(const void *), size_t calls)
{
    child_end end = in_child(scenario, &calls);
    TEST_ASSERT_TRUE_MESSAGE(WIFSIGNALED(end.status), end.sentence[0] ? end.sentence : "it came back");
    TEST_ASSERT_EQUAL_INT(SIGSEGV, WTERMSIG(end.status));
}

static void recursion_without_end_dies_by_segv(void)
{
    dies_by_segv(run_to_depth, SIZE_MAX);
}

/* Half as deep again as the stack is: where there is nothing to stop it, it would come back. */
static void recursion_just_too_deep_dies_by_segv(void)
{
    dies_by_segv(run_to_depth, STACK / 1024 * 3 / 2);
}

static void spawning_without_end_dies_by_segv(void)
{
    dies_by_segv(run_typed_to_depth, SIZE_MAX);
}

static void recursion_within_the_stack_comes_back(void)
{
    size_t calls = STACK / 1024 / (SANITIZED ? 4 : 2);
    child_succeeds(run_to_depth, &calls, "half the stack");
}

/* ---- where it dies ---- */

static char *stack_low;
static size_t guard_size;
static char handler_stack[64 << 10];

/* A page that is there but may not be touched is a guard page; one that is not there is an accident. */
static void look_where(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    char *at = info->si_addr;
    bool in_guard = at < stack_low && at >= stack_low - guard_size;
    _exit(in_guard ? (info->si_code == SEGV_ACCERR ? 40 : 41) : 42);
}

static void recurse_and_look(void *calls)
{
    pthread_attr_t attributes;
    void *low = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) _exit(50);
    pthread_attr_getstack(&attributes, &low, &size);
    pthread_attr_getguardsize(&attributes, &guard_size);
    pthread_attr_destroy(&attributes);
    stack_low = low;
    stack_t alternative = {.ss_sp = handler_stack, .ss_size = sizeof handler_stack};
    struct sigaction action = {.sa_sigaction = look_where, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (sigaltstack(&alternative, NULL) != 0 || sigaction(SIGSEGV, &action, NULL) != 0) _exit(51);
    recurse(calls);
}

static const char *run_and_look(const void *calls)
{
    heist_pool *pool = small_pool();
    DEMAND(pool, heist_explain());
    /* Submitted, not run: a run would be on the caller's thread, with a stack that pthreads knows nothing of. */
    DEMAND(heist_submit(pool, recurse_and_look, (void *)(uintptr_t)calls, HEIST_WAIT) == 0, "not submitted");
    DEMAND(heist_pool_wait(pool) == 0, "not waited for");
    return "it came back";
}

static void it_dies_in_the_page_below_its_stack(void)
{
    if (THREAD_SANITIZED) TEST_IGNORE_MESSAGE("ThreadSanitizer has stacks and signals of its own");
    size_t calls = SIZE_MAX;
    child_end end = in_child(run_and_look, &calls);
    TEST_ASSERT_TRUE_MESSAGE(WIFEXITED(end.status), "it died elsewhere");
    TEST_ASSERT_EQUAL_INT_MESSAGE(40, WEXITSTATUS(end.status), "41: no guard page, 42: not below the stack");
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(recursion_without_end_dies_by_segv);
    RUN_TEST(recursion_just_too_deep_dies_by_segv);
    RUN_TEST(spawning_without_end_dies_by_segv);
    RUN_TEST(recursion_within_the_stack_comes_back);
    RUN_TEST(it_dies_in_the_page_below_its_stack);
    return UNITY_END();
}
