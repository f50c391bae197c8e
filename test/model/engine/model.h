/* What a harness sees of the model checker.
 *
 * A harness has a `setup` that builds the world (the real objects of heist) and adds threads; each thread then runs the
 * library's real code as a coroutine. Every access to an atomic is a step at which the checker may go on with another
 * thread, and every load a point where it may return any store that C11 allows. Plain memory got from the model's heap
 * is watched: two accesses without happens-before between them, one of them a write, are a failure, and so is touching
 * what was freed. A harness states what must hold with model_check, and in `end` what must hold when nothing moves any
 * more.
 *
 * What changes during a run must lie on a thread's stack or in memory from model_alloc, malloc and the like: the
 * checker goes back and forth between states by copying these. */
#ifndef HEIST_MODEL_H
#define HEIST_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum { MODEL_RELAXED, MODEL_ACQUIRE, MODEL_RELEASE, MODEL_ACQ_REL, MODEL_SEQ_CST } model_order;
typedef enum { MODEL_EXCHANGE, MODEL_ADD } model_rmw_kind;

/* ---- what a harness supplies ---- */
extern const char model_harness_name[];
void model_setup(void);
/* Nothing can move: `blocked` has a bit for each thread that waits for ever, 0 when all have returned. */
void model_end(unsigned blocked);
/* Looked at in every state. */
void model_always(void);

/* ---- what it may call in setup ---- */
/* The words of the scenario, as in "thieves=2 fenced". */
long model_number(const char *name, long otherwise);
const char *model_text(const char *name, const char *otherwise);
void model_thread(void (*run)(void *), void *argument);
/* Names for the table of a failed run. `size` bytes in pieces of `piece`; `tagged`: shown as number#tag. */
void model_name(const volatile void *base, size_t size, size_t piece, bool tagged, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
/* These atomics count only; they are left out. */
void model_ignore(const volatile void *base, size_t size);
/* Only thread `thread` writes this atomic: its own loads of it are no step. A write by another is a failure. */
void model_single_writer(const volatile void *base, size_t size, int thread);
/* Relaxed loads of these may return late: they give a token, which model_late_value turns into the store that overtook
 * them. The modelled code must not look into the value before. */
void model_late(const volatile void *base, size_t size);
/* Plain accesses to it are not watched, since nothing else goes wrong if it is never freed during the run. */
void model_unwatch(const volatile void *base, size_t size);

/* ---- anywhere ---- */
int model_self(void); /* the number of the calling thread, -1 in setup, always, end */
/* Memory that belongs to the state. Not watched. */
void *model_alloc(size_t size);
/* ... watched, as if from malloc. */
void *model_payload(size_t size);
void model_check(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The newest value of an atomic, without being a step of the run. */
uint64_t model_peek(const volatile void *atomic, size_t size);
#define MODEL_PEEK(p) ((__typeof__(*(p)))model_peek((p), sizeof *(p)))
/* `value`, or what the load behind the token has returned. */
void *model_late_value(void *value);
/* Any number below n: all are tried. */
int model_choose(int n);
void model_join(int thread);
/* From here on, until it is called with false, the calling thread waits for nobody: in every state the checker runs it
 * alone, as if all others stood still for ever, and it must come to the end. Such code is obstruction-free. */
void model_must_end(bool must);
/* A word for each thread, for what is _Thread_local outside. */
void **model_local(void);

/* ---- what stands in for the system ---- */
void model_pause(void);
void model_futex_wait(const volatile void *word, uint32_t expected);
void model_futex_wake(const volatile void *word, int count);
void model_membarrier(void);
void model_lock(volatile void *mutex);
int model_trylock(volatile void *mutex); /* 0, or EBUSY */
void model_unlock(volatile void *mutex);
void *model_malloc(size_t size);
void *model_calloc(size_t count, size_t size);
void *model_aligned_alloc(size_t alignment, size_t size);
void model_free(void *p);
void *model_mmap(size_t size);
void *model_memset(void *p, int byte, size_t size);
void *model_memcpy(void *to, const void *from, size_t size);

/* ---- behind heist/detail/atomic.h ---- */
uint64_t model__load(const volatile void *p, size_t size, model_order order, const char *file, int line);
void model__store(volatile void *p, uint64_t value, size_t size, model_order order, const char *file, int line);
uint64_t model__rmw(model_rmw_kind kind, volatile void *p, uint64_t value, size_t size, model_order order,
                    const char *file, int line);
bool model__cas(volatile void *p, uint64_t *expected, uint64_t value, size_t size, model_order order, const char *file,
                int line);
void model__fence(model_order order, const char *file, int line);

#endif
