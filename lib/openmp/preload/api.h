/* Functions that libgomp and LLVM's libomp have under the same names: those of omp.h that have to do with tasks, and
 * those that this library calls. Each runtime has its own entries beside these (gomp/entries.h, kmp/entries.h). */
#ifndef HEIST_OPENMP_PRELOAD_API_H
#define HEIST_OPENMP_PRELOAD_API_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exported in place of the runtime's. */
#define HEIST__ENTRY __attribute__((visibility("default")))

typedef void heist__omp_body(void *data);

/* ---- wrapped ---- */
HEIST__ENTRY void omp_fulfill_event(uintptr_t event);
HEIST__ENTRY void omp_fulfill_event_(uintptr_t event); /* Fortran's, with `value` */
HEIST__ENTRY int omp_in_final(void);
HEIST__ENTRY int omp_in_final_(void);
HEIST__ENTRY int omp_in_explicit_task(void);
HEIST__ENTRY int omp_in_explicit_task_(void);
HEIST__ENTRY void omp_set_num_threads(int n);
HEIST__ENTRY void omp_set_num_threads_(const int *n);
HEIST__ENTRY void omp_set_num_threads_8_(const int64_t *n);
HEIST__ENTRY void omp_set_dynamic(int on);
HEIST__ENTRY void omp_set_dynamic_(const int *on);
HEIST__ENTRY void omp_set_dynamic_8_(const int64_t *on);
HEIST__ENTRY void omp_set_nested(int on);
HEIST__ENTRY void omp_set_nested_(const int *on);
HEIST__ENTRY void omp_set_nested_8_(const int64_t *on);
HEIST__ENTRY void omp_set_max_active_levels(int levels);
HEIST__ENTRY void omp_set_max_active_levels_(const int *levels);
HEIST__ENTRY void omp_set_max_active_levels_8_(const int64_t *levels);
HEIST__ENTRY void omp_set_schedule(int kind, int chunk);
HEIST__ENTRY void omp_set_schedule_(const int *kind, const int *chunk);
HEIST__ENTRY void omp_set_schedule_8_(const int *kind, const int64_t *chunk);
HEIST__ENTRY void omp_set_default_device(int device);
HEIST__ENTRY void omp_set_default_device_(const int *device);
HEIST__ENTRY void omp_set_default_device_8_(const int64_t *device);

HEIST__ENTRY void omp_set_lock(void *lock);
HEIST__ENTRY void omp_set_lock_(void *lock);
HEIST__ENTRY void omp_unset_lock(void *lock);
HEIST__ENTRY void omp_unset_lock_(void *lock);
HEIST__ENTRY int omp_test_lock(void *lock);
HEIST__ENTRY int omp_test_lock_(void *lock);

/* ---- called, not wrapped ---- */
extern int omp_get_thread_num(void);
extern int omp_get_num_threads(void);
extern int omp_get_max_threads(void);
extern int omp_get_num_procs(void);
extern int omp_get_thread_limit(void);
extern int omp_get_level(void);
extern int omp_get_cancellation(void);
extern int omp_get_max_task_priority(void);
extern int omp_get_dynamic(void);
extern int omp_get_max_active_levels(void);
extern void omp_get_schedule(int *kind, int *chunk);
extern int omp_get_default_device(void);

/* clang-format off */
#define HEIST__API_WRAPPED(X)                                                                                          \
    X(omp_fulfill_event) X(omp_in_final) X(omp_in_explicit_task) X(omp_set_num_threads) X(omp_set_dynamic)             \
    X(omp_set_nested) X(omp_set_max_active_levels) X(omp_set_schedule) X(omp_set_default_device)                       \
    X(omp_set_lock) X(omp_set_lock_) X(omp_unset_lock) X(omp_unset_lock_) X(omp_test_lock) X(omp_test_lock_)
#define HEIST__API_CALLED(X)                                                                                           \
    X(omp_get_thread_num) X(omp_get_num_threads) X(omp_get_max_threads) X(omp_get_num_procs) X(omp_get_level)          \
    X(omp_get_thread_limit)                                                                                            \
    X(omp_get_cancellation) X(omp_get_max_task_priority) X(omp_get_dynamic) X(omp_get_max_active_levels)               \
    X(omp_get_schedule) X(omp_get_default_device)
/* clang-format on */

#endif
