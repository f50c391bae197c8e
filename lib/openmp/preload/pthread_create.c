/* pthread_create: where the threads begin that the runtime makes for a region. The system often starts a thread on its
 * maker's CPU although another CPU is idle; there one of the two spins, in the runtime's own barrier, for the two
 * milliseconds until one of them is moved. So a thread that makes another one while it starts a region of heist's
 * migrates the new thread, and the new thread waits for that before it does anything else: it may have taken the CPU
 * from its maker. The maker does it, and not the new thread, because other wrappers of pthread_create, in front of this
 * one or behind it, may then say where the new thread has to run.
 *
 *   N1: the maker's last touch of the thread's `beginning`, before the thread frees it. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "openmp/core/spread_threads.h"
#include "openmp/preload/pthread_wrappers.h"
#include "openmp/preload/runtime_symbols.h"
#include "platform/cpu.h"
#include "platform/migrate.h"
#include "platform/sleep.h"

typedef void *thread_function(void *);

/* The argument of a new thread. */
typedef struct beginning {
    thread_function *function;
    void *argument;
    /* 1: the thread may go on. Written by: its maker. Read by: the thread. */
    HEIST__ATOMIC(uint32_t) placed;
} beginning;

/* The new thread yields this often, to its maker, before it sleeps for a moment at a time. */
enum { YIELDS = 100 };

static void *begin_thread(void *argument)
{
    beginning *b = argument;
    for (unsigned i = 0; !heist__load_acquire(&b->placed); i++) { /* N1: pairs with N1 below */
        if (i < YIELDS)
            sched_yield();
        else
            heist__sleep_step();
    }
    thread_function *function = b->function;
    argument = b->argument;
    free(b);
    return function(argument);
}

/* Migrates the thread off the calling CPU, within the limits that other code may already have set for it. */
static void send_away(pthread_t thread)
{
    cpu_set_t taken;
    int here = heist__current_cpu();
    if (here < 0 || here >= CPU_SETSIZE) return;
    CPU_ZERO(&taken);
    CPU_SET((size_t)here, &taken);
    heist__migrate(thread, &taken);
}

typedef int create_function(pthread_t *, const pthread_attr_t *, thread_function *, void *);

static create_function *find_create(void)
{
    static HEIST__ATOMIC(void *) found; /* relaxed: code, which does not change */
    void *create = heist__load_relaxed(&found);
    if (!create) {
        create = heist__next_symbol("pthread_create");
        heist__store_relaxed(&found, create);
    }
    return (create_function *)(uintptr_t)create;
}

void heist__omp_pthread_create_init(void)
{
    find_create();
}

HEIST__ENTRY int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, thread_function *function,
                                void *argument)
{
    create_function *create = find_create();
    if (!create) return EAGAIN;
    beginning *b = heist__omp_starting_region ? malloc(sizeof *b) : NULL;
    if (!b) return create(thread, attributes, function, argument);
    *b = (beginning){.function = function, .argument = argument};
    heist__store_relaxed(&b->placed, 0); /* relaxed: making the thread publishes it */
    int error = create(thread, attributes, begin_thread, b);
    if (error) {
        free(b);
        return error;
    }
    send_away(*thread);
    heist__store_release(&b->placed, 1); /* N1: last touch of *b. Pairs with N1 in begin_thread. */
    return 0;
}
