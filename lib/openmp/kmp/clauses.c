/* depend clauses as clang lays them out, and the entries that have them. */
#include "openmp/core/depend.h"
#include "openmp/kmp/task.h"
#include "openmp/preload/runtime_symbols.h"

typedef struct lists {
    size_t counts[2]; /* of uses that may name an address twice, and of those that do not */
    const heist__kmp_depend *lists[2];
} lists;

static heist__depend_use use_at(const void *what, size_t i, void **address)
{
    const lists *c = what;
    const heist__kmp_depend *d = i < c->counts[0] ? &c->lists[0][i] : &c->lists[1][i - c->counts[0]];
    if ((d->kind & HEIST__KMP_DEPEND_ALL) || d->address == HEIST__KMP_ALL_MEMORY) {
        *address = NULL;
        return HEIST__USE_OUT;
    }
    *address = d->address ? d->address : (void *)1; /* for clang NULL is an address, here it stands for all memory */
    if (d->kind & HEIST__KMP_DEPEND_SET) return HEIST__USE_SET;
    if (d->kind == HEIST__KMP_DEPEND_MUTEX) return HEIST__USE_MUTEX;
    return d->kind == HEIST__KMP_DEPEND_IN ? HEIST__USE_IN : HEIST__USE_OUT;
}

static heist__depend_clauses clauses_of(const lists *c)
{
    return (heist__depend_clauses){c, c->counts[0] + c->counts[1], use_at};
}

static int32_t do_nothing(int32_t gtid, heist__kmp_task *task)
{
    (void)gtid;
    (void)task;
    return 0;
}

int32_t __kmpc_omp_task_with_deps(void *loc, int32_t gtid, heist__kmp_task *task, int32_t count,
                                  heist__kmp_depend *list, int32_t noalias_count, heist__kmp_depend *noalias_list)
{
    HEIST__SELF_OR_RUNTIME(self, __kmpc_omp_task_with_deps,
                           (loc, gtid, task, count, list, noalias_count, noalias_list));
    lists c = {{(size_t)count, (size_t)noalias_count}, {list, noalias_list}};
    heist__depend_clauses clauses = clauses_of(&c);
    heist__omp_task *record = heist__kmp_record_of(task);
    if (!task->routine) task->routine = do_nothing; /* taskwait nowait, by some compilers */
    if (record) {
        heist__kmp_task_submit(self, record, &clauses, false);
    } else {
        heist__omp_depend_wait(self, &clauses);
        heist__kmp_run_foreign(loc, gtid, task);
    }
    return 0;
}

void __kmpc_omp_wait_deps(void *loc, int32_t gtid, int32_t count, heist__kmp_depend *list, int32_t noalias_count,
                          heist__kmp_depend *noalias_list)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, __kmpc_omp_wait_deps, (loc, gtid, count, list, noalias_count, noalias_list));
    lists c = {{(size_t)count, (size_t)noalias_count}, {list, noalias_list}};
    heist__depend_clauses clauses = clauses_of(&c);
    heist__omp_depend_wait(self, &clauses);
}

void __kmpc_omp_taskwait_deps_51(void *loc, int32_t gtid, int32_t count, heist__kmp_depend *list, int32_t noalias_count,
                                 heist__kmp_depend *noalias_list, int32_t nowait)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, __kmpc_omp_taskwait_deps_51,
                                (loc, gtid, count, list, noalias_count, noalias_list, nowait));
    if (nowait) {
        heist__kmp_task *task = heist__kmp_task_new(self, HEIST__KMP_TIED, sizeof *task, 0, NULL);
        __kmpc_omp_task_with_deps(loc, gtid, task, count, list, noalias_count, noalias_list);
    } else {
        __kmpc_omp_wait_deps(loc, gtid, count, list, noalias_count, noalias_list);
    }
}
