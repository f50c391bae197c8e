/* cancel, and the loops that it leaves behind. libomp hands out loops with a dynamic schedule from a few buffers, each
 * of which is free again when all threads have asked for a part and got none. A thread that leaves a cancelled loop has
 * not asked: with libomp alone the program waits for ever a few loops later. Here the thread asks, and drops the parts
 * that it gets. For that a thread must know whether the loop that it is in has such a schedule. Loops do not nest
 * within a region. */
#include "openmp/core/cancel.h"

#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

/* How a loop began. */
enum { STATIC, DISPATCH_4, DISPATCH_4u, DISPATCH_8, DISPATCH_8u };

static void note(uint32_t kind)
{
    heist__omp_slot *self = heist__omp_self;
    if (self && self->cancellable) self->loop = kind;
}

#define DEFINE(width, type, step_type)                                                                                 \
    void __kmpc_dispatch_init_##width(void *loc, int32_t gtid, int32_t schedule, type lower, type upper,               \
                                      step_type step, step_type chunk)                                                 \
    {                                                                                                                  \
        note(DISPATCH_##width);                                                                                        \
        HEIST__RUNTIME(__kmpc_dispatch_init_##width)(loc, gtid, schedule, lower, upper, step, chunk);                  \
    }                                                                                                                  \
    void __kmpc_dist_dispatch_init_##width(void *loc, int32_t gtid, int32_t schedule, int32_t *last, type lower,       \
                                           type upper, step_type step, step_type chunk)                                \
    {                                                                                                                  \
        note(DISPATCH_##width);                                                                                        \
        HEIST__RUNTIME(__kmpc_dist_dispatch_init_##width)(loc, gtid, schedule, last, lower, upper, step, chunk);       \
    }                                                                                                                  \
    void __kmpc_for_static_init_##width(void *loc, int32_t gtid, int32_t schedule, int32_t *last, type *lower,         \
                                        type *upper, step_type *stride, step_type step, step_type chunk)               \
    {                                                                                                                  \
        note(STATIC);                                                                                                  \
        HEIST__RUNTIME(__kmpc_for_static_init_##width)                                                                 \
        (loc, gtid, schedule, last, lower, upper, stride, step, chunk);                                                \
    }                                                                                                                  \
    void __kmpc_dist_for_static_init_##width(void *loc, int32_t gtid, int32_t schedule, int32_t *last, type *lower,    \
                                             type *upper, type *dist_upper, step_type *stride, step_type step,         \
                                             step_type chunk)                                                          \
    {                                                                                                                  \
        note(STATIC);                                                                                                  \
        HEIST__RUNTIME(__kmpc_dist_for_static_init_##width)                                                            \
        (loc, gtid, schedule, last, lower, upper, dist_upper, stride, step, chunk);                                    \
    }
HEIST__KMP_LOOPS(DEFINE)
#undef DEFINE

/* Asks for parts until there are none. */
#define DRAIN(width, type, step_type)                                                                                  \
    static void drain_##width(void *loc, int32_t gtid)                                                                 \
    {                                                                                                                  \
        int32_t last;                                                                                                  \
        type lower, upper;                                                                                             \
        step_type stride;                                                                                              \
        while (HEIST__RUNTIME(__kmpc_dispatch_next_##width)(loc, gtid, &last, &lower, &upper, &stride)) continue;      \
    }
HEIST__KMP_LOOPS(DRAIN)
#undef DRAIN

static void leave_loop(heist__omp_slot *self, void *loc, int32_t gtid)
{
    uint32_t kind = self->loop;
    self->loop = STATIC; /* the loop is left once only */
    switch (kind) {
    case DISPATCH_4: drain_4(loc, gtid); break;
    case DISPATCH_4u: drain_4u(loc, gtid); break;
    case DISPATCH_8: drain_8(loc, gtid); break;
    case DISPATCH_8u: drain_8u(loc, gtid); break;
    default: break;
    }
}

static int bits_of(int32_t which)
{
    switch (which) {
    case HEIST__KMP_PARALLEL: return HEIST__CANCEL_PARALLEL;
    case HEIST__KMP_LOOP: return HEIST__CANCEL_LOOP;
    case HEIST__KMP_SECTIONS: return HEIST__CANCEL_SECTIONS;
    case HEIST__KMP_TASKGROUP: return HEIST__CANCEL_TASKGROUP;
    default: heist__omp_fatal("__kmpc_cancel: of a kind that heist does not know");
    }
}

int32_t __kmpc_cancel(void *loc, int32_t gtid, int32_t which)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_cancel, (loc, gtid, which));
    bool cancelled = heist__omp_cancel(self, bits_of(which));
    if (cancelled && which == HEIST__KMP_LOOP) leave_loop(self, loc, gtid);
    return cancelled;
}

int32_t __kmpc_cancellationpoint(void *loc, int32_t gtid, int32_t which)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_cancellationpoint, (loc, gtid, which));
    bool cancelled = heist__omp_cancellation_point(self, bits_of(which));
    if (cancelled && which == HEIST__KMP_LOOP) leave_loop(self, loc, gtid);
    return cancelled;
}

/* Whether a cancellation was requested: an extension of Intel's. */
int kmp_get_cancellation_status(int which)
{
    HEIST__SELF_OR_RUNTIME(self, kmp_get_cancellation_status, (which));
    return heist__omp_cancellation_point(self, bits_of(which));
}

int kmp_get_cancellation_status_(int which)
{
    return kmp_get_cancellation_status(which);
}
