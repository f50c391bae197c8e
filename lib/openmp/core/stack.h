/* How much is left of the calling thread's stack. Deep recursion runs its tasks at once until half of the stack is
 * used; from there on tasks are put off. */
#ifndef HEIST_OPENMP_CORE_STACK_H
#define HEIST_OPENMP_CORE_STACK_H

#include "openmp/core/slot.h"

/* About where the stack ends now. Not __builtin_frame_address: a function that calls it needs a frame. */
static inline uintptr_t heist__omp_stack_here(void)
{
#if defined(__x86_64__)
    uintptr_t here;
    __asm__("mov %%rsp, %0" : "=r"(here));
    return here;
#elif defined(__aarch64__)
    uintptr_t here;
    __asm__("mov %0, sp" : "=r"(here));
    return here;
#else
    return (uintptr_t)__builtin_frame_address(0);
#endif
}

/* ---- stack.c ---- */
/* The slot's thread begins a region. */
void heist__omp_stack_begin(heist__omp_slot *slot);
/* Whether half of the calling thread's stack is used. */
bool heist__omp_stack_is_low(heist__omp_slot *self);

#endif
