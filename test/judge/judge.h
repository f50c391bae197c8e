/* What the harnesses put under the library's sources so that GenMC can run them. Included before each of them.
 *
 * The atomics are those of <heist/detail/atomic.h>, C11 as it stands. Three things are not C11 and are made of it here:
 * memory from the kernel, the pause of a waiting core, and the heavy barrier. */
#ifndef HEIST_JUDGE_H
#define HEIST_JUDGE_H

#include <assert.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <genmc.h>
#include <heist/detail/atomic.h>

/* GenMC takes a fence between a thread and its signal handlers for a fence between threads. */
#undef heist__compiler_barrier
#define heist__compiler_barrier() ((void)0)

/* Orders that mutants need and the library has no name for. */
#define model__add_acquire(p, v) atomic_fetch_add_explicit((p), (v), memory_order_acquire)
#define model__cas_acquire(p, expected, v)                                                                             \
    atomic_compare_exchange_strong_explicit((p), (expected), (v), memory_order_acquire, memory_order_acquire)

#define __builtin_ia32_pause() ((void)0)

/* --- the heavy barrier --------------------------------------------------------------------------------------------
 *
 * membarrier makes every other thread pass a full fence at some point between the call and its return. Only the owner
 * of a deque needs that fence, so only the owner passes one here. At each light half, and between its operations, the
 * owner looks whether a thief asks, and if so passes the fence and answers. An owner that has nothing more to do has
 * passed all fences. GenMC tries each of these places; with JUDGE_EVERYWHERE also the place before each atomic access
 * of the owner. */
#ifdef JUDGE_MEMBARRIER
static _Atomic(unsigned) judge_asked;    /* Written by: thieves (add). Read by: owner. */
static _Atomic(unsigned) judge_answered; /* Written by: owner. Read by: thieves. */
static _Thread_local bool judge_is_owner;
static _Thread_local unsigned judge_passed;

static inline void judge_step(void)
{
    if (!judge_is_owner) return;
    unsigned asked = __c11_atomic_load(&judge_asked, __ATOMIC_RELAXED); /* relaxed: the fence orders it */
    if (asked == judge_passed) return;
    __c11_atomic_thread_fence(__ATOMIC_SEQ_CST);
    judge_passed = asked;
    __c11_atomic_store(&judge_answered, asked, __ATOMIC_RELAXED); /* relaxed: the fence orders it */
}

static inline void judge_own(void)
{
    judge_is_owner = true;
}

static inline void judge_rest(void)
{
    judge_is_owner = false;
    __c11_atomic_thread_fence(__ATOMIC_SEQ_CST);
    __c11_atomic_store(&judge_answered, ~0u, __ATOMIC_RELAXED); /* relaxed: the fence orders it */
}

static inline void judge_barrier(void)
{
    __c11_atomic_thread_fence(__ATOMIC_SEQ_CST);
    unsigned mine = __c11_atomic_fetch_add(&judge_asked, 1, __ATOMIC_RELAXED) + 1; /* relaxed: between two fences */
    while (__c11_atomic_load(&judge_answered, __ATOMIC_RELAXED) < mine) {
    } /* relaxed: between two fences */
    __c11_atomic_thread_fence(__ATOMIC_SEQ_CST);
}

#undef heist__compiler_barrier
#define heist__compiler_barrier() judge_step()
#ifdef JUDGE_EVERYWHERE
#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_fetch_add_explicit
#undef atomic_compare_exchange_strong_explicit
#define atomic_load_explicit(p, order) (judge_step(), __c11_atomic_load((p), (order)))
#define atomic_store_explicit(p, v, order) (judge_step(), __c11_atomic_store((p), (v), (order)))
#define atomic_exchange_explicit(p, v, order) (judge_step(), __c11_atomic_exchange((p), (v), (order)))
#define atomic_fetch_add_explicit(p, v, order) (judge_step(), __c11_atomic_fetch_add((p), (v), (order)))
#define atomic_compare_exchange_strong_explicit(p, expected, v, order, otherwise)                                      \
    (judge_step(), __c11_atomic_compare_exchange_strong((p), (expected), (v), (order), (otherwise)))
#endif
#else
#define judge_step() ((void)0)
#define judge_own() ((void)0)
#define judge_rest() ((void)0)
#define judge_barrier() ((void)0) /* not used: the deque is in fence mode */
#endif

#endif
