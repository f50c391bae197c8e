/* Tasks without macros: a sum over halves of an array.
 * Prints: 499999500000 */
#include <heist/heist.h>
#include <stdio.h>

#define COUNT 1000000

struct part {
    const long *numbers;
    size_t count;
    long sum; /* written by the task, read after the join */
};

static void add_up(void *argument)
{
    struct part *p = argument;
    if (p->count <= 1000) {
        for (size_t i = 0; i < p->count; i++) p->sum += p->numbers[i];
        return;
    }
    struct part left = {p->numbers, p->count / 2, 0};
    struct part right = {p->numbers + left.count, p->count - left.count, 0};
    heist_scope scope;
    if (heist_scope_begin(&scope, NULL) != 0) return;
    heist_spawn(&scope, add_up, &left);
    add_up(&right);
    heist_join(&scope);
    heist_scope_end(&scope);
    p->sum = left.sum + right.sum;
}

int main(void)
{
    static long numbers[COUNT];
    for (long i = 0; i < COUNT; i++) numbers[i] = i;
    struct part all = {numbers, COUNT, 0};
    int error = heist_run(NULL, add_up, &all);
    if (error) {
        fprintf(stderr, "%s\n", heist_strerror(error));
        return 1;
    }
    printf("%ld\n", all.sum);
    return 0;
}
