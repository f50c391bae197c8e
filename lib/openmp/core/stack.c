/* The bounds of a thread's stack: see stack.h. */
#include "openmp/core/stack.h"

#include <pthread.h>
#include <unistd.h>

/* The middle of the stack, below which it is low, and its upper end. 0: not looked up yet. */
static __thread uintptr_t middle __attribute__((tls_model("initial-exec")));
static __thread uintptr_t top __attribute__((tls_model("initial-exec")));

static void look_up(void)
{
    pthread_attr_t attributes;
    void *lowest = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        if (pthread_attr_getstack(&attributes, &lowest, &size) != 0) size = 0;
        pthread_attr_destroy(&attributes);
    }
    middle = (uintptr_t)lowest + size / 2;
    top = size ? (uintptr_t)lowest + size : 1; /* unknown: always low, as is a stack that the program made itself */
}

/* This much of the first thread's stack may be used in a region before its bounds are looked up, which takes time. */
enum { LITTLE = 64 << 10 };

void heist__omp_stack_begin(heist__omp_slot *slot)
{
    bool first = !top && gettid() == getpid();
    if (!top && !first) look_up();
    slot->stack_mark = first ? heist__omp_stack_here() - LITTLE : middle;
}

bool heist__omp_stack_is_low(heist__omp_slot *self)
{
    uintptr_t here = heist__omp_stack_here();
    if (__builtin_expect(!top, 0)) look_up();
    self->stack_mark = middle;
    return here < middle || here >= top;
}
