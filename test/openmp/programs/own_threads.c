/* Threads that a program makes itself, in regions and outside: with attributes, with results; refused ones; and regions
 * that those threads start. */
#define _GNU_SOURCE
#include <omp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>

static void *twice(void *number)
{
    return (void *)(2 * (uintptr_t)number);
}

static void *with_a_region(void *number)
{
    uintptr_t sum = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (uintptr_t i = 0; i < 100; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
        sum += i;
    }
    return (void *)(sum + (uintptr_t)number);
}

static uintptr_t result_of(void *(*function)(void *), uintptr_t number, const pthread_attr_t *attributes)
{
    pthread_t thread;
    void *result = NULL;
    if (pthread_create(&thread, attributes, function, (void *)number)) return 0;
    pthread_join(thread, &result);
    return (uintptr_t)result;
}

static size_t stack_of_self;

static void *look_at_stack(void *unused)
{
    pthread_attr_t attributes;
    void *lowest;
    pthread_getattr_np(pthread_self(), &attributes);
    pthread_attr_getstack(&attributes, &lowest, &stack_of_self);
    pthread_attr_destroy(&attributes);
    return unused;
}

int main(void)
{
    pthread_attr_t attributes;
    pthread_t thread;
    uintptr_t in_task = 0, in_thread = 0;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 3 << 20);
    result_of(look_at_stack, 0, &attributes);
    printf("stack %d MiB, ", (int)(stack_of_self >> 20));
    pthread_attr_setstacksize(&attributes, SIZE_MAX / 4 & ~(size_t)0xffff);
    printf("%s, ", pthread_create(&thread, &attributes, twice, NULL) ? "refused" : "granted");
    pthread_attr_destroy(&attributes);
#pragma omp parallel
#pragma omp single
    {
#pragma omp task shared(in_task)
        in_task = result_of(twice, 21, NULL);
        in_thread = result_of(with_a_region, 1, NULL);
    }
    printf("%d %d %d\n", (int)in_task, (int)in_thread, (int)result_of(with_a_region, 2, NULL));
    return 0;
}
