/* The entries of LLVM's libomp that libheist-omp.so stands in front of, and those that it calls.
 *
 * The entries that the compiler calls have no public header. These declarations are the ABI as clang emits it, from 3.8
 * on. `loc` says where in the source the call is, `gtid` is libomp's number of the calling thread; neither is needed
 * here. */
#ifndef HEIST_OPENMP_KMP_ENTRIES_H
#define HEIST_OPENMP_KMP_ENTRIES_H

#include "openmp/preload/api.h"

typedef struct heist__kmp_task heist__kmp_task;
typedef int32_t heist__kmp_routine(int32_t gtid, heist__kmp_task *task);
typedef void heist__kmp_micro(int32_t *gtid, int32_t *tid, ...);

/* kmp_task_t: the part of a task that the compiler knows. Its private data follow. */
struct heist__kmp_task {
    void *shareds;
    heist__kmp_routine *routine;
    int32_t part; /* of an untied task, which is called for each */
    union {
        int32_t priority;
        heist__kmp_routine *destructors;
    } data1, data2; /* the destructors, if any; the priority, if any */
};

/* Flags of __kmpc_omp_task_alloc. */
enum {
    HEIST__KMP_TIED = 1 << 0,
    HEIST__KMP_FINAL = 1 << 1,
    HEIST__KMP_DESTRUCTORS = 1 << 3,
    HEIST__KMP_PROXY = 1 << 4,
    HEIST__KMP_PRIORITY = 1 << 5,
};

/* kmp_depend_info_t */
typedef struct heist__kmp_depend {
    void *address;
    size_t length;
    uint8_t kind; /* bits */
} heist__kmp_depend;
enum {
    HEIST__KMP_DEPEND_IN = 1,
    HEIST__KMP_DEPEND_OUT = 2,
    HEIST__KMP_DEPEND_MUTEX = 4,
    HEIST__KMP_DEPEND_SET = 8,
    HEIST__KMP_DEPEND_ALL = 0x80, /* omp_all_memory; some compilers use an address for that */
};
#define HEIST__KMP_ALL_MEMORY ((void *)UINTPTR_MAX)

/* The construct that is cancelled. */
enum { HEIST__KMP_PARALLEL = 1, HEIST__KMP_LOOP, HEIST__KMP_SECTIONS, HEIST__KMP_TASKGROUP };

/* How a taskloop is divided. */
enum { HEIST__KMP_GRAINSIZE = 1, HEIST__KMP_NUM_TASKS = 2 };

/* ---- tasks ---- */
HEIST__ENTRY heist__kmp_task *__kmpc_omp_task_alloc(void *loc, int32_t gtid, int32_t flags, size_t size, size_t shareds,
                                                    heist__kmp_routine *routine);
HEIST__ENTRY heist__kmp_task *__kmpc_omp_target_task_alloc(void *loc, int32_t gtid, int32_t flags, size_t size,
                                                           size_t shareds, heist__kmp_routine *routine, int64_t device);
HEIST__ENTRY int32_t __kmpc_omp_task(void *loc, int32_t gtid, heist__kmp_task *task);
HEIST__ENTRY int32_t __kmpc_omp_task_parts(void *loc, int32_t gtid, heist__kmp_task *task);
HEIST__ENTRY int32_t __kmpc_omp_task_with_deps(void *loc, int32_t gtid, heist__kmp_task *task, int32_t count,
                                               heist__kmp_depend *list, int32_t noalias_count,
                                               heist__kmp_depend *noalias_list);
HEIST__ENTRY void __kmpc_omp_task_begin_if0(void *loc, int32_t gtid, heist__kmp_task *task);
HEIST__ENTRY void __kmpc_omp_task_complete_if0(void *loc, int32_t gtid, heist__kmp_task *task);
HEIST__ENTRY int32_t __kmpc_omp_reg_task_with_affinity(void *loc, int32_t gtid, heist__kmp_task *task, int32_t count,
                                                       void *list);
