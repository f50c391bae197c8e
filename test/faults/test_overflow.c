/* A stack overflow in a task ends with a sentence and with SIGSEGV; what the program does about SIGSEGV itself stays as
 * it is. Each death is a child's. */
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "fault_support.h"
#include "platform/symbol_name.h"

#define STACK ((size_t)256 << 10)

void setUp(void)
{
    watchdog(PATIENCE_S);
    if (SANITIZED) TEST_IGNORE_MESSAGE("a sanitizer has its own handler");
}

void tearDown(void)
{
    alarm(0);
}

static __attribute__((noinline)) unsigned sink(size_t calls)
{
    volatile char ballast[1024];
    __asm__ volatile("" : : "r"(ballast) : "memory");
    ballast[0] = (char)calls;
    unsigned below = calls ? sink(calls - 1) : 0;
    return below + (unsigned char)ballast[0];
}

static void recurse(void *unused)
{
    (void)unused;
    if (sink(SIZE_MAX) == 1) abort();
}

HEIST_TASK(unsigned, climb, size_t, calls)
{
    if (calls == 0) return 0;
    HEIST_SPAWN(child, climb, calls - 1);
    return HEIST_SYNC(child) + 1;
}

static void no_such_address(void *unused)
{
    (void)unused;
    volatile int *volatile nowhere = (volatile int *)8;
    *nowhere = 1;
}

static heist_pool *small_pool(void)
{
    heist_options options = HEIST_OPTIONS_INIT;
    options.workers = 2;
    options.stack_size = STACK;
    options.name = "small";
    heist_pool *pool = heist_pool_new(&options);
    if (!pool) _exit(60);
    return pool;
}

/* What a child wrote to stderr before it ended. */
static char said[4096];

static int ends_with(void (*scenario)(void))
{
    int ends[2], status;
    TEST_ASSERT_EQUAL_INT(0, pipe(ends));
    pid_t child = fork();
    TEST_ASSERT_TRUE(child >= 0);
    if (child == 0) {
        struct rlimit none = {0, 0};
        setrlimit(RLIMIT_CORE, &none);
        signal(SIGSEGV, SIG_DFL);
        signal(SIGALRM, SIG_DFL);
        dup2(ends[1], STDERR_FILENO);
        close(ends[0]);
        alarm(PATIENCE_S);
        scenario();
        _exit(61);
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t n; (n = read(ends[0], said + used, sizeof said - 1 - used)) > 0;) used += (size_t)n;
    said[used] = '\0';
    close(ends[0]);
    TEST_ASSERT_EQUAL_INT(child, waitpid(child, &status, 0));
    return status;
}

static void dies_saying(void (*scenario)(void), const char *words)
{
    int status = ends_with(scenario);
    TEST_ASSERT_TRUE_MESSAGE(WIFSIGNALED(status), said);
    TEST_ASSERT_EQUAL_INT(SIGSEGV, WTERMSIG(status));
    if (words) {
        TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, words), said);
        TEST_ASSERT_EQUAL_PTR_MESSAGE(said + strlen(said) - 1, strchr(said, '\n'), "one line");
    } else {
        TEST_ASSERT_EQUAL_STRING("", said);
    }
}

static void run_plain(void)
{
    heist_run(small_pool(), recurse, NULL);
}

static void run_typed(void)
{
    if (HEIST_RUN(small_pool(), climb, SIZE_MAX) == 1) abort();
}

static void submit(void)
{
    heist_pool *pool = small_pool();
    heist_submit(pool, recurse, NULL, HEIST_WAIT);
    heist_pool_wait(pool);
}

static void the_task_the_function_and_the_variable_are_named(void)
{
    dies_saying(submit, "heist: stack overflow in task recurse, function sink, on worker ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "of pool small: its stack has 25"), said);
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "HEIST_STACK=5"), said);
}

static void in_a_lent_seat_too(void)
{
    dies_saying(run_plain, "heist: stack overflow in task recurse, function sink, in a run of the calling thread on ");
    TEST_ASSERT_NOT_NULL_MESSAGE(strstr(said, "256K. HEIST_STACK=512K doubles it"), said);
}

static void a_typed_task_is_named_as_its_author_names_it(void)
{
    dies_saying(run_typed, "heist: stack overflow in task climb, function ");
}

static void in_forked_child(void)
{
    heist_pool *pool = small_pool();
    pid_t child = fork();
    if (child == 0) {
        heist_submit(pool, recurse, NULL, HEIST_WAIT);
        heist_pool_wait(pool);
        _exit(62);
    }
    int status;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) raise(WTERMSIG(status));
}

static void after_fork_too(void)
{
    dies_saying(in_forked_child, "heist: stack overflow in task recurse");
}

static void fault_elsewhere(void)
{
    heist_run(small_pool(), no_such_address, NULL);
}

