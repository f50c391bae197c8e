/* The entries of libgomp that libheist-gomp.so stands in front of, and those that it calls.
 *
 * The entries that the compiler calls have no public header. These declarations are the ABI as gcc 12 emits it.
 * GOMP_task has grown over the years: a caller that does not set a flag may not have passed the argument that belongs
 * to it. */
#ifndef HEIST_OPENMP_GOMP_ENTRIES_H
#define HEIST_OPENMP_GOMP_ENTRIES_H

#include "openmp/preload/api.h"

typedef unsigned long long heist__ull;

/* Flags of GOMP_task and GOMP_taskloop. */
enum {
    HEIST__GOMP_UNTIED = 1 << 0,
    HEIST__GOMP_FINAL = 1 << 1,
    HEIST__GOMP_MERGEABLE = 1 << 2,
    HEIST__GOMP_DEPEND = 1 << 3,
    HEIST__GOMP_PRIORITY = 1 << 4,
    HEIST__GOMP_UP = 1 << 8,
    HEIST__GOMP_GRAINSIZE = 1 << 9,
    HEIST__GOMP_IF = 1 << 10,
    HEIST__GOMP_NOGROUP = 1 << 11,
    HEIST__GOMP_REDUCTION = 1 << 12,
    HEIST__GOMP_DETACH = 1 << 13,
    HEIST__GOMP_STRICT = 1 << 14,
    HEIST__GOMP_TARGET_NOWAIT = 1 << 0, /* of GOMP_target_ext and similar entries */
};

/* ---- tasks ---- */
HEIST__ENTRY void GOMP_task(heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size, long align,
                            bool if_clause, unsigned flags, void **depend, int priority, void *detach);
HEIST__ENTRY void GOMP_taskloop(heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size, long align,
                                unsigned flags, unsigned long num_tasks, int priority, long start, long end, long step);
HEIST__ENTRY void GOMP_taskloop_ull(heist__omp_body *fn, void *data, void (*copy)(void *, void *), long size,
                                    long align, unsigned flags, unsigned long num_tasks, int priority, heist__ull start,
                                    heist__ull end, heist__ull step);
HEIST__ENTRY void GOMP_taskwait(void);
HEIST__ENTRY void GOMP_taskwait_depend(void **depend);
HEIST__ENTRY void GOMP_taskwait_depend_nowait(void **depend);
HEIST__ENTRY void GOMP_taskyield(void);
HEIST__ENTRY void GOMP_taskgroup_start(void);
HEIST__ENTRY void GOMP_taskgroup_end(void);
HEIST__ENTRY void GOMP_taskgroup_reduction_register(uintptr_t *data);
HEIST__ENTRY void GOMP_taskgroup_reduction_unregister(uintptr_t *data);
HEIST__ENTRY void GOMP_task_reduction_remap(size_t count, size_t originals, void **pointers);
HEIST__ENTRY void GOMP_workshare_task_reduction_unregister(bool cancelled);

/* ---- regions ---- */
HEIST__ENTRY void GOMP_parallel(heist__omp_body *fn, void *data, unsigned threads, unsigned flags);
HEIST__ENTRY unsigned GOMP_parallel_reductions(heist__omp_body *fn, void *data, unsigned threads, unsigned flags);
HEIST__ENTRY void GOMP_parallel_start(heist__omp_body *fn, void *data, unsigned threads);
HEIST__ENTRY void GOMP_parallel_end(void);
HEIST__ENTRY void GOMP_parallel_sections(heist__omp_body *fn, void *data, unsigned threads, unsigned count,
                                         unsigned flags);
HEIST__ENTRY void GOMP_parallel_sections_start(heist__omp_body *fn, void *data, unsigned threads, unsigned count);

/* With a chunk size; without one; and the old ones, whose caller runs the body itself. */
#define HEIST__PARALLEL_LOOPS(X)                                                                                       \
    X(GOMP_parallel_loop_static)                                                                                       \
    X(GOMP_parallel_loop_dynamic)                                                                                      \
    X(GOMP_parallel_loop_guided)                                                                                       \
    X(GOMP_parallel_loop_nonmonotonic_dynamic)                                                                         \
    X(GOMP_parallel_loop_nonmonotonic_guided)
