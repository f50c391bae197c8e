/* Threads as coroutines: each runs until it wants a step that others could notice, and waits there until the explorer
 * lets it. Steps that nobody else could notice are taken at once. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "world.h"

world now;
int thread_count, self = -1;
bounds limits = {-1, -1, MESSAGES, false};
_Alignas(64) char stacks[THREADS][STACK_BYTES];

static struct {
    void (*run)(void *);
    void *argument;
} starts[THREADS];
static char *explorer_sp;

void model__switch(char **save, char *to);
__asm__(".text\n"
        ".globl model__switch\n"
        "model__switch:\n"
        "    push %rbp; push %rbx; push %r12; push %r13; push %r14; push %r15\n"
        "    mov %rsp, (%rdi)\n"
        "    mov %rsi, %rsp\n"
        "    pop %r15; pop %r14; pop %r13; pop %r12; pop %rbx; pop %rbp\n"
        "    ret\n");

static void give_way(void)
{
    model__switch(&now.threads[self].sp, explorer_sp);
}

void thread_stop(void)
{
    for (;;) give_way();
}

static void begin(void)
{
    starts[self].run(starts[self].argument);
    now.threads[self].done = 1;
    now.threads[self].next = (op){0};
    give_way();
    abort();
}

void model_thread(void (*run)(void *), void *argument)
{
    if (thread_count == THREADS) abort();
    starts[thread_count].run = run;
    starts[thread_count++].argument = argument;
}

static sigjmp_buf explorer;

/* A thread followed a pointer to nowhere: that ends the run, not the checker. */
static void bad_access(int signal)
{
    (void)signal;
    if (self < 0) _exit(3);
    siglongjmp(explorer, 1);
}

static void catch_bad_accesses(void)
{
    static char stack[1 << 16];
    struct sigaction action = {.sa_handler = bad_access, .sa_flags = SA_ONSTACK | SA_NODEFER};
    sigaltstack(&(stack_t){.ss_sp = stack, .ss_size = sizeof stack}, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGILL, &action, NULL);
}

void threads_start(void)
{
    now.running = -1;
    catch_bad_accesses();
    for (int t = 0; t < thread_count; t++) {
        thread *h = &now.threads[t];
        h->cur.at[t] = h->acq.at[t] = 1;
        char *sp = stacks[t] + STACK_BYTES - 64;
        *(void **)(void *)sp = (void *)begin;
        h->sp = sp - 48;
    }
    for (int t = 0; t < thread_count; t++) thread_resume(t);
}

void thread_resume(int t)
{
    self = t;
    if (sigsetjmp(explorer, 0) == 0) {
        model__switch(&explorer_sp, now.threads[t].sp);
    } else {
        model_check(false, "thread %d follows a pointer to nowhere", t);
    }
    self = -1;
    if (now.threads[t].sp < stacks[t] + 1024) {
        fprintf(stderr, "thread %d is short of stack\n", t);
        exit(3);
    }
}

/* ---- asking for a step ---- */

static uint64_t ask(op o)
{
    now.threads[self].next = o;
    give_way();
    return now.threads[self].result;
}

static uint64_t ask_location(op o, const volatile void *p)
{
    if (location_ignored(p)) return 0;
    int l = location_of(p, o.size, true);
    if (self < 0) { /* setup and the like: nobody runs */
        location_begin(l);
        if (o.kind == OP_STORE) now.history[l][now.count[l] - 1].value = o.value;
        return newest_value(l);
    }
    now.threads[self].next = o; /* so that it is known what the access is */
    watch_atomic(p, o.size);
    if (failure[0]) thread_stop();
    location_begin(l);
    o.location = (uint16_t)l;
    if (o.kind != OP_LOAD && o.kind < OP_FENCE) {
        model_check(location_writer[l] < 0 || location_writer[l] == self, "thread %d writes %s, which is thread %d's",
                    self, name_of(p, 0), location_writer[l]);
        note_escape(o.value);
    }
    if ((o.kind == OP_LOAD && location_writer[l] == self) || is_fresh(p, self)) {
        now.threads[self].next = o;
        memory_step(self, 0); /* nobody else could change, or see, it */
        return now.threads[self].result;
    }
    return ask(o);
}

#define OP(op_kind, bytes, ...)                                                                                        \
    ((op){.file = file,                                                                                                \
          .line = line,                                                                                                \
          .kind = (uint8_t)(op_kind),                                                                                  \
          .order = (uint8_t)order,                                                                                     \
          .size = (uint8_t)(bytes),                                                                                    \
          __VA_ARGS__})

uint64_t model__load(const volatile void *p, size_t size, model_order order, const char *file, int line)
{
    return ask_location(OP(OP_LOAD, size, .value = 0), p);
}

void model__store(volatile void *p, uint64_t value, size_t size, model_order order, const char *file, int line)
{
    ask_location(OP(OP_STORE, size, .value = value), p);
}

uint64_t model__rmw(model_rmw_kind kind, volatile void *p, uint64_t value, size_t size, model_order order,
                    const char *file, int line)
{
    uint8_t op_of_kind = kind == MODEL_ADD ? OP_ADD : OP_EXCHANGE;
    return ask_location(OP(op_of_kind, size, .value = value), p);
}

bool model__cas(volatile void *p, uint64_t *expected, uint64_t value, size_t size, model_order order, const char *file,
                int line)
{
    *expected = ask_location(OP(OP_CAS, size, .value = value, .expected = *expected), p);
    return self < 0 || now.threads[self].ok;
}

