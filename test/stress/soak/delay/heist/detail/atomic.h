/* heist/detail/atomic.h for the soak and for test/stress/held_up: the same accesses, each a point where a thread may
 * be held up. Found before the real one when the library is compiled for them. A point is called by its place:
 * task_deque.c:214. */
#ifndef SOAK_ATOMIC_H
#define SOAK_ATOMIC_H

#pragma GCC system_header /* include_next is not ISO C */
#include_next <heist/detail/atomic.h>

void soak_point(const char *file, int line, const char *function);

#define SOAK__HERE soak_point(__FILE__, __LINE__, __func__)

#undef heist__load_relaxed
#undef heist__load_acquire
#undef heist__load_seq_cst
#undef heist__store_relaxed
#undef heist__store_release
#undef heist__store_seq_cst
#undef heist__exchange_acq_rel
#undef heist__exchange_seq_cst
#undef heist__add_acq_rel
#undef heist__add_seq_cst
#undef heist__cas_relaxed
#undef heist__cas_acq_rel
#undef heist__cas_seq_cst
#undef heist__fence_seq_cst

#define heist__load_relaxed(p) (SOAK__HERE, atomic_load_explicit((p), memory_order_relaxed))
#define heist__load_acquire(p) (SOAK__HERE, atomic_load_explicit((p), memory_order_acquire))
#define heist__load_seq_cst(p) (SOAK__HERE, atomic_load_explicit((p), memory_order_seq_cst))
#define heist__store_relaxed(p, v) (SOAK__HERE, atomic_store_explicit((p), (v), memory_order_relaxed))
#define heist__store_release(p, v) (SOAK__HERE, atomic_store_explicit((p), (v), memory_order_release))
#define heist__store_seq_cst(p, v) (SOAK__HERE, atomic_store_explicit((p), (v), memory_order_seq_cst))
#define heist__exchange_acq_rel(p, v) (SOAK__HERE, atomic_exchange_explicit((p), (v), memory_order_acq_rel))
#define heist__exchange_seq_cst(p, v) (SOAK__HERE, atomic_exchange_explicit((p), (v), memory_order_seq_cst))
#define heist__add_acq_rel(p, v) (SOAK__HERE, atomic_fetch_add_explicit((p), (v), memory_order_acq_rel))
#define heist__add_seq_cst(p, v) (SOAK__HERE, atomic_fetch_add_explicit((p), (v), memory_order_seq_cst))
#define SOAK__CAS(p, expected, v, order, failed)                                                                       \
    (SOAK__HERE, atomic_compare_exchange_strong_explicit((p), (expected), (v), order, failed))
#define heist__cas_relaxed(p, expected, v) SOAK__CAS(p, expected, v, memory_order_relaxed, memory_order_relaxed)
#define heist__cas_acq_rel(p, expected, v) SOAK__CAS(p, expected, v, memory_order_acq_rel, memory_order_acquire)
#define heist__cas_seq_cst(p, expected, v) SOAK__CAS(p, expected, v, memory_order_seq_cst, memory_order_seq_cst)
#define heist__fence_seq_cst() (SOAK__HERE, atomic_thread_fence(memory_order_seq_cst))

#endif
