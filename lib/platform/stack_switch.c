/* A call on another stack. The frame pointer keeps the old stack pointer, and the unwinding rules (CFI) say that the
 * caller's frame is found there. Debuggers follow them. Exceptions do not: the unwinder asks each frame whether
 * the frame handles an exception, and this one answers that it must not be left. So std::terminate ends the program at
 * the `throw`, with the whole stack to be seen, as it does on a worker's own thread. */
#include "platform/stack_switch.h"

#if HEIST__CAN_SWITCH_STACKS

#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

/* heist__switch_stack(top, function, argument): `top` has the alignment that the processor's ABI demands. */
void heist__switch_stack(char *top, void (*function)(void *), void *argument);

/* Called by the unwinder for the frame of heist__switch_stack. pthread_exit and cancellation unwind by force, and are
 * let through. */
__attribute__((used, visibility("hidden"))) _Unwind_Reason_Code
heist__refuse_exception(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                        struct _Unwind_Exception *exception, struct _Unwind_Context *context);

_Unwind_Reason_Code heist__refuse_exception(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                            struct _Unwind_Exception *exception, struct _Unwind_Context *context)
{
    (void)version, (void)class, (void)exception, (void)context;
    return actions & _UA_FORCE_UNWIND ? _URC_CONTINUE_UNWIND : _URC_FATAL_PHASE1_ERROR;
}

/* 0x1b: the function's address is relative to where it stands, in four bytes. */
#define REFUSES_EXCEPTIONS "    .cfi_personality 0x1b, heist__refuse_exception\n"

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".globl heist__switch_stack\n"
        ".hidden heist__switch_stack\n"
        ".type heist__switch_stack, @function\n"
        "heist__switch_stack:\n"
        "    .cfi_startproc\n" REFUSES_EXCEPTIONS "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    movq %rdi, %rsp\n"
        "    movq %rdx, %rdi\n"
        "    call *%rsi\n"
        "    movq %rbp, %rsp\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size heist__switch_stack, . - heist__switch_stack\n"
        ".popsection\n");
#elif defined(__aarch64__)
__asm__(".pushsection .text\n"
        ".p2align 4\n"
        ".globl heist__switch_stack\n"
        ".hidden heist__switch_stack\n"
        ".type heist__switch_stack, %function\n"
        "heist__switch_stack:\n"
        "    .cfi_startproc\n" REFUSES_EXCEPTIONS "    hint #34\n" /* bti c */
        "    stp x29, x30, [sp, #-16]!\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset x29, -16\n"
        "    .cfi_offset x30, -8\n"
        "    mov x29, sp\n"
        "    .cfi_def_cfa_register x29\n"
        "    mov sp, x0\n"
        "    mov x0, x2\n"
        "    blr x1\n"
        "    mov sp, x29\n"
        "    .cfi_def_cfa_register sp\n"
        "    ldp x29, x30, [sp], #16\n"
        "    .cfi_restore x29\n"
        "    .cfi_restore x30\n"
        "    .cfi_def_cfa_offset 0\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size heist__switch_stack, . - heist__switch_stack\n"
        ".popsection\n");
#else
__asm__(".pushsection .text\n"
        ".p2align 2\n"
        ".globl heist__switch_stack\n"
        ".hidden heist__switch_stack\n"
        ".type heist__switch_stack, @function\n"
        "heist__switch_stack:\n"
        "    .cfi_startproc\n" REFUSES_EXCEPTIONS "    addi sp, sp, -16\n"
        "    .cfi_def_cfa_offset 16\n"
        "    sd ra, 8(sp)\n"
        "    sd s0, 0(sp)\n"
        "    .cfi_offset ra, -8\n"
        "    .cfi_offset s0, -16\n"
        "    addi s0, sp, 16\n"
        "    .cfi_def_cfa s0, 0\n"
        "    mv sp, a0\n"
        "    mv a0, a2\n"
        "    jalr a1\n"
        "    addi sp, s0, -16\n"
        "    .cfi_def_cfa sp, 16\n"
        "    ld ra, 8(sp)\n"
        "    ld s0, 0(sp)\n"
        "    addi sp, sp, 16\n"
        "    .cfi_def_cfa_offset 0\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size heist__switch_stack, . - heist__switch_stack\n"
        ".popsection\n");
#endif

/* ---- telling AddressSanitizer of the switch ---- */

#if defined(__SANITIZE_ADDRESS__)
#define TELLS_SANITIZER 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TELLS_SANITIZER 1
#endif
#endif

#ifdef TELLS_SANITIZER
#include <sanitizer/common_interface_defs.h>

typedef struct {
    void (*function)(void *);
    void *argument;
    void *other; /* AddressSanitizer's fake stack of the stack that was left */
    const void *old_stack;
    size_t old_size;
} told_call;

static void call_told(void *told)
{
    told_call *call = told;
    __sanitizer_finish_switch_fiber(NULL, &call->old_stack, &call->old_size);
    call->function(call->argument);
    __sanitizer_start_switch_fiber(NULL, call->old_stack, call->old_size);
}

void heist__call_on_stack(char *stack, size_t size, void (*function)(void *), void *argument)
{
    told_call call = {.function = function, .argument = argument};
    __sanitizer_start_switch_fiber(&call.other, stack, size);
    heist__switch_stack(stack + size, call_told, &call);
    __sanitizer_finish_switch_fiber(call.other, NULL, NULL);
}
#else
void heist__call_on_stack(char *stack, size_t size, void (*function)(void *), void *argument)
{
    heist__switch_stack(stack + size, function, argument);
}
#endif

/* ---- stacks ---- */

static size_t guard_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

char *heist__stack_new(size_t size)
{
    const size_t guard = guard_size();
    char *memory = mmap(NULL, size + guard, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED) return NULL;
    if (mprotect(memory, guard, PROT_NONE) != 0) {
        munmap(memory, size + guard);
        return NULL;
    }
    madvise(memory + guard, size, MADV_NOHUGEPAGE); /* refusal costs memory only */
    return memory + guard;
}

void heist__stack_free(char *stack, size_t size)
{
    const size_t guard = guard_size();
    if (stack) munmap(stack - guard, size + guard);
}

void heist__stack_trim(char *stack, size_t size, size_t kept)
{
    if (stack && size > kept) madvise(stack, size - kept, MADV_DONTNEED); /* refusal costs memory only */
}

#endif
