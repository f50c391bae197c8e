/* orders.h: memory orders that the library has no name for, for the mutants that test/mutation makes. It is included
 * before a mutated source by the compiler's -include; MUTATION_MODEL says that the model checker's atomics come
 * after it. */
#ifndef MUTATION_ORDERS_H
#define MUTATION_ORDERS_H

#ifdef MUTATION_MODEL
#define mutation__add_acquire(p, v) MODEL__RMW(MODEL_ADD, p, v, MODEL_ACQUIRE)
#define mutation__add_release(p, v) MODEL__RMW(MODEL_ADD, p, v, MODEL_RELEASE)
#define mutation__exchange_acquire(p, v) MODEL__RMW(MODEL_EXCHANGE, p, v, MODEL_ACQUIRE)
#define mutation__exchange_release(p, v) MODEL__RMW(MODEL_EXCHANGE, p, v, MODEL_RELEASE)
#define mutation__exchange_relaxed(p, v) MODEL__RMW(MODEL_EXCHANGE, p, v, MODEL_RELAXED)
#define mutation__cas_acquire(p, expected, v) MODEL__CAS(p, expected, v, MODEL_ACQUIRE)
#define mutation__cas_release(p, expected, v) MODEL__CAS(p, expected, v, MODEL_RELEASE)
#else
#include <stdatomic.h>
#define mutation__add_acquire(p, v) atomic_fetch_add_explicit((p), (v), memory_order_acquire)
#define mutation__add_release(p, v) atomic_fetch_add_explicit((p), (v), memory_order_release)
#define mutation__exchange_acquire(p, v) atomic_exchange_explicit((p), (v), memory_order_acquire)
#define mutation__exchange_release(p, v) atomic_exchange_explicit((p), (v), memory_order_release)
#define mutation__exchange_relaxed(p, v) atomic_exchange_explicit((p), (v), memory_order_relaxed)
#define mutation__cas_acquire(p, expected, v)                                                                          \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_acquire, memory_order_acquire)
#define mutation__cas_release(p, expected, v)                                                                          \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_release, memory_order_relaxed)
#endif

/* Two fences are one of both orders. */
#define mutation__fence_acq_rel() (heist__fence_acquire(), heist__fence_release())

#endif