HEIST__ENTRY void *__kmpc_task_allow_completion_event(void *loc, int32_t gtid, heist__kmp_task *task);
HEIST__ENTRY void __kmpc_proxy_task_completed(int32_t gtid, heist__kmp_task *task);
HEIST__ENTRY void __kmpc_proxy_task_completed_ooo(heist__kmp_task *task);
HEIST__ENTRY int32_t __kmpc_omp_taskwait(void *loc, int32_t gtid);
HEIST__ENTRY void __kmpc_omp_wait_deps(void *loc, int32_t gtid, int32_t count, heist__kmp_depend *list,
                                       int32_t noalias_count, heist__kmp_depend *noalias_list);
HEIST__ENTRY void __kmpc_omp_taskwait_deps_51(void *loc, int32_t gtid, int32_t count, heist__kmp_depend *list,
                                              int32_t noalias_count, heist__kmp_depend *noalias_list, int32_t nowait);
HEIST__ENTRY int32_t __kmpc_omp_taskyield(void *loc, int32_t gtid, int end_part);
HEIST__ENTRY void __kmpc_taskgroup(void *loc, int32_t gtid);
HEIST__ENTRY void __kmpc_end_taskgroup(void *loc, int32_t gtid);
HEIST__ENTRY void __kmpc_taskloop(void *loc, int32_t gtid, heist__kmp_task *task, int32_t if_value, uint64_t *lower,
                                  uint64_t *upper, int64_t step, int32_t nogroup, int32_t schedule, uint64_t amount,
                                  void *duplicate);
HEIST__ENTRY void __kmpc_taskloop_5(void *loc, int32_t gtid, heist__kmp_task *task, int32_t if_value, uint64_t *lower,
                                    uint64_t *upper, int64_t step, int32_t nogroup, int32_t schedule, uint64_t amount,
                                    int32_t strict, void *duplicate);
HEIST__ENTRY int32_t __kmpc_start_record_task(void *loc, int32_t gtid, int32_t flags, int32_t id);
HEIST__ENTRY void __kmpc_end_record_task(void *loc, int32_t gtid, int32_t flags, int32_t id);
HEIST__ENTRY void *__kmpc_task_get_depnode(heist__kmp_task *task);
HEIST__ENTRY void *__kmpc_task_get_successors(heist__kmp_task *task);
HEIST__ENTRY void __kmpc_taskgraph(void *loc, int32_t gtid, int32_t flags, uint32_t id, void *entry, void *data);

/* ---- task reductions ---- */
HEIST__ENTRY void *__kmpc_task_reduction_init(int32_t gtid, int32_t count, void *items);
HEIST__ENTRY void *__kmpc_taskred_init(int32_t gtid, int32_t count, void *items);
HEIST__ENTRY void *__kmpc_task_reduction_get_th_data(int32_t gtid, void *group, void *item);
HEIST__ENTRY void *__kmpc_task_reduction_modifier_init(void *loc, int32_t gtid, int32_t workshare, int32_t count,
                                                       void *items);
HEIST__ENTRY void *__kmpc_taskred_modifier_init(void *loc, int32_t gtid, int32_t workshare, int32_t count, void *items);
HEIST__ENTRY void __kmpc_task_reduction_modifier_fini(void *loc, int32_t gtid, int32_t workshare);

/* ---- regions ---- */
HEIST__ENTRY void __kmpc_fork_call(void *loc, int32_t count, heist__kmp_micro *micro, ...);
HEIST__ENTRY void __kmpc_fork_call_if(void *loc, int32_t count, heist__kmp_micro *micro, int32_t condition,
                                      void *argument);
HEIST__ENTRY void __kmpc_fork_teams(void *loc, int32_t count, heist__kmp_micro *micro, ...);
HEIST__ENTRY void __kmpc_serialized_parallel(void *loc, int32_t gtid);
HEIST__ENTRY void __kmpc_end_serialized_parallel(void *loc, int32_t gtid);

/* ---- barriers, and constructs that hide one ---- */
HEIST__ENTRY void __kmpc_barrier(void *loc, int32_t gtid);
HEIST__ENTRY int32_t __kmpc_cancel_barrier(void *loc, int32_t gtid);
HEIST__ENTRY int32_t __kmpc_barrier_master(void *loc, int32_t gtid);
HEIST__ENTRY void __kmpc_end_barrier_master(void *loc, int32_t gtid);
HEIST__ENTRY int32_t __kmpc_barrier_master_nowait(void *loc, int32_t gtid);
HEIST__ENTRY void __kmpc_copyprivate(void *loc, int32_t gtid, size_t size, void *data, void (*copy)(void *, void *),
                                     int32_t is_source);