#define HEIST__PARALLEL_LOOPS_RUNTIME(X)                                                                               \
    X(GOMP_parallel_loop_runtime)                                                                                      \
    X(GOMP_parallel_loop_nonmonotonic_runtime)                                                                         \
    X(GOMP_parallel_loop_maybe_nonmonotonic_runtime)
#define HEIST__PARALLEL_LOOP_STARTS(X)                                                                                 \
    X(GOMP_parallel_loop_static_start)                                                                                 \
    X(GOMP_parallel_loop_dynamic_start)                                                                                \
    X(GOMP_parallel_loop_guided_start)

#define DECLARE(name)                                                                                                  \
    HEIST__ENTRY void name(heist__omp_body *fn, void *data, unsigned threads, long start, long end, long step,         \
                           long chunk, unsigned flags);
HEIST__PARALLEL_LOOPS(DECLARE)
#undef DECLARE
#define DECLARE(name)                                                                                                  \
    HEIST__ENTRY void name(heist__omp_body *fn, void *data, unsigned threads, long start, long end, long step,         \
                           unsigned flags);
HEIST__PARALLEL_LOOPS_RUNTIME(DECLARE)
#undef DECLARE
#define DECLARE(name)                                                                                                  \
    HEIST__ENTRY void name(heist__omp_body *fn, void *data, unsigned threads, long start, long end, long step,         \
                           long chunk);
HEIST__PARALLEL_LOOP_STARTS(DECLARE)
#undef DECLARE
HEIST__ENTRY void GOMP_parallel_loop_runtime_start(heist__omp_body *fn, void *data, unsigned threads, long start,
                                                   long end, long step);

/* ---- work-sharing with a barrier inside, or with task reductions ---- */
HEIST__ENTRY void GOMP_barrier(void);
HEIST__ENTRY bool GOMP_barrier_cancel(void);
HEIST__ENTRY void GOMP_loop_end(void);
HEIST__ENTRY void GOMP_loop_end_nowait(void);
HEIST__ENTRY bool GOMP_loop_end_cancel(void);
HEIST__ENTRY void GOMP_sections_end(void);
HEIST__ENTRY void GOMP_sections_end_nowait(void);
HEIST__ENTRY bool GOMP_sections_end_cancel(void);
HEIST__ENTRY bool GOMP_single_start(void);
HEIST__ENTRY void *GOMP_single_copy_start(void);
HEIST__ENTRY void GOMP_single_copy_end(void *data);
HEIST__ENTRY unsigned GOMP_sections2_start(unsigned count, uintptr_t *reductions, void **memory);
HEIST__ENTRY void GOMP_scope_start(uintptr_t *reductions);
HEIST__ENTRY bool GOMP_loop_start(long start, long end, long step, long schedule, long chunk, long *from, long *to,
                                  uintptr_t *reductions, void **memory);
HEIST__ENTRY bool GOMP_loop_ordered_start(long start, long end, long step, long schedule, long chunk, long *from,
                                          long *to, uintptr_t *reductions, void **memory);
HEIST__ENTRY bool GOMP_loop_doacross_start(unsigned count, long *counts, long schedule, long chunk, long *from,
                                           long *to, uintptr_t *reductions, void **memory);
HEIST__ENTRY bool GOMP_loop_ull_start(bool up, heist__ull start, heist__ull end, heist__ull step, long schedule,
                                      heist__ull chunk, heist__ull *from, heist__ull *to, uintptr_t *reductions,
                                      void **memory);
HEIST__ENTRY bool GOMP_loop_ull_ordered_start(bool up, heist__ull start, heist__ull end, heist__ull step, long schedule,
                                              heist__ull chunk, heist__ull *from, heist__ull *to, uintptr_t *reductions,
                                              void **memory);
HEIST__ENTRY bool GOMP_loop_ull_doacross_start(unsigned count, heist__ull *counts, long schedule, heist__ull chunk,
                                               heist__ull *from, heist__ull *to, uintptr_t *reductions, void **memory);

/* ---- cancellation ---- */
HEIST__ENTRY bool GOMP_cancel(int which, bool active);
HEIST__ENTRY bool GOMP_cancellation_point(int which);