void model__fence(model_order order, const char *file, int line)
{
    if (self < 0) return;
    if (order == MODEL_ACQUIRE) {
        fence_acquire(self);
    } else if (order == MODEL_RELEASE) {
        fence_release(self);
    } else {
        ask(OP(OP_FENCE, 0, .value = 0));
    }
}

void model_membarrier(void)
{
    if (self < 0) return;
    ask((op){.file = "membarrier", .kind = OP_BARRIER});
    if (limits.split_barriers) ask((op){.file = "membarrier", .kind = OP_BARRIER_DONE});
}

/* A wait may end at any time as far as its callers know. Here it ends only when somebody wakes: that is what is looked
 * for. A time limit is never reached. */
void model_futex_wait(const volatile void *word, uint32_t expected)
{
    ask_location((op){.file = "futex", .kind = OP_FUTEX_WAIT, .size = 4, .expected = expected}, word);
    if (now.threads[self].asleep)
        ask_location((op){.file = "futex", .kind = OP_FUTEX_ASLEEP, .size = 4, .expected = expected}, word);
}

void model_futex_wake(const volatile void *word, int count)
{
    if (self < 0 || location_ignored(word)) return;
    int l = location_of(word, 4, true); /* the word need not exist any more: not an access */
    ask((op){.file = "futex", .kind = OP_FUTEX_WAKE, .location = (uint16_t)l, .value = (uint64_t)count});
}

void model_lock(volatile void *mutex)
{
    if (self >= 0) ask_location((op){.file = "mutex", .kind = OP_LOCK, .size = 4}, mutex);
}

int model_trylock(volatile void *mutex)
{
    return self >= 0 ? (int)ask_location((op){.file = "mutex", .kind = OP_TRYLOCK, .size = 4}, mutex) : 0;
}

void model_unlock(volatile void *mutex)
{
    if (self >= 0) ask_location((op){.file = "mutex", .kind = OP_UNLOCK, .size = 4}, mutex);
}

void model_join(int t)
{
    ask((op){.file = "join", .kind = OP_JOIN, .value = (uint64_t)t});
}

int model_choose(int n)
{
    return n > 1 ? (int)ask((op){.file = "choose", .kind = OP_CHOOSE, .value = (uint64_t)n}) : 0;
}

void model_pause(void)
{
    if (self >= 0) now.threads[self].yielded = 1;
}

void model_must_end(bool must)
{
    if (self >= 0) now.threads[self].must_end = must;
}

void **model_local(void)
{
    return &now.threads[self].local;
}

int model_self(void)
{
    return self;
}

/* ---- taking it ---- */

bool thread_enabled(int t)
{
    const thread *h = &now.threads[t];
    if (h->done) return false;
    switch (h->next.kind) {
    case OP_BARRIER_DONE:
        for (int u = 0; u < thread_count; u++) {
            if (now.threads[u].interrupted_by & 1u << t) return false;
        }
        return true;
    case OP_FUTEX_ASLEEP: return !h->asleep;
    case OP_LOCK: return newest_value(h->next.location) == 0;
    case OP_JOIN: return now.threads[h->next.value].done;
    default: return true;
    }
}

unsigned thread_choices(int t, uint8_t *out)
{
    const op *o = &now.threads[t].next;
    if (o->kind >= OP_LOAD && o->kind <= OP_CAS) return memory_choices(t, out);
    unsigned n = o->kind == OP_CHOOSE ? (unsigned)o->value : 1;
    for (unsigned i = 0; i < n; i++) out[i] = (uint8_t)i;
    return n;
}

void thread_interrupt(int t)
{
    fence_seq_cst(t);
    now.threads[t].interrupted_by = 0;
}

/* The caller's fence, then every thread's, then the caller's again. */
static void barrier(int t)
{
    fence_seq_cst(t);
    for (int u = 0; u < thread_count; u++) {
        if (u == t) continue;
        if (limits.split_barriers && thread_enabled(u)) {
            now.threads[u].interrupted_by |= (uint8_t)(1u << t);
        } else {
            fence_seq_cst(u);
        }
    }
    fence_seq_cst(t);
}

static void futex_wake(int t)
{
    int left = (int)now.threads[t].next.value;
    for (int u = 0; u < thread_count && left > 0; u++) {
        thread *h = &now.threads[u];
        if (!h->asleep || h->next.location != now.threads[t].next.location) continue;
        h->asleep = 0;
        left--;
    }
}

void thread_step(int t, int choice)
{
    thread *h = &now.threads[t];
    int l = h->next.location;
    h->yielded = 0;
    h->ok = 1;
    switch (h->next.kind) {
    case OP_FENCE:
    case OP_BARRIER_DONE: fence_seq_cst(t); break;
    case OP_BARRIER: barrier(t); break;
    case OP_FUTEX_WAIT: h->asleep = newest_value(l) == h->next.expected; break; /* the kernel looks at what is there */
    case OP_FUTEX_ASLEEP: break;
    case OP_FUTEX_WAKE: futex_wake(t); break;
    case OP_TRYLOCK:
        h->result = newest_value(l) == 0 ? 0 : EBUSY;
        if (h->result) break;
        /* fall through */
    case OP_LOCK:
        take_over(t, &now.history[l][now.count[l] - 1].gives);
        store_latest(t, l, 1, false, true);
        break;
    case OP_UNLOCK: store_latest(t, l, 0, true, false); break;
    case OP_JOIN: take_over(t, &now.threads[h->next.value].cur); break;
    case OP_CHOOSE: h->result = (uint64_t)choice; break;
    default: memory_step(t, choice);
    }
    thread_resume(t);
    if (h->done && h->interrupted_by) thread_interrupt(t);
}