HEIST__ENTRY void *__kmpc_copyprivate_light(void *loc, int32_t gtid, void *data);
HEIST__ENTRY int32_t __kmpc_reduce(void *loc, int32_t gtid, int32_t count, size_t size, void *data,
                                   void (*combine)(void *, void *), void *lock);

/* ---- cancellation ---- */
HEIST__ENTRY int32_t __kmpc_cancel(void *loc, int32_t gtid, int32_t which);
HEIST__ENTRY int32_t __kmpc_cancellationpoint(void *loc, int32_t gtid, int32_t which);
HEIST__ENTRY int kmp_get_cancellation_status(int which);
HEIST__ENTRY int kmp_get_cancellation_status_(int which); /* by value in Fortran, too */

/* ---- called by many functions when they begin ---- */
HEIST__ENTRY int32_t __kmpc_global_thread_num(void *loc);

/* ---- loops: X(width, type, type of steps) ---- */
#define HEIST__KMP_LOOPS(X)                                                                                            \
    X(4, int32_t, int32_t)                                                                                             \
    X(4u, uint32_t, int32_t)                                                                                           \
    X(8, int64_t, int64_t)                                                                                             \
    X(8u, uint64_t, int64_t)
#define DECLARE(width, type, step_type)                                                                                \
    HEIST__ENTRY void __kmpc_dispatch_init_##width(void *loc, int32_t gtid, int32_t schedule, type lower, type upper,  \
                                                   step_type step, step_type chunk);                                   \
    HEIST__ENTRY void __kmpc_dist_dispatch_init_##width(void *loc, int32_t gtid, int32_t schedule, int32_t *last,      \
                                                        type lower, type upper, step_type step, step_type chunk);      \
    HEIST__ENTRY void __kmpc_for_static_init_##width(void *loc, int32_t gtid, int32_t schedule, int32_t *last,         \
                                                     type *lower, type *upper, step_type *stride, step_type step,      \
                                                     step_type chunk);                                                 \
    HEIST__ENTRY void __kmpc_dist_for_static_init_##width(void *loc, int32_t gtid, int32_t schedule, int32_t *last,    \
                                                          type *lower, type *upper, type *dist_upper,                  \
                                                          step_type *stride, step_type step, step_type chunk);         \
    extern int __kmpc_dispatch_next_##width(void *loc, int32_t gtid, int32_t *last, type *lower, type *upper,          \
                                            step_type *stride);
HEIST__KMP_LOOPS(DECLARE)
#undef DECLARE

/* ---- nestable locks ---- */
typedef struct heist__kmp_nest_lock heist__kmp_nest_lock;
HEIST__ENTRY void omp_init_nest_lock(heist__kmp_nest_lock **lock);
HEIST__ENTRY void omp_init_nest_lock_(heist__kmp_nest_lock **lock);
HEIST__ENTRY void omp_init_nest_lock_with_hint(heist__kmp_nest_lock **lock, int hint);
HEIST__ENTRY void omp_init_nest_lock_with_hint_(heist__kmp_nest_lock **lock, const int *hint);
HEIST__ENTRY void omp_destroy_nest_lock(heist__kmp_nest_lock **lock);
HEIST__ENTRY void omp_destroy_nest_lock_(heist__kmp_nest_lock **lock);
HEIST__ENTRY void omp_set_nest_lock(heist__kmp_nest_lock **lock);
HEIST__ENTRY void omp_set_nest_lock_(heist__kmp_nest_lock **lock);
HEIST__ENTRY int omp_test_nest_lock(heist__kmp_nest_lock **lock);
HEIST__ENTRY int omp_test_nest_lock_(heist__kmp_nest_lock **lock);
HEIST__ENTRY void omp_unset_nest_lock(heist__kmp_nest_lock **lock);
HEIST__ENTRY void omp_unset_nest_lock_(heist__kmp_nest_lock **lock);
HEIST__ENTRY void __kmpc_init_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock);
HEIST__ENTRY void __kmpc_init_nest_lock_with_hint(void *loc, int32_t gtid, heist__kmp_nest_lock **lock, uintptr_t hint);
HEIST__ENTRY void __kmpc_destroy_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock);
HEIST__ENTRY void __kmpc_set_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock);
HEIST__ENTRY int __kmpc_test_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock);
HEIST__ENTRY void __kmpc_unset_nest_lock(void *loc, int32_t gtid, heist__kmp_nest_lock **lock);

