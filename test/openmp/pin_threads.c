/* A library that is preloaded before heist's or behind it, for spread_threads.sh: it pins each new thread to CPU 0, as
 * tools that pin the threads of a program do. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*function)(void *), void *argument)
{
    void *volatile real = dlsym(RTLD_NEXT, "pthread_create");
    int error = ((create_function *)(uintptr_t)real)(thread, attributes, function, argument);
    cpu_set_t first;
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    if (!error) pthread_setaffinity_np(*thread, sizeof first, &first);
    return error;
}
