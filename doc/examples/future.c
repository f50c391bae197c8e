/* Futures: tasks that are started now and give their results later.
 *
 * Prints: 832040 + 1346269 = 2178309, then 6 letters, first 1 */
#include <heist/heist.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

/* Runs when both are done. */
HEIST_TASK(long, sum_of, heist_future *, a, heist_future *, b)
{
    return HEIST_RESULT(a, fib) + HEIST_RESULT(b, fib);
}

static void *load(void *name)
{
    return strdup(name); /* the result is a pointer, which is taken once */
}

int main(void)
{
    heist_future *both[2] = {HEIST_ASYNC(NULL, fib, 30), HEIST_ASYNC(NULL, fib, 31)};
    heist_future *all = heist_all(both, 2);
    heist_future *sum = HEIST_THEN(all, sum_of, both[0], both[1]);

    long total = HEIST_AWAIT(sum, sum_of); /* waits, and drops the handle */
    printf("%ld + %ld = %ld", HEIST_AWAIT(both[0], fib), HEIST_AWAIT(both[1], fib), total);
    heist_future_drop(all);

    void *text;
    heist_future *loaded = heist_async(NULL, load, "letter", free); /* free: if no thread takes the text */
    int error = heist_await(loaded, &text);
    if (error) return 1;
    printf(", then %zu letters", strlen(text));
    free(text);

    heist_promise *answer = heist_promise_new(NULL); /* a callback of something else fulfils it */
    heist_promise *never = heist_promise_new(NULL);
    heist_future *either[2] = {heist_promise_future(never), heist_promise_future(answer)};
    heist_future *any = heist_any(either, 2);
    heist_promise_fulfil(answer, NULL);
    size_t first = 2;
    if (heist_future_wait_until(any, heist_time() + 1000000000) == 0) heist_future_first(any, &first);
    printf(", first %zu\n", first);

    heist_future_drop(any);
    for (int i = 0; i < 2; i++) heist_future_drop(either[i]);
    heist_promise_drop(answer);
    return heist_promise_drop(never);
}
