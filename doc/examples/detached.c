/* Tasks that nobody joins one by one: every reachable node of a graph is visited once.
 * Prints: 1000 visited */
#include <heist/heist.h>
#include <stdatomic.h>
#include <stdio.h>

#define NODES 1000

static atomic_bool seen[NODES];
static atomic_int visited;

HEIST_VOID_TASK(visit, int, node)
{
    atomic_fetch_add(&visited, 1);
    for (int step = 1; step <= 3; step++) {
        int next = (node * 7 + step) % NODES;
        if (atomic_exchange(&seen[next], true)) continue;
        HEIST_DETACH(NULL, visit, next); /* NULL: the scope that this task belongs to */
    }
}

int main(void)
{
    heist_scope scope;
    int error = heist_scope_begin(&scope, NULL);
    if (error) {
        fprintf(stderr, "%s: %s\n", heist_strerror(error), heist_explain());
        return 1;
    }
    atomic_store(&seen[0], true);
    HEIST_DETACH(&scope, visit, 0);
    heist_scope_wait(&scope); /* returns when all of them, however nested, have finished */
    printf("%d visited\n", atomic_load(&visited));
    return heist_scope_end(&scope);
}