/* ---- critical sections, locks ---- */
HEIST__ENTRY void __kmpc_critical(void *loc, int32_t gtid, void *name);
HEIST__ENTRY void __kmpc_critical_with_hint(void *loc, int32_t gtid, void *name, uint32_t hint);
HEIST__ENTRY void __kmpc_end_critical(void *loc, int32_t gtid, void *name);
HEIST__ENTRY void __kmpc_set_lock(void *loc, int32_t gtid, void *lock);
HEIST__ENTRY void __kmpc_unset_lock(void *loc, int32_t gtid, void *lock);
HEIST__ENTRY int __kmpc_test_lock(void *loc, int32_t gtid, void *lock);

/* ---- control variables: names beside those of api.h ---- */
HEIST__ENTRY void ompc_set_num_threads(int n);
HEIST__ENTRY void ompc_set_dynamic(int on);
HEIST__ENTRY void ompc_set_nested(int on);
HEIST__ENTRY void ompc_set_max_active_levels(int levels);
HEIST__ENTRY void ompc_set_schedule(int kind, int chunk);

/* ---- called, not wrapped ---- */
extern void omp_init_lock(void **lock);
extern void omp_destroy_lock(void **lock);

/* Every name above. X(name), in no particular order: the wrapped ones, and those that are only called. */
/* clang-format off */
#define HEIST__WRAPPED(X)                                                                                              \
    X(__kmpc_omp_task_alloc) X(__kmpc_omp_target_task_alloc) X(__kmpc_omp_task) X(__kmpc_omp_task_parts)               \
    X(__kmpc_omp_task_with_deps) X(__kmpc_omp_task_begin_if0) X(__kmpc_omp_task_complete_if0)                          \
    X(__kmpc_omp_reg_task_with_affinity) X(__kmpc_task_allow_completion_event) X(__kmpc_proxy_task_completed)          \
    X(__kmpc_proxy_task_completed_ooo) X(__kmpc_omp_taskwait) X(__kmpc_omp_wait_deps) X(__kmpc_omp_taskwait_deps_51)   \
    X(__kmpc_omp_taskyield) X(__kmpc_taskgroup) X(__kmpc_end_taskgroup) X(__kmpc_taskloop) X(__kmpc_taskloop_5)        \
    X(__kmpc_start_record_task) X(__kmpc_end_record_task) X(__kmpc_taskgraph) X(__kmpc_task_get_depnode)              \
    X(__kmpc_task_get_successors)                                          \
    X(__kmpc_task_reduction_init) X(__kmpc_taskred_init) X(__kmpc_task_reduction_get_th_data)                          \
    X(__kmpc_task_reduction_modifier_init) X(__kmpc_taskred_modifier_init) X(__kmpc_task_reduction_modifier_fini)      \
    X(__kmpc_fork_call) X(__kmpc_fork_call_if) X(__kmpc_fork_teams) X(__kmpc_serialized_parallel)                      \
    X(__kmpc_end_serialized_parallel) X(__kmpc_barrier) X(__kmpc_cancel_barrier) X(__kmpc_barrier_master)              \
    X(__kmpc_end_barrier_master) X(__kmpc_barrier_master_nowait) X(__kmpc_copyprivate) X(__kmpc_copyprivate_light)     \
    X(__kmpc_reduce) X(__kmpc_global_thread_num) X(__kmpc_cancel) X(__kmpc_cancellationpoint)                          \
    X(kmp_get_cancellation_status) X(__kmpc_dispatch_init_4)                                                           \
    X(__kmpc_dispatch_init_4u) X(__kmpc_dispatch_init_8) X(__kmpc_dispatch_init_8u) X(__kmpc_dist_dispatch_init_4)     \
    X(__kmpc_dist_dispatch_init_4u) X(__kmpc_dist_dispatch_init_8) X(__kmpc_dist_dispatch_init_8u)                     \
    X(__kmpc_for_static_init_4) X(__kmpc_for_static_init_4u) X(__kmpc_for_static_init_8) X(__kmpc_for_static_init_8u)  \
    X(__kmpc_dist_for_static_init_4) X(__kmpc_dist_for_static_init_4u) X(__kmpc_dist_for_static_init_8)                \
    X(__kmpc_critical) X(__kmpc_critical_with_hint) X(__kmpc_end_critical) X(__kmpc_set_lock) X(__kmpc_unset_lock)     \
    X(__kmpc_test_lock) X(__kmpc_dist_for_static_init_8u) X(omp_init_nest_lock) X(omp_init_nest_lock_with_hint) \
    X(omp_destroy_nest_lock) X(omp_set_nest_lock) X(omp_test_nest_lock) X(omp_unset_nest_lock)                         \
    X(omp_init_nest_lock_) X(omp_init_nest_lock_with_hint_) X(omp_destroy_nest_lock_) X(omp_set_nest_lock_)            \
    X(omp_test_nest_lock_) X(omp_unset_nest_lock_) HEIST__API_WRAPPED(X)
