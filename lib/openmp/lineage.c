/* Who descends from whom: what a thread that waits in one task may run of another thread's tasks.
 *
 * The tied-task rule lets a waiting task's thread begin only descendants of it. Its own deque is in order of
 * descent, so there an index tells. In another's deque the oldest task is looked at before it is taken, and its
 * ancestors are followed up to the depth of the waiting task. Such a record may belong to a task that ended, or be
 * in use for another one by now: records are never unmapped, each task has an id of its own, and a child knows its
 * parent's, so a record that was reused is recognised. The descent of a task that ended is still true. When in doubt
 * the answer is no; then the task is run by somebody else. */
#include "openmp/team.h"

enum { MOST_STEPS = 64 };

bool heist__omp_descends(heist__omp_task *task, heist__omp_task *ancestor)
{
    /* relaxed: `ancestor` is what the caller's thread runs */
    uint32_t wanted = heist__load_relaxed(&ancestor->depth);
    uint64_t wanted_id = heist__load_relaxed(&ancestor->id);
    heist__omp_task *node = task;
    uint64_t id = heist__load_acquire(&node->id); /* L1 */
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        /* relaxed: between two looks at the id, which decide whether these belong together (L1) */
        uint32_t depth = heist__load_relaxed(&node->depth);
        heist__omp_task *parent = heist__load_relaxed(&node->parent);
        uint64_t parent_id = heist__load_relaxed(&node->parent_id);
        heist__fence_acquire(); /* L1: the fields before the id. Pairs with L1 in heist__omp_task_new. */
        if (heist__load_relaxed(&node->id) != id || depth <= wanted || !parent) return false;
        if (parent_id == wanted_id) return true;
        if (depth == wanted + 1) return false;
        node = parent;
        id = parent_id;
        /* L1: the id before the fields. */
        if (heist__load_acquire(&node->id) != id) return false;
    }
    return false;
}
