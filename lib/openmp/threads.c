/* Where the threads begin that the runtime makes for a region. The system often starts one on its maker's CPU though another is idle,
 * and there one of the two spins, in the runtime's own barrier, for the two milliseconds until one of them is moved. So a thread that is
 * made while a region of heist's is being started looks where it is before it does anything else, and gets away; and its maker lets it.
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

__thread bool heist__omp_starting __attribute__((tls_model("initial-exec")));

typedef void *thread_function(void *);

typedef struct beginning {
    thread_function *function;
    void *argument;
    int makers_cpu;
} beginning;

static void *begin_thread(void *argument)
{
    beginning b = *(beginning *)argument;
    free(argument);
    if (b.makers_cpu >= 0 && b.makers_cpu < CPU_SETSIZE && heist__current_cpu() == b.makers_cpu) {
        cpu_set_t taken;
        CPU_ZERO(&taken);
        CPU_SET((size_t)b.makers_cpu, &taken);
        heist__move_apart(&taken);
    }
    return b.function(b.argument);
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

HEIST__ENTRY int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, thread_function *function,
                                void *argument)
{
    create_function *create = find_create();
    if (!create) return EAGAIN;
    beginning *b = heist__omp_starting ? malloc(sizeof *b) : NULL;
    if (!b) return create(thread, attributes, function, argument);
    *b = (beginning){function, argument, heist__current_cpu()};
    int error = create(thread, attributes, begin_thread, b);
    if (error)
        free(b);
    else
        sched_yield(); /* it may be queued behind us */
    return error;
}
