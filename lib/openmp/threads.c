/* Where the threads begin that the runtime makes for a region. The system often starts one on its maker's CPU though another is idle,
 * and there one of the two spins, in the runtime's own barrier, for the two milliseconds until one of them is moved. So who makes a
 * thread while it starts a region of heist's sends it away, and the thread waits for that before it does anything else: it may have
 * taken the CPU from its maker. The maker does it, and no thread by itself, because others who make threads may say then where these
 * are to run, in front of this function or behind it.
 *
 * That is the one reason why this library stands in front of pthread_create; all other threads are made as if it were not there. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "openmp/api.h"
#include "openmp/real.h"
#include "openmp/team.h"
#include "platform/apart.h"
#include "platform/cpu.h"
#include "platform/nap.h"

__thread bool heist__omp_starting __attribute__((tls_model("initial-exec")));

typedef void *thread_function(void *);

/* Of a thread that is being made. */
typedef struct beginning {
    thread_function *function;
    void *argument;
    /* 1: it may go on. Written by: its maker. Read by: it. */
    HEIST__ATOMIC(uint32_t) placed;
} beginning;

/* So often it yields, to whoever makes it, before it sleeps for a moment at a time. */
enum { YIELDS = 100 };

static void *begin_thread(void *argument)
{
    beginning *b = argument;
    for (unsigned i = 0; !heist__load_acquire(&b->placed); i++) { /* N1: the maker's last touch, before it is freed */
        if (i < YIELDS)
            sched_yield();
        else
            heist__nap();
    }
    thread_function *function = b->function;
    argument = b->argument;
    free(b);
    return function(argument);
}

/* Within what somebody may have said already about where it is to run. */
static void send_away(pthread_t thread)
{
    cpu_set_t taken;
    int here = heist__current_cpu();
    if (here < 0 || here >= CPU_SETSIZE) return;
    CPU_ZERO(&taken);
    CPU_SET((size_t)here, &taken);
    heist__move_apart(thread, &taken);
}

typedef int create_function(pthread_t *, const pthread_attr_t *, thread_function *, void *);

static create_function *find_create(void)
{
    static HEIST__ATOMIC(void *) found; /* relaxed: code, which does not change */
    void *create = heist__load_relaxed(&found);
    if (!create) {
        create = heist__real_next("pthread_create");
        heist__store_relaxed(&found, create);
    }
    return (create_function *)(uintptr_t)create;
}

void heist__omp_threads_init(void)
{
    find_create();
}

HEIST__ENTRY int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, thread_function *function,
                                void *argument)
{
    create_function *create = find_create();
    if (!create) return EAGAIN;
    beginning *b = heist__omp_starting ? malloc(sizeof *b) : NULL;
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
