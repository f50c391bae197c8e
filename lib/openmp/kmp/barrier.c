/* Barriers, and the constructs that hide one; taskgroups. In clang's programs most work-sharing constructs end
 * with a call of __kmpc_barrier, so libomp's can be left as they are. */
#include "openmp/kmp/kmp.h"

void __kmpc_barrier(void *loc, int32_t gtid)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        heist__omp_barrier(self, HEIST__BAR_WITHIN);
    } else {
        HEIST__REAL(__kmpc_barrier)(loc, gtid);
    }
}

int32_t __kmpc_cancel_barrier(void *loc, int32_t gtid)
{
    heist__omp_slot *self = heist__omp_self;
    return self ? heist__omp_barrier(self, HEIST__BAR_WITHIN) : HEIST__REAL(__kmpc_cancel_barrier)(loc, gtid);
}

/* The first thread comes out of it alone; the others when it says so. */
int32_t __kmpc_barrier_master(void *loc, int32_t gtid)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) return HEIST__REAL(__kmpc_barrier_master)(loc, gtid);
    heist__omp_barrier(self, HEIST__BAR_WITHIN);
    if (self->index == 0) return 1;
    heist__omp_barrier(self, HEIST__BAR_WITHIN);
    return 0;
}

void __kmpc_end_barrier_master(void *loc, int32_t gtid)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        heist__omp_barrier(self, HEIST__BAR_WITHIN);
    } else {
        HEIST__REAL(__kmpc_end_barrier_master)(loc, gtid);
    }
}

int32_t __kmpc_barrier_master_nowait(void *loc, int32_t gtid)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) return HEIST__REAL(__kmpc_barrier_master_nowait)(loc, gtid);
    heist__omp_barrier(self, HEIST__BAR_WITHIN);
    return self->index == 0;
}

/* ---- single with copyprivate ---- */

/* The address of what the one that ran the block has, for all. relaxed: B2 of the barriers orders it */
static void *hand_round(heist__omp_slot *self, void *data, bool is_source)
{
    if (is_source) heist__store_relaxed(&self->team->copyprivate, data);
    heist__omp_barrier(self, HEIST__BAR_WITHIN);
    return heist__load_relaxed(&self->team->copyprivate);
}

void __kmpc_copyprivate(void *loc, int32_t gtid, size_t size, void *data, void (*copy)(void *, void *),
                        int32_t is_source)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) {
        HEIST__REAL(__kmpc_copyprivate)(loc, gtid, size, data, copy, is_source);
        return;
    }
    void *source = hand_round(self, data, is_source);
    if (!is_source) copy(data, source);
    heist__omp_barrier(self, HEIST__BAR_WITHIN); /* what is copied from lies on a stack */
}

/* The compiler has the copies and a barrier follow. */
void *__kmpc_copyprivate_light(void *loc, int32_t gtid, void *data)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) return HEIST__REAL(__kmpc_copyprivate_light)(loc, gtid, data);
    return hand_round(self, data, data != NULL);
}

/* ---- reductions ---- */

/* libomp's barrier is in here or in __kmpc_end_reduce, as it chooses. No task is left when it comes. */
int32_t __kmpc_reduce(void *loc, int32_t gtid, int32_t count, size_t size, void *data, void (*combine)(void *, void *),
                      void *critical)
{
    if (heist__omp_self) heist__omp_barrier(heist__omp_self, HEIST__BAR_WITHIN);
    return HEIST__REAL(__kmpc_reduce)(loc, gtid, count, size, data, combine, critical);
}

/* ---- taskgroups ---- */

void __kmpc_taskgroup(void *loc, int32_t gtid)
{
    heist__omp_slot *self = heist__omp_self;
    if (self) {
        heist__omp_group_begin(self); /* without memory all its tasks run at once */
    } else {
        HEIST__REAL(__kmpc_taskgroup)(loc, gtid);
    }
}

void __kmpc_end_taskgroup(void *loc, int32_t gtid)
{
    heist__omp_slot *self = heist__omp_self;
    if (!self) {
        HEIST__REAL(__kmpc_end_taskgroup)(loc, gtid);
        return;
    }
    heist__kmp_reduction *reduction = heist__kmp_reduction_of_group(self);
    heist__omp_group_end(self);
    if (reduction) heist__kmp_reduction_end(self, reduction);
}
