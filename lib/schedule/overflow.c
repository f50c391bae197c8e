/* A stack that overflows meets its guard page. The handler here says so, names the task and HEIST_STACK, and lets the
 * process end as it would have ended without: it puts the default action back and returns, the instruction faults
 * again, and a core shows the place.
 *
 * The program's own handling comes first. The handler is installed only where SIGSEGV has the default action, and not
 * in a program with other rights than its caller's. A handler that the program installs later replaces this one. A
 * thread that has an alternate stack keeps it. Any other fault passes through without a word. */
#include "schedule/overflow.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include "platform/rights.h"
#include "platform/symbol_name.h"
#include "schedule/nesting.h"
#include "schedule/pool.h"
#include "schedule/worker.h"

/* The handler reads a file's symbols: paths and lines lie on this stack, beside the kernel's frame. */
#define HANDLER_STACK ((size_t)64 << 10)

/* A frame may be larger than the guard page: a fault this near below a stack is taken for its overflow. Anything that
 * is mapped there would not have faulted. */
#define NEAR ((uintptr_t)64 << 10)

/* The longest wait for the sentence of another thread. */
#define PATIENCE_MS 5000

/* Whether the handler was installed. Written by: the first pool's maker. Read by: threads that run tasks. */
static HEIST__ATOMIC(int) installed;

/* ---- the sentence ---- */

/* Text is put together by hand: printf is not for signal handlers. */
typedef struct {
    char text[512];
    size_t used;
} sentence;

static void say(sentence *s, const char *words)
{
    while (*words && s->used < sizeof s->text - 1) s->text[s->used++] = *words++;
}

static void say_number(sentence *s, uintptr_t number, unsigned base)
{
    char digits[24];
    unsigned i = sizeof digits - 1;
    digits[i] = '\0';
    do digits[--i] = "0123456789abcdef"[number % base];
    while ((number /= base) > 0);
    say(s, digits + i);
}

static void say_function(sentence *s, uintptr_t code)
{
    char name[128];
    const char *shown = name;
    if (!heist__symbol_name(code, name, sizeof name)) {
        say(s, "0x");
        say_number(s, code, 16);
        return;
    }
    /* The words that task.h puts in front of a task's name; in C++ the mangled name has them inside. */
    static const char *const made[] = {"heist__gen_exec_", "heist__gen_body_", "heist__gen_task_"};
    for (unsigned i = 0; i < sizeof made / sizeof *made; i++) {
        const char *at = strstr(name, made[i]);
        if (at) shown = at + strlen(made[i]);
    }
    say(s, shown);
}

/* Where the thread was when it faulted; 0: not known on this processor. */
static uintptr_t program_counter(const void *context)
{
    const ucontext_t *c = context;
#if defined(__x86_64__)
    return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return (uintptr_t)c->uc_mcontext.pc;
#elif defined(__riscv)
    return (uintptr_t)c->uc_mcontext.__gregs[REG_PC];
#else
    (void)c;
    return 0;
#endif
}

static void tell(heist__worker *w, size_t size, bool lent, uintptr_t at)
{
    sentence s = {.used = 0};
    const uint32_t depth = heist__load_relaxed(&w->depth); /* relaxed: own */
    say(&s, "heist: stack overflow in task ");
    say_function(&s, depth ? heist__load_relaxed(&w->nestings[depth - 1].code) : at); /* relaxed: own */
    if (at) {
        say(&s, ", function ");
        say_function(&s, at);
    }
    say(&s, lent ? ", in a run of the calling thread on worker " : ", on worker ");
    say_number(&s, w->index, 10);
    say(&s, " of pool ");
    say(&s, w->pool->settings.name);
    say(&s, ": its stack has ");
    say_number(&s, size >> 10, 10);
    say(&s, "K. HEIST_STACK=");
    say_number(&s, size >> 9, 10);
    say(&s, "K doubles it, unless the recursion has no end\n");
    if (write(STDERR_FILENO, s.text, s.used) < 0) return;
}

/* ---- the handler ---- */

static bool just_below(uintptr_t address, const char *stack)
{
    return stack && address < (uintptr_t)stack && (uintptr_t)stack - address <= NEAR;
}

/* Says the sentence once. A recursion without end is usually the same on all workers, and their stacks overflow
 * together: the others wait until the first has spoken, since the first of all to return ends the process. The wait is
 * bounded: the first may be held up at stderr, or be the parent's. */