/* ---- devices ---- */
HEIST__ENTRY void GOMP_target(int device, void (*fn)(void *), const void *unused, size_t maps, void **addresses,
                              size_t *sizes, unsigned char *kinds); /* before gcc 6 */
HEIST__ENTRY void GOMP_target_ext(int device, void (*fn)(void *), size_t maps, void **addresses, size_t *sizes,
                                  unsigned short *kinds, unsigned flags, void **depend, void **arguments);
HEIST__ENTRY void GOMP_target_update_ext(int device, size_t maps, void **addresses, size_t *sizes,
                                         unsigned short *kinds, unsigned flags, void **depend);
HEIST__ENTRY void GOMP_target_enter_exit_data(int device, size_t maps, void **addresses, size_t *sizes,
                                              unsigned short *kinds, unsigned flags, void **depend);

typedef struct heist__omp_depobj { /* omp_depend_t */
    void *address;
    uintptr_t kind;
} heist__omp_depobj;

HEIST__ENTRY int omp_target_memcpy_async(void *to, const void *from, size_t length, size_t to_offset,
                                         size_t from_offset, int to_device, int from_device, int depobj_count,
                                         heist__omp_depobj *depobjs);
HEIST__ENTRY int omp_target_memcpy_rect_async(void *to, const void *from, size_t element, int dimensions,
                                              const size_t *volume, const size_t *to_offsets,
                                              const size_t *from_offsets, const size_t *to_sizes,
                                              const size_t *from_sizes, int to_device, int from_device,
                                              int depobj_count, heist__omp_depobj *depobjs);
HEIST__ENTRY void *omp_target_memset_async(void *to, int value, size_t length, int device, int depobj_count,
                                           heist__omp_depobj *depobjs); /* from gcc 16 on */
extern void *omp_target_memset(void *to, int value, size_t length, int device);
extern int omp_target_memcpy(void *to, const void *from, size_t length, size_t to_offset, size_t from_offset,
                             int to_device, int from_device);
extern int omp_target_memcpy_rect(void *to, const void *from, size_t element, int dimensions, const size_t *volume,
                                  const size_t *to_offsets, const size_t *from_offsets, const size_t *to_sizes,
                                  const size_t *from_sizes, int to_device, int from_device);

/* ---- nestable locks ---- */
typedef struct heist__nest_lock { /* libgomp's omp_nest_lock_t */
    int lock;                     /* libgomp's omp_lock_t */
    int count;
    void *owner;
} heist__nest_lock;

HEIST__ENTRY void omp_set_nest_lock(heist__nest_lock *lock);
HEIST__ENTRY void omp_unset_nest_lock(heist__nest_lock *lock);
HEIST__ENTRY int omp_test_nest_lock(heist__nest_lock *lock);
HEIST__ENTRY void omp_set_nest_lock_(heist__nest_lock **lock);
HEIST__ENTRY void omp_unset_nest_lock_(heist__nest_lock **lock);
HEIST__ENTRY int omp_test_nest_lock_(heist__nest_lock **lock);

/* ---- critical sections ---- */
HEIST__ENTRY void GOMP_critical_start(void);
HEIST__ENTRY void GOMP_critical_end(void);
HEIST__ENTRY void GOMP_critical_name_start(void **name);
HEIST__ENTRY void GOMP_critical_name_end(void **name);

/* Every name above that libgomp has. X(name), in no particular order: the wrapped ones, and those that are only
 * called. */
