/* How much is left of the calling thread's stack: deep recursion runs its tasks at once until half of it is used. */
#include <pthread.h>
#include <unistd.h>

#include "openmp/team.h"

/* From where on it is low, and its upper end. 0: not looked up yet. */
static __thread uintptr_t limit __attribute__((tls_model("initial-exec")));
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
    limit = (uintptr_t)lowest + size / 2;
    top = size ? (uintptr_t)lowest + size : 1; /* unknown: always low, as is a stack that the program made itself */
}

/* So much may be used in a region before the ends of the first thread's stack are looked up, which takes some time. */
enum { LITTLE = 64 << 10 };

void heist__omp_stack_begin(heist__omp_slot *slot)
{
    bool first = !top && gettid() == getpid();
    if (!top && !first) look_up();
    slot->stack_mark = first ? heist__omp_stack_here() - LITTLE : limit;
}

bool heist__omp_stack_is_low(heist__omp_slot *self)
{
    uintptr_t here = heist__omp_stack_here();
    if (__builtin_expect(!top, 0)) look_up();
    self->stack_mark = limit;
    return here < limit || here >= top;
}
