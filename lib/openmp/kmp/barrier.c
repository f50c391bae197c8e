/* Barriers, and constructs that hide one. In clang's programs most work-sharing constructs end with a call of
 * __kmpc_barrier, so libomp's constructs can be left as they are. */
#include "openmp/core/barrier.h"

#include "openmp/core/team.h"
#include "openmp/preload/runtime_symbols.h"

void __kmpc_barrier(void *loc, int32_t gtid)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, __kmpc_barrier, (loc, gtid));
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
}

int32_t __kmpc_cancel_barrier(void *loc, int32_t gtid)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_cancel_barrier, (loc, gtid));
    return heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
}

/* The first thread comes out of it alone; the others when the first one says so. */
int32_t __kmpc_barrier_master(void *loc, int32_t gtid)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_barrier_master, (loc, gtid));
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
    if (self->index == 0) return 1;
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
    return 0;
}

void __kmpc_end_barrier_master(void *loc, int32_t gtid)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, __kmpc_end_barrier_master, (loc, gtid));
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
}

int32_t __kmpc_barrier_master_nowait(void *loc, int32_t gtid)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_barrier_master_nowait, (loc, gtid));
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
    return self->index == 0;
}

/* ---- single with copyprivate ---- */

/* Hands the address that the thread with the block has to all threads. relaxed: B2 of the barriers orders it */
static void *hand_round(heist__omp_slot *self, void *data, bool is_source)
{
    if (is_source) heist__store_relaxed(&self->team->copyprivate, data);
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN);
    return heist__load_relaxed(&self->team->copyprivate);
}

void __kmpc_copyprivate(void *loc, int32_t gtid, size_t size, void *data, void (*copy)(void *, void *),
                        int32_t is_source)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, __kmpc_copyprivate, (loc, gtid, size, data, copy, is_source));
    void *source = hand_round(self, data, is_source);
    if (!is_source) copy(data, source);
    heist__omp_barrier(self, HEIST__BARRIER_WITHIN); /* the source lies on its thread's stack */
}

/* The compiler has the copies and a barrier follow. */
void *__kmpc_copyprivate_light(void *loc, int32_t gtid, void *data)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_copyprivate_light, (loc, gtid, data));
    return hand_round(self, data, data != NULL);
}

/* ---- reductions ---- */

/* libomp's barrier is in here or in __kmpc_end_reduce, as it chooses. With this barrier before, no task is left. */
int32_t __kmpc_reduce(void *loc, int32_t gtid, int32_t count, size_t size, void *data, void (*combine)(void *, void *),
                      void *critical)
{
    if (heist__omp_self) heist__omp_barrier(heist__omp_self, HEIST__BARRIER_WITHIN);
    return HEIST__RUNTIME(__kmpc_reduce)(loc, gtid, count, size, data, combine, critical);
}
