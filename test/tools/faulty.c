/* faulty NAME: a program that has a certain fault, for the advice of HEIST_STATS; or, as "sound", none. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <heist/heist.h>

static double now_us(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static void work(double us)
{
    const double end = now_us() + us;
    while (now_us() < end) {
    }
}

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

/* Tasks that take next to nothing. */
static void small(void *argument)
{
    (void)argument;
    HEIST_RUN(NULL, fib, 36);
}

/* 1024 tasks of 100 us, in a tree. */
HEIST_TASK(int, tree, int, depth)
{
    if (depth == 0) {
        work(100);
        return 1;
    }
    HEIST_SPAWN(left, tree, depth - 1);
    int right = HEIST_CALL(tree, depth - 1);
    return HEIST_SYNC(left) + right;
}

static void sound(void *argument)
{
    (void)argument;
    HEIST_RUN(NULL, tree, 10);
}

static void one_long(void *argument)
{
    (void)argument;
    work(60000);
}

static void short_one(void *argument)
{
    (void)argument;
    work(2);
}

static void middle_one(void *argument)
{
    (void)argument;
    work(30);
}

/* One task creates all others. */
static void producer(void *argument)
{
    (void)argument;
    for (int i = 0; i < 2000; i++) heist_submit(NULL, middle_one, NULL, HEIST_WAIT);
}

/* Work that comes when the workers sleep. */
static void bursts(void)
{
    for (int i = 0; i < 60; i++) {
        heist_submit(NULL, short_one, NULL, HEIST_WAIT);
        usleep(2000);
    }
}

HEIST_TASK(int, leaf, int, n)
{
    return n;
}

HEIST_TASK(int, wide, int, n)
{
    if (n == 0) return 0;
    HEIST_SPAWN(child, leaf, 1);
    int below = HEIST_CALL(wide, n - 1);
    return below + HEIST_SYNC(child);
}

int main(int count, char **arguments)
{
    const char *name = count == 2 ? arguments[1] : "";
    if (strcmp(name, "small") == 0) {
        small(NULL);
    } else if (strcmp(name, "sound") == 0) {
        sound(NULL);
    } else if (strcmp(name, "few") == 0) {
        heist_run(NULL, one_long, NULL);
    } else if (strcmp(name, "producer") == 0) {
        heist_run(NULL, producer, NULL);
    } else if (strcmp(name, "bursts") == 0) {
        bursts();
    } else if (strcmp(name, "submit") == 0) {
        for (int i = 0; i < 2000; i++) heist_submit(NULL, middle_one, NULL, HEIST_WAIT);
    } else if (strcmp(name, "wide") == 0) {
        printf("%d\n", HEIST_RUN(NULL, wide, 5000));
    } else if (strcmp(name, "pools") == 0) {
        for (int i = 0; i < 3; i++) {
            heist_pool *pool = heist_pool_new(NULL);
            HEIST_RUN(pool, fib, 10);
            heist_pool_free(pool);
        }
    } else {
        fprintf(stderr, "faulty: no such fault: %s\n", name);
        return 2;
    }
    if (strcmp(name, "pools") != 0) heist_pool_wait(NULL);
    return 0;
}
