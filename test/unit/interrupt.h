/* interrupt.h: interruptions at a chosen instruction. A race whose window is one instruction wide is met by chance
 * once in a million runs; here it is met every time. list_instructions runs an operation step by step and notes the
 * addresses of its instructions; `interrupted` runs it again and does something else in front of one of them;
 * `intertwined` stops two operations in the middle of each other. All in one thread, so it finds mistakes in the order
 * of steps, not in what caches and store buffers do: that needs real threads.
 *
 * The means are those of a debugger: the trap flag and breakpoints of x86. Elsewhere, under emulators, sanitizers and
 * valgrind, interrupts_work says no. */
#ifndef INTERRUPT_H
#define INTERRUPT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "support.h"

#define MOST_INSTRUCTIONS 4096

/* The instructions of an operation, each once, in the order of their first turn. */
typedef struct {
    size_t count;
    uintptr_t at[MOST_INSTRUCTIONS];
} instruction_list;

typedef void operation(void);

#if defined(__x86_64__) && defined(__linux__) && !SANITIZED

#include <sys/mman.h>
#include <ucontext.h>

#define TRAP_FLAG 0x100
#define BREAKPOINT 0xcc

extern char __executable_start[], etext[]; /* by the linker: the program's own code */

static instruction_list *volatile stepping; /* NULL: not */
static struct {
    unsigned char *volatile byte; /* NULL: there is none */
    unsigned char replaced;
    operation *intrusion;
} breakpoint;

static inline void note_instruction(instruction_list *list, uintptr_t at)
{
    if (at < (uintptr_t)__executable_start || at >= (uintptr_t)etext) return; /* the system's libraries are not ours */
    for (size_t i = 0; i < list->count; i++) {
        if (list->at[i] == at) return;
    }
    if (list->count < MOST_INSTRUCTIONS) list->at[list->count++] = at;
}

static inline void set_breakpoint(uintptr_t at, operation *intrusion)
{
    unsigned char *byte = (unsigned char *)at;
    breakpoint.replaced = *byte;
    breakpoint.intrusion = intrusion;
    breakpoint.byte = byte;
    *(volatile unsigned char *)byte = BREAKPOINT;
}

/* Whether it was still there. */
static inline bool remove_breakpoint(void)
{
    unsigned char *byte = breakpoint.byte;
    if (!byte) return false;
    *(volatile unsigned char *)byte = breakpoint.replaced;
    breakpoint.byte = NULL;
    return true;
}

/* After each instruction while the trap flag is set; or at the breakpoint, which is then gone. */
static inline void trapped(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)info;
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    if (stepping) {
        note_instruction(stepping, (uintptr_t)registers[REG_RIP]);
        return;
    }
    registers[REG_EFL] &= ~TRAP_FLAG;
    unsigned char *byte = breakpoint.byte;
    if (!remove_breakpoint()) return;
    registers[REG_RIP] = (greg_t)(uintptr_t)byte;
    breakpoint.intrusion();
}

static __attribute__((noinline)) void list_instructions(operation *what, instruction_list *list)
{
    list->count = 0;
    stepping = list;
    /* The red zone below the stack pointer may be in use: keep away from it. */
    __asm__ volatile("leaq -128(%%rsp), %%rsp; pushfq; orq $0x100, (%%rsp); popfq; leaq 128(%%rsp), %%rsp" ::
                         : "memory", "cc");
    what();
    stepping = NULL; /* the next trap takes the flag away */
}

/* Does `what`, and `intrusion` in front of the instruction at `at`. False: it did not come there. */
static __attribute__((noinline)) bool interrupted(operation *what, uintptr_t at, operation *intrusion)
{
    set_breakpoint(at, intrusion);
    what();
    return !remove_breakpoint();
}

/* ---- two operations ---- */

static ucontext_t first_context, second_context;
static operation *first_operation;
static bool first_ended;

static inline void first_begins(void)
{
    first_operation();
    first_ended = true; /* and then to second_context, by uc_link */
}

static inline void first_stops(void)
{
    swapcontext(&first_context, &second_context);
}

static inline void first_goes_on(void)
{
    if (!first_ended) swapcontext(&second_context, &first_context);
}

/* Does `first` up to the instruction at `in_first`; then `second`; but at `in_second` the rest of `first` comes first.
 * False: one of them did not come to its place. */
static __attribute__((noinline)) bool intertwined(operation *first, uintptr_t in_first, operation *second,
                                                  uintptr_t in_second)
{
    static char stack[256 << 10];
    getcontext(&first_context);
    first_context.uc_stack.ss_sp = stack;
    first_context.uc_stack.ss_size = sizeof stack;
    first_context.uc_link = &second_context;
    first_operation = first;
    first_ended = false;
    makecontext(&first_context, first_begins, 0);
    set_breakpoint(in_first, first_stops);
    swapcontext(&second_context, &first_context);
    bool stopped = !remove_breakpoint();
    set_breakpoint(in_second, first_goes_on);
    second();
    stopped &= !remove_breakpoint();
    first_goes_on();
    return stopped;
}

/* ---- */

static bool interrupt_was_there;

static inline void interrupt_be_there(void)
{
    interrupt_was_there = true;
}

static __attribute__((noinline)) void interrupt_little(void)
{
    __asm__ volatile("nop; nop; nop; nop");
}

/* To be asked first. Emulators and valgrind may have no trap flag, and a system may forbid to change a program. */
static inline bool interrupts_work(void)
{
    static instruction_list list;
    struct sigaction action = {.sa_sigaction = trapped, .sa_flags = SA_SIGINFO};
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)__executable_start & ~(page - 1);
    sigemptyset(&action.sa_mask);
    sigaction(SIGTRAP, &action, NULL);
    /* A test that failed in the middle of an interruption has left things as they were. */
    sigset_t traps;
    sigemptyset(&traps);
    sigaddset(&traps, SIGTRAP);
    pthread_sigmask(SIG_UNBLOCK, &traps, NULL);
    remove_breakpoint();
    stepping = NULL;
    list_instructions(interrupt_little, &list);
    if (list.count < 4) return false;
    if (mprotect((void *)start, (uintptr_t)etext - start, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return false;
    for (size_t i = 0; i < list.count; i++) {
        interrupt_was_there = false;
        if (interrupted(interrupt_little, list.at[i], interrupt_be_there) && interrupt_was_there) return true;
    }
    return false;
}

#else

static inline bool interrupts_work(void)
{
    return false;
}
static inline void list_instructions(operation *what, instruction_list *list)
{
    (void)what;
    (void)list;
}
static inline bool interrupted(operation *what, uintptr_t at, operation *intrusion)
{
    (void)what;
    (void)at;
    (void)intrusion;
    return false;
}
static inline bool intertwined(operation *first, uintptr_t in_first, operation *second, uintptr_t in_second)
{
    (void)first;
    (void)in_first;
    (void)second;
    (void)in_second;
    return false;
}

#endif

#define IGNORE_WITHOUT_INTERRUPTS()                                                                                    \
    if (!interrupts_work()) TEST_IGNORE_MESSAGE("a program cannot be run step by step here")

#endif
