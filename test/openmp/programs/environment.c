/* environment WHAT: prints what a program finds out about variables of the environment. environment.sh sets them, and
 * runs one process for each. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* How many threads a region has, and one in it, asked in tasks. */
static void threads(void)
{
    int outer = 0, inner = 0, wished = 0;
#pragma omp parallel
#pragma omp single
    {
        outer = omp_get_num_threads();
#pragma omp task shared(inner)
#pragma omp parallel
#pragma omp single
        {
#pragma omp task shared(inner)
            inner = omp_get_num_threads();
        }
    }
#pragma omp parallel num_threads(6)
#pragma omp single
#pragma omp task shared(wished)
    wished = omp_get_num_threads();
    printf("%d %d %d, at most %d, limit %d, levels %d\n", outer, inner, wished, omp_get_max_threads(),
           omp_get_thread_limit(), omp_get_max_active_levels());
}

static long resident(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss / 1024;
}

/* A region is asked for many more threads than there may be: these take no memory. */
static void few_of_many(void)
{
    long before = resident();
    int number = 0;
    omp_set_num_threads(30000);
#pragma omp parallel
#pragma omp single
#pragma omp task shared(number)
    number = omp_get_num_threads();
    printf("%d threads, %s\n", number, resident() - before < 40 ? "little memory" : "much memory");
}

/* On which CPUs each thread may run: so its tasks may, too. */
static void places(void)
{
    enum { MOST = 8 };
    int cpus[MOST] = {0}, same[MOST] = {0}, number = 0;
#pragma omp parallel num_threads(4)
    {
        cpu_set_t mine;
        int me = omp_get_thread_num();
        sched_getaffinity(0, sizeof mine, &mine);
        cpus[me] = CPU_COUNT(&mine) * 100 + omp_get_place_num();
        same[me] = 1;
#pragma omp single
        number = omp_get_num_threads();
        for (int i = 0; i < 20; i++) {
#pragma omp task shared(cpus, same)
            {
                cpu_set_t its;
                int who = omp_get_thread_num();
                sched_getaffinity(0, sizeof its, &its);
                if (CPU_COUNT(&its) * 100 + omp_get_place_num() != cpus[who]) same[who] = 0;
            }
        }
    }
    printf("bind %d, %d places, %d threads:", (int)omp_get_proc_bind(), omp_get_num_places(), number);
    for (int i = 0; i < number; i++) printf(" %d.%d", cpus[i], same[i]);
    printf("\n");
}

static size_t stack_size(void)
{
    pthread_attr_t attributes;
    void *lowest;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
        pthread_attr_getstack(&attributes, &lowest, &size);
        pthread_attr_destroy(&attributes);
    }
    return size;
}

static void touch(volatile char *memory, size_t size)
{
    for (size_t i = 0; i < size; i += 4096) memory[i] = 1;
}

/* A task that needs half of the stack that was asked for, in a thread that is not the first. */
static void stack(void)
{
    size_t found = 0;
    int done = 0;
#pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 1) {
#pragma omp task shared(found)
            {
                char large[20 << 20];
                touch(large, sizeof large);
                found = stack_size() >> 20;
            }
#pragma omp taskwait
#pragma omp atomic write
            done = 1;
        }
        for (int over = 0; !over;) {
            sched_yield();
#pragma omp atomic read
            over = done;
        }
    }
    printf("%s\n", found >= 40 ? "40 MiB or more" : "less");
}

static void cancellation(void)
{
    int ran = 0;
#pragma omp parallel num_threads(1)
    {
#pragma omp taskgroup
        {
#pragma omp task if (0) shared(ran)
            {
#pragma omp cancel taskgroup
                ran = 100;
            }
            for (int i = 0; i < 10; i++) {
#pragma omp task shared(ran)
#pragma omp atomic
                ran++;
            }
        }
    }
    printf("%d %d\n", omp_get_cancellation() != 0, ran);
}

/* The first thread waits for the other one, which is away for a while. */
static void waiting(void)
{
#pragma omp parallel num_threads(2)
    {
#pragma omp task
        sched_yield();
        if (omp_get_thread_num() == 1) usleep(200000);
    }
    printf("over\n");
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "threads") == 0) threads();
    if (strcmp(what, "few_of_many") == 0) few_of_many();
    if (strcmp(what, "places") == 0) places();
    if (strcmp(what, "stack") == 0) stack();
    if (strcmp(what, "cancellation") == 0) cancellation();
    if (strcmp(what, "priority") == 0) printf("%d\n", omp_get_max_task_priority());
    if (strcmp(what, "dynamic") == 0) printf("%d\n", omp_get_dynamic() != 0);
    if (strcmp(what, "waiting") == 0) waiting();
    return 0;
}
