/* Following the ancestors of a task: see ancestry.h. */
#include "openmp/core/ancestry.h"

enum { MOST_STEPS = 64 };

bool heist__omp_descends(heist__omp_task *task, heist__omp_task *ancestor)
{
    /* relaxed: the caller's thread runs `ancestor` */
    uint32_t wanted = heist__load_relaxed(&ancestor->depth);
    uint64_t wanted_id = heist__load_relaxed(&ancestor->id);
    heist__omp_task *node = task;
    uint64_t id = heist__load_acquire(&node->id); /* A3: the id before the fields. Pairs with A3 in create.h. */
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        /* relaxed: between two reads of the id, which decide whether these belong together (A3) */
        uint32_t depth = heist__load_relaxed(&node->depth);
        heist__omp_task *parent = heist__load_relaxed(&node->parent);
        uint64_t parent_id = heist__load_relaxed(&node->parent_id);
        heist__fence_acquire(); /* A3: the fields before the id. Pairs with A3 in heist__omp_task_init, create.h. */
        if (heist__load_relaxed(&node->id) != id || depth <= wanted || !parent) return false;
        if (parent_id == wanted_id) return true;
        if (depth == wanted + 1) return false;
        node = parent;
        id = parent_id;
        if (heist__load_acquire(&node->id) != id) return false; /* A3: the id before the fields */
    }
    return false;
}
