/* Work-sharing constructs that hide a barrier, or that have task reductions. libgomp shares the work out. A hidden
 * barrier becomes the form of the entry that has none, and then heist's barrier. */
#include "openmp/core/barrier.h"
#include "openmp/core/team.h"
#include "openmp/gomp/reduction.h"
#include "openmp/preload/runtime_symbols.h"

void GOMP_loop_end(void)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_loop_end, ());
    HEIST__RUNTIME(GOMP_loop_end_nowait)();
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
}

bool GOMP_loop_end_cancel(void)
{
    HEIST__SELF_OR_RUNTIME(self, GOMP_loop_end_cancel, ());
    HEIST__RUNTIME(GOMP_loop_end_nowait)();
    return heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
}

void GOMP_sections_end(void)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_sections_end, ());
    HEIST__RUNTIME(GOMP_sections_end_nowait)();
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
}

bool GOMP_sections_end_cancel(void)
{
    HEIST__SELF_OR_RUNTIME(self, GOMP_sections_end_cancel, ());
    HEIST__RUNTIME(GOMP_sections_end_nowait)();
    return heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
}

/* single with copyprivate: one thread gets NULL and runs the block; the others wait for the address of the data that it
 * leaves. The compiler has a barrier follow, after which the address may change again. */
void *GOMP_single_copy_start(void)
{
    HEIST__SELF_OR_RUNTIME(self, GOMP_single_copy_start, ());
    if (HEIST__RUNTIME(GOMP_single_start)()) return NULL;
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
    return heist__load_relaxed(&self->team->copyprivate); /* relaxed: B2 of the barrier orders it */
}

void GOMP_single_copy_end(void *data)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_single_copy_end, (data));
    heist__store_relaxed(&self->team->copyprivate, data); /* relaxed: as above */
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
}

/* ---- reduction(task, ...) ---- */

unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory)
{
    unsigned first = HEIST__RUNTIME(GOMP_sections2_start)(count, reductions, memory);
    heist__gomp_workshare_reductions(heist__omp_self, reductions);
    return first;
}

void GOMP_scope_start(uintptr_t *reductions)
{
    HEIST__RUNTIME(GOMP_scope_start)(reductions);
    heist__gomp_workshare_reductions(heist__omp_self, reductions);
}

#define LOOP(name)                                                                                                     \
    bool name(long start, long end, long step, long schedule, long chunk, long *from, long *to, uintptr_t *reductions, \
              void **memory)                                                                                           \
    {                                                                                                                  \
        bool some = HEIST__RUNTIME(name)(start, end, step, schedule, chunk, from, to, reductions, memory);             \
        heist__gomp_workshare_reductions(heist__omp_self, reductions);                                                 \
        return some;                                                                                                   \
    }
LOOP(GOMP_loop_start)
LOOP(GOMP_loop_ordered_start)
#undef LOOP

#define LOOP(name)                                                                                                     \
    bool name(bool up, heist__ull start, heist__ull end, heist__ull step, long schedule, heist__ull chunk,             \
              heist__ull *from, heist__ull *to, uintptr_t *reductions, void **memory)                                  \
    {                                                                                                                  \
        bool some = HEIST__RUNTIME(name)(up, start, end, step, schedule, chunk, from, to, reductions, memory);         \
        heist__gomp_workshare_reductions(heist__omp_self, reductions);                                                 \
        return some;                                                                                                   \
    }
LOOP(GOMP_loop_ull_start)
LOOP(GOMP_loop_ull_ordered_start)
#undef LOOP

bool GOMP_loop_doacross_start(unsigned count, long *counts, long schedule, long chunk, long *from, long *to,
                              uintptr_t *reductions, void **memory)
{
    bool some = HEIST__RUNTIME(GOMP_loop_doacross_start)(count, counts, schedule, chunk, from, to, reductions, memory);
    heist__gomp_workshare_reductions(heist__omp_self, reductions);
    return some;
}

bool GOMP_loop_ull_doacross_start(unsigned count, heist__ull *counts, long schedule, heist__ull chunk, heist__ull *from,
                                  heist__ull *to, uintptr_t *reductions, void **memory)
{
    bool some =
        HEIST__RUNTIME(GOMP_loop_ull_doacross_start)(count, counts, schedule, chunk, from, to, reductions, memory);
    heist__gomp_workshare_reductions(heist__omp_self, reductions);
    return some;
}
