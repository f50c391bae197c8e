/* The named atomics of heist, given to the model checker. Found before include/heist/detail/atomic.h when the library's
 * sources are compiled for the model; every name there has its counterpart here. An "atomic" field is then a plain
 * object whose bytes nobody reads: its values are in the checker's history. */
#ifndef HEIST_ATOMIC_H
#define HEIST_ATOMIC_H

#include <stdint.h>

#include "model.h"

#define HEIST__ATOMIC(type) __typeof__(type)

#define MODEL__WORD(v) ((uint64_t)(v))
#define MODEL__HERE __FILE__, __LINE__
#define MODEL__LOAD(p, order)                                                                                          \
    ((__typeof__(*(p)))model__load((const volatile void *)(p), sizeof *(p), order, MODEL__HERE))
#define MODEL__STORE(p, v, order)                                                                                      \
    model__store((volatile void *)(p), MODEL__WORD((__typeof__(*(p)))(v)), sizeof *(p), order, MODEL__HERE)
#define MODEL__RMW(kind, p, v, order)                                                                                  \
    ((__typeof__(*(p)))model__rmw(kind, (volatile void *)(p), MODEL__WORD(v), sizeof *(p), order, MODEL__HERE))
#define MODEL__CAS(p, expected, v, order)                                                                              \
    __extension__({                                                                                                    \
        uint64_t model__expected = MODEL__WORD(*(expected));                                                           \
        bool model__done = model__cas((volatile void *)(p), &model__expected, MODEL__WORD((__typeof__(*(p)))(v)),      \
                                      sizeof *(p), order, MODEL__HERE);                                                \
        *(expected) = (__typeof__(*(expected)))model__expected;                                                        \
        model__done;                                                                                                   \
    })

#define heist__load_relaxed(p) MODEL__LOAD(p, MODEL_RELAXED)
#define heist__load_acquire(p) MODEL__LOAD(p, MODEL_ACQUIRE)
#define heist__load_seq_cst(p) MODEL__LOAD(p, MODEL_SEQ_CST)
#define heist__store_relaxed(p, v) MODEL__STORE(p, v, MODEL_RELAXED)
#define heist__store_release(p, v) MODEL__STORE(p, v, MODEL_RELEASE)
#define heist__store_seq_cst(p, v) MODEL__STORE(p, v, MODEL_SEQ_CST)
#define heist__compiler_barrier() ((void)0) /* the model's code is not reordered; its reads may be stale all the same */
#define heist__exchange_relaxed(p, v) MODEL__RMW(MODEL_EXCHANGE, p, v, MODEL_RELAXED)
#define heist__exchange_acq_rel(p, v) MODEL__RMW(MODEL_EXCHANGE, p, v, MODEL_ACQ_REL)
#define heist__exchange_seq_cst(p, v) MODEL__RMW(MODEL_EXCHANGE, p, v, MODEL_SEQ_CST)
#define heist__add_relaxed(p, v) MODEL__RMW(MODEL_ADD, p, v, MODEL_RELAXED)
#define heist__add_acq_rel(p, v) MODEL__RMW(MODEL_ADD, p, v, MODEL_ACQ_REL)
#define heist__add_seq_cst(p, v) MODEL__RMW(MODEL_ADD, p, v, MODEL_SEQ_CST)
#define heist__cas_relaxed(p, expected, v) MODEL__CAS(p, expected, v, MODEL_RELAXED)
#define heist__cas_acq_rel(p, expected, v) MODEL__CAS(p, expected, v, MODEL_ACQ_REL)
#define heist__cas_seq_cst(p, expected, v) MODEL__CAS(p, expected, v, MODEL_SEQ_CST)
#define heist__fence_seq_cst() model__fence(MODEL_SEQ_CST, MODEL__HERE)
#define heist__fence_acquire() model__fence(MODEL_ACQUIRE, MODEL__HERE)
#define heist__fence_release() model__fence(MODEL_RELEASE, MODEL__HERE)

/* What mutants need beside: the orders between, which the library has no name for. */
#define model__add_acquire(p, v) MODEL__RMW(MODEL_ADD, p, v, MODEL_ACQUIRE)
#define model__add_release(p, v) MODEL__RMW(MODEL_ADD, p, v, MODEL_RELEASE)
#define model__cas_acquire(p, expected, v) MODEL__CAS(p, expected, v, MODEL_ACQUIRE)
#define model__cas_release(p, expected, v) MODEL__CAS(p, expected, v, MODEL_RELEASE)
#define model__exchange_relaxed(p, v) MODEL__RMW(MODEL_EXCHANGE, p, v, MODEL_RELAXED)

#define HEIST__LINE 128

#endif