#define HEIST__CALLED(X)                                                                                               \
    X(__kmpc_dispatch_next_4) X(__kmpc_dispatch_next_4u) X(__kmpc_dispatch_next_8)         \
    X(__kmpc_dispatch_next_8u) X(omp_init_lock) X(omp_destroy_lock) HEIST__API_CALLED(X)
/* clang-format on */

/* The runtime's name in messages, the names that its file may have, and an entry that each version has. */
#define HEIST__RUNTIME_NAME "libomp"
#define HEIST__RUNTIME_FILES "libomp.so.5", "libomp.so", "libiomp5.so"
#define HEIST__RUNTIME_KEY __kmpc_fork_call

/* The runtime's own variable that says how long a thread spins, in milliseconds, and from which value on that is
 * long. */
#define HEIST__SPIN_VARIABLE "KMP_BLOCKTIME"
#define HEIST__SPIN_LONG 1000

/* The runtime's own variable that, set to 0 or false, has all tasks put off. NULL: there is none. */
#define HEIST__THROTTLING_VARIABLE "KMP_ENABLE_TASK_THROTTLING"

/* Entries of the same library that are not served, by the beginning of their names, and one of them, which
 * libheist-gomp.so does not have: libomp stands in for libgomp, too. */
#define HEIST__FOREIGN "GOMP_"
#define HEIST__FOREIGN_KEY "GOMP_atomic_start"
#define HEIST__FOREIGN_CREATORS "GOMP_task", "GOMP_taskloop", "GOMP_taskloop_ull"

/* An entry that the other library of heist's has. */
#define HEIST__OTHER_KEY "GOMP_parallel"

/* Whether a runtime that has HEIST__FOREIGN_KEY is never the one which this library stands in front of. */
#define HEIST__NEVER_BOTH false

/* Set in handles of heist's events. The other library, which may be loaded, too, has another bit. */
#define HEIST__EVENT_BIT 2

/* How this runtime's entries begin; those with "task" in their names that this library has not and need not have; and
 * those that are not served. A program that calls one of the latter, or an unknown one, is left to the runtime. */
#define HEIST__PREFIX "__kmpc_"
#define HEIST__HARMLESS "__kmpc_invoke_task_func", "__kmpc_omp_has_task_team"
#define HEIST__UNSERVED                                                                                                \
    "__kmpc_start_record_task", "__kmpc_end_record_task", "__kmpc_taskgraph", "__kmpc_task_get_depnode",               \
        "__kmpc_task_get_successors"

/* The entry of taskyield. */
#define HEIST__YIELD_ENTRY "__kmpc_omp_taskyield"

/* Names that a program which creates tasks imports. */
#define HEIST__CREATORS "__kmpc_omp_task_alloc", "__kmpc_omp_target_task_alloc"

#endif