static void send_signal(void)
{
    heist_pool *pool = small_pool();
    (void)pool;
    kill(getpid(), SIGSEGV);
    for (;;) pause();
}

static void another_fault_and_a_sent_signal_end_the_process_without_a_word(void)
{
    dies_saying(fault_elsewhere, NULL);
    dies_saying(send_signal, NULL);
}

/* ---- several at a time ---- */

static atomic_int ready;

static void recurse_together(void *unused)
{
    atomic_fetch_add(&ready, 1);
    while (atomic_load(&ready) < 2) sched_yield();
    recurse(unused);
}

static void submit_two(void)
{
    heist_pool *pool = small_pool();
    for (int i = 0; i < 2; i++) heist_submit(pool, recurse_together, NULL, HEIST_WAIT);
    heist_pool_wait(pool);
}

/* A recursion without end is usually the same on all workers. The last of them must not end the process before the
 * first has spoken. */
static void stacks_that_overflow_together_are_told_of_once(void)
{
    for (int i = 0; i < 20; i++) dies_saying(submit_two, "heist: stack overflow in task recurse_together");
}

/* ---- the program's own handler ---- */

static char own_stack[64 << 10];

static void own_handler(int number)
{
    (void)number;
    _exit(7);
}

static void handle_it(void)
{
    struct sigaction action = {.sa_handler = own_handler, .sa_flags = SA_ONSTACK};
    sigaction(SIGSEGV, &action, NULL);
}

static void recurse_on_own_stack(void *unused)
{
    stack_t alternate = {.ss_sp = own_stack, .ss_size = sizeof own_stack};
    sigaltstack(&alternate, NULL);
    recurse(unused);
}

static void handled_before(void)
{
    handle_it();
    heist_run(small_pool(), recurse_on_own_stack, NULL);
}

static void handled_after(void)
{
    heist_pool *pool = small_pool();
    handle_it();
    heist_run(pool, recurse_on_own_stack, NULL);
}

static void a_handler_of_the_program_is_called_and_heist_is_silent(void)
{
    void (*const scenarios[])(void) = {handled_before, handled_after};
    for (int i = 0; i < 2; i++) {
        int status = ends_with(scenarios[i]);
        TEST_ASSERT_TRUE(WIFEXITED(status));
        TEST_ASSERT_EQUAL_INT(7, WEXITSTATUS(status));
        TEST_ASSERT_EQUAL_STRING("", said);
    }
}

/* ---- a thread's alternate stack ---- */

static stack_t seen;

static void nothing(void *unused)
{
    (void)unused;
}

static void *run_once(void *pool)
{
    heist_run(pool, nothing, NULL);
    sigaltstack(NULL, &seen);
    return NULL;
}

static void a_thread_that_has_run_tasks_gives_its_alternate_stack_back(void)
{
    heist_pool *pool = small_pool();
    pthread_t thread;
    TEST_ASSERT_EQUAL_INT(0, pthread_create(&thread, NULL, run_once, pool));
    pthread_join(thread, NULL);
    TEST_ASSERT_EQUAL_INT(0, seen.ss_flags & SS_DISABLE);
    unsigned char there;
    TEST_ASSERT_EQUAL_INT_MESSAGE(-1, mincore(seen.ss_sp, 1, &there), "still mapped");
    TEST_ASSERT_EQUAL_INT(ENOMEM, errno);
    free_pool(pool);
}

/* ---- names ---- */

static void names_are_those_of_the_program_also_of_static_functions(void)
{
    char name[64];
    TEST_ASSERT_TRUE(heist__symbol_name((uintptr_t)sink + 1, name, sizeof name));
    TEST_ASSERT_EQUAL_STRING("sink", name);
    TEST_ASSERT_FALSE(heist__symbol_name(16, name, sizeof name));
    TEST_ASSERT_FALSE(heist__symbol_name((uintptr_t)name, name, sizeof name));
    char little[3];
    TEST_ASSERT_TRUE(heist__symbol_name((uintptr_t)sink, little, sizeof little));
    TEST_ASSERT_EQUAL_STRING("si", little);
}

int main(void)
{
    UNITY_BEGIN();
    RUN_TEST(the_task_the_function_and_the_variable_are_named);
    RUN_TEST(in_a_lent_seat_too);
    RUN_TEST(a_typed_task_is_named_as_its_author_names_it);
    RUN_TEST(after_fork_too);
    RUN_TEST(stacks_that_overflow_together_are_told_of_once);
    RUN_TEST(another_fault_and_a_sent_signal_end_the_process_without_a_word);
    RUN_TEST(a_handler_of_the_program_is_called_and_heist_is_silent);
    RUN_TEST(a_thread_that_has_run_tasks_gives_its_alternate_stack_back);
    RUN_TEST(names_are_those_of_the_program_also_of_static_functions);
    return UNITY_END();
}
