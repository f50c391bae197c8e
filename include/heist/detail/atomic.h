/* heist/detail/atomic.h: the atomic accesses of heist, each with its memory order in its name.
 *
 * In C a shared field is declared HEIST__ATOMIC(type) and is a C11 atomic. C++17 has no C11 atomics, so there the field
 * is a plain object of the same size and the compiler's builtins give the same accesses. Nothing else in heist touches
 * a shared field, except heist/task.h with a few instructions of its own on x86-64, which HEIST__NAMED_ATOMICS_ONLY
 * turns off: a model checker that replaces these names has then replaced them all.
 *
 * Every use says why its order suffices and names its partner; see lib/deque/DEQUE.md, lib/idle/IDLE.md and
 * lib/quiescence/TERMINATION.md for the edges. */
#ifndef HEIST_ATOMIC_H
#define HEIST_ATOMIC_H

#ifdef __cplusplus
#define HEIST__ATOMIC(type) type
#define heist__load_relaxed(p) __atomic_load_n((p), __ATOMIC_RELAXED)
#define heist__load_acquire(p) __atomic_load_n((p), __ATOMIC_ACQUIRE)
#define heist__load_seq_cst(p) __atomic_load_n((p), __ATOMIC_SEQ_CST)
#define heist__store_relaxed(p, v) __atomic_store_n((p), (v), __ATOMIC_RELAXED)
#define heist__store_release(p, v) __atomic_store_n((p), (v), __ATOMIC_RELEASE)
#define heist__store_seq_cst(p, v) __atomic_store_n((p), (v), __ATOMIC_SEQ_CST)
#define heist__compiler_barrier() __atomic_signal_fence(__ATOMIC_SEQ_CST)
#else
#include <stdatomic.h>
#define HEIST__ATOMIC(type) _Atomic(type)
#define heist__load_relaxed(p) atomic_load_explicit((p), memory_order_relaxed)
#define heist__load_acquire(p) atomic_load_explicit((p), memory_order_acquire)
#define heist__load_seq_cst(p) atomic_load_explicit((p), memory_order_seq_cst)
#define heist__store_relaxed(p, v) atomic_store_explicit((p), (v), memory_order_relaxed)
#define heist__store_release(p, v) atomic_store_explicit((p), (v), memory_order_release)
#define heist__store_seq_cst(p, v) atomic_store_explicit((p), (v), memory_order_seq_cst)
#define heist__compiler_barrier() atomic_signal_fence(memory_order_seq_cst)

/* What only the library uses: read-modify-write and fences. `expected` is a pointer, as in C11. */
#define heist__exchange_relaxed(p, v) atomic_exchange_explicit((p), (v), memory_order_relaxed)
#define heist__exchange_acq_rel(p, v) atomic_exchange_explicit((p), (v), memory_order_acq_rel)
#define heist__exchange_seq_cst(p, v) atomic_exchange_explicit((p), (v), memory_order_seq_cst)
#define heist__add_relaxed(p, v) atomic_fetch_add_explicit((p), (v), memory_order_relaxed)
#define heist__add_acq_rel(p, v) atomic_fetch_add_explicit((p), (v), memory_order_acq_rel)
#define heist__add_seq_cst(p, v) atomic_fetch_add_explicit((p), (v), memory_order_seq_cst)
#define heist__cas_relaxed(p, expected, v)                                                                             \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_relaxed, memory_order_relaxed)
#define heist__cas_acq_rel(p, expected, v)                                                                             \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_acq_rel, memory_order_acquire)
#define heist__cas_seq_cst(p, expected, v)                                                                             \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_seq_cst, memory_order_seq_cst)
#define heist__fence_seq_cst() atomic_thread_fence(memory_order_seq_cst)
#define heist__fence_acquire() atomic_thread_fence(memory_order_acquire)
#define heist__fence_release() atomic_thread_fence(memory_order_release)
#endif

/* The unit of false sharing: adjacent-line prefetch makes it two lines on x86. */
#define HEIST__LINE 128

#endif
