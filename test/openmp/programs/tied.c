/* The tied-task rule: a thread that waits in a task begins only descendants of it; and a tied task stays on its thread.
 * Each thread keeps a stack of the tasks that it has begun; a task's parent must be an ancestor of it. */
#include <omp.h>
#include <stdio.h>
#include <unistd.h>

typedef struct node {
    struct node *parent;
} node;

static _Thread_local node *innermost;
static int wrong, moved, count;

static int descends(const node *n, const node *from)
{
    for (; n; n = n->parent) {
        if (n == from) return 1;
    }
    return 0;
}

static void run(node *parent, int depth, int wait)
{
    node self = {parent}, *me = &self; /* a pointer: the tasks below get it, not a copy of the node */
    node *outer = innermost;
    int thread = omp_get_thread_num();
    if (outer && !descends(me, outer)) {
#pragma omp atomic
        wrong++;
    }
    innermost = me;
    int order;
#pragma omp atomic capture
    order = count++;
    if (depth == 0 && order % 7 == 0) usleep(100); /* so that others have to wait, and look around */
    if (depth > 0) {
        for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(depth, wait)
            run(me, depth - 1, !wait);
        }
        if (wait) {
#pragma omp taskwait
        } else {
#pragma omp taskgroup
            {
#pragma omp task firstprivate(depth, wait)
                run(me, depth - 1, wait);
            }
#pragma omp taskyield
#pragma omp taskwait
        }
    }
    innermost = outer;
    if (omp_get_thread_num() != thread) {
#pragma omp atomic
        moved++;
    }
}

int main(void)
{
#pragma omp parallel
#pragma omp single nowait
    for (int i = 0; i < 8; i++) {
#pragma omp task
        run(NULL, 5, i % 2);
    }
    printf("%d %d %d\n", wrong, moved, count);
    return 0;
}