/* clang-format off */
#define HEIST__WRAPPED(X)                                                                                              \
    X(GOMP_task) X(GOMP_taskloop) X(GOMP_taskloop_ull) X(GOMP_taskwait) X(GOMP_taskwait_depend)                        \
    X(GOMP_taskwait_depend_nowait) X(GOMP_taskyield) X(GOMP_taskgroup_start) X(GOMP_taskgroup_end)                     \
    X(GOMP_taskgroup_reduction_register) X(GOMP_taskgroup_reduction_unregister) X(GOMP_task_reduction_remap)           \
    X(GOMP_workshare_task_reduction_unregister)                                                                        \
    X(GOMP_parallel) X(GOMP_parallel_reductions) X(GOMP_parallel_start) X(GOMP_parallel_end)                           \
    X(GOMP_parallel_sections) X(GOMP_parallel_sections_start) X(GOMP_parallel_loop_runtime_start)                      \
    HEIST__PARALLEL_LOOPS(X) HEIST__PARALLEL_LOOPS_RUNTIME(X) HEIST__PARALLEL_LOOP_STARTS(X)                           \
    X(GOMP_barrier) X(GOMP_barrier_cancel) X(GOMP_loop_end) X(GOMP_loop_end_cancel) X(GOMP_sections_end)               \
    X(GOMP_sections_end_cancel) X(GOMP_single_copy_start) X(GOMP_single_copy_end) X(GOMP_sections2_start)              \
    X(GOMP_scope_start) X(GOMP_loop_start) X(GOMP_loop_ordered_start) X(GOMP_loop_doacross_start)                      \
    X(GOMP_loop_ull_start) X(GOMP_loop_ull_ordered_start) X(GOMP_loop_ull_doacross_start) X(GOMP_cancel)               \
    X(GOMP_cancellation_point) X(GOMP_target_ext) X(GOMP_target_update_ext) X(GOMP_target_enter_exit_data)             \
    X(omp_target_memcpy_async) X(omp_target_memcpy_rect_async) X(omp_target_memset_async) X(GOMP_target)               \
    X(GOMP_critical_start) X(GOMP_critical_end) X(GOMP_critical_name_start) X(GOMP_critical_name_end)                 \
    X(omp_set_nest_lock) X(omp_unset_nest_lock) X(omp_test_nest_lock) X(omp_set_nest_lock_)                            \
    X(omp_unset_nest_lock_) X(omp_test_nest_lock_) HEIST__API_WRAPPED(X)
#define HEIST__CALLED(X)                                                                                               \
    X(GOMP_loop_end_nowait) X(GOMP_sections_end_nowait) X(GOMP_single_start) X(omp_target_memcpy)                      \
    X(omp_target_memcpy_rect) X(omp_target_memset) HEIST__API_CALLED(X)
/* clang-format on */

/* The runtime's name in messages, the names that its file may have, and an entry that each version has. */
#define HEIST__RUNTIME_NAME "libgomp"
#define HEIST__RUNTIME_FILES "libgomp.so.1"
#define HEIST__RUNTIME_KEY GOMP_parallel

/* The runtime's own variable that says how long a thread spins, in rounds, and from which value on that is long. */
#define HEIST__SPIN_VARIABLE "GOMP_SPINCOUNT"
#define HEIST__SPIN_LONG 1e9

/* The runtime's own variable that, set to 0 or false, has all tasks put off. NULL: there is none. */
#define HEIST__THROTTLING_VARIABLE NULL

/* Entries of the same library that are not served, by the beginning of their names, and one of them: if the library
 * is libomp, which has libgomp's entries, too. */
#define HEIST__FOREIGN "__kmpc_"
#define HEIST__FOREIGN_KEY "__kmpc_fork_call"
#define HEIST__FOREIGN_CREATORS "__kmpc_omp_task_alloc", "__kmpc_omp_target_task_alloc"

/* An entry that the other library of heist's has. */
#define HEIST__OTHER_KEY "__kmpc_fork_call"

/* Whether a runtime that has HEIST__FOREIGN_KEY is never the one which this library stands in front of. */
#define HEIST__NEVER_BOTH true

/* Set in handles of heist's events. The other library, which may be loaded, too, has another bit. */
#define HEIST__EVENT_BIT 1

/* How this runtime's entries begin; those with "task" in their names that this library has not and need not have; and
 * those that are not served. A program that calls one of the latter, or an unknown one, is left to the runtime. */
#define HEIST__PREFIX "GOMP_"
#define HEIST__HARMLESS ""
#define HEIST__UNSERVED ""

/* The entry of taskyield. */
#define HEIST__YIELD_ENTRY "GOMP_taskyield"

/* Names that a program which creates tasks imports. */
#define HEIST__CREATORS "GOMP_task", "GOMP_taskloop", "GOMP_taskloop_ull"

#endif