static void tell_once(heist__worker *w, bool lent, const void *context)
{
    enum { NOT_YET, SPEAKS, HAS_SPOKEN };
    /* Written by: the first thread whose stack has overflowed (CAS, then store). Read by: the others. */
    static HEIST__ATOMIC(int) told;
    int before = NOT_YET;
    if (heist__cas_relaxed(&told, &before, SPEAKS)) { /* relaxed: only the first may speak */
        tell(w, lent ? w->guest_size : w->stack_size, lent, program_counter(context));
        heist__store_relaxed(&told, HAS_SPOKEN); /* relaxed: the system has the sentence; nothing else is read */
    }
    /* relaxed: as above */
    for (int ms = 0; ms < PATIENCE_MS && heist__load_relaxed(&told) == SPEAKS; ms++) poll(NULL, 0, 1);
}

static void handle(int number, siginfo_t *info, void *context)
{
    heist__worker *w = heist__self();
    const uintptr_t address = (uintptr_t)info->si_addr;
    const bool fault = info->si_code > 0; /* else another process, or raise, has sent it */
    if (fault && w && w->pool) {
        const bool lent = just_below(address, w->guest_stack);
        if (lent || just_below(address, w->stack)) tell_once(w, lent, context);
    }
    struct sigaction usual = {.sa_handler = SIG_DFL};
    sigaction(number, &usual, NULL);
    if (!fault) raise(number); /* it is pending until this returns */
}

/* Sanitizers have a handler of their own, and may hide it. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED false
#endif

static void install(void)
{
    struct sigaction now, ours = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    if (!SANITIZED && !heist__has_other_rights() && sigaction(SIGSEGV, NULL, &now) == 0 &&
        !(now.sa_flags & SA_SIGINFO) && now.sa_handler == SIG_DFL && sigaction(SIGSEGV, &ours, NULL) == 0)
        heist__store_relaxed(&installed, 1); /* relaxed: nothing is read on the strength of it */
}

/* Not a lock: a fork() might find it taken. */
void heist__overflow_install(void)
{
    static pthread_once_t tried = PTHREAD_ONCE_INIT;
    pthread_once(&tried, install);
}

/* A library that is unloaded leaves no handler behind. */
__attribute__((destructor)) static void uninstall(void)
{
    struct sigaction now, usual = {.sa_handler = SIG_DFL};
    if (sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_flags & SA_SIGINFO && now.sa_sigaction == handle)
        sigaction(SIGSEGV, &usual, NULL);
}

/* ---- a stack for each thread ---- */

#ifdef __GLIBC__
__attribute__((tls_model("initial-exec"))) /* as in worker.c */
#endif
_Thread_local int heist__overflow_prepared;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t of_thread;
static bool has_key;

/* The thread ends. */
static void give_back(void *stack)
{
    stack_t now, none = {.ss_flags = SS_DISABLE};
    if (sigaltstack(NULL, &now) == 0 && now.ss_sp == stack) sigaltstack(&none, NULL);
    munmap(stack, HANDLER_STACK);
    heist__overflow_prepared = 0;
}

static void make_key(void)
{
    has_key = pthread_key_create(&of_thread, give_back) == 0;
}

__attribute__((destructor)) static void delete_key(void)
{
    if (has_key) pthread_key_delete(of_thread);
}

/* Without memory the thread's overflow ends without a sentence. */
void heist__overflow_prepare_slow(void)
{
    heist__overflow_prepared = 1;
    stack_t now;
    if (!heist__load_relaxed(&installed)) return; /* relaxed: seen late, a sentence is lost */
    if (sigaltstack(NULL, &now) != 0 || !(now.ss_flags & SS_DISABLE)) return;
    pthread_once(&once, make_key);
    if (!has_key) return;
    void *stack = mmap(NULL, HANDLER_STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (stack == MAP_FAILED) return;
    const stack_t alternate = {.ss_sp = stack, .ss_size = HANDLER_STACK};
    if (pthread_setspecific(of_thread, stack) != 0 || sigaltstack(&alternate, NULL) != 0) {
        pthread_setspecific(of_thread, NULL);
        munmap(stack, HANDLER_STACK);
    }
}

void *heist__overflow_stack(void)
{
    return has_key ? pthread_getspecific(of_thread) : NULL;
}

void heist__overflow_forget(void *stack)
{
    if (stack && stack != heist__overflow_stack()) munmap(stack, HANDLER_STACK);
}
