/* heist's OpenMP threads as the scheduler of lib/depend: see depend.h. */
#include "openmp/core/depend.h"

#include "openmp/core/memory.h"
#include "openmp/core/wait.h"

static void *take_memory(void *self, size_t bytes)
{
    return heist__omp_memory_take(self, bytes);
}

static void give_memory(void *self, void *memory)
{
    heist__omp_memory_give(self, memory);
}

static void make_ready(void *self, void *task)
{
    heist__omp_task_ready(self, task);
}

static void wake(void *slot)
{
    heist__omp_wake(slot);
}

typedef struct condition {
    bool (*over)(const void *what);
    const void *what;
} condition;

static bool is_over(heist__omp_slot *self, const void *what)
{
    (void)self;
    const condition *c = what;
    return c->over(c->what);
}

static void wait_until(void *self, bool (*over)(const void *what), const void *what)
{
    condition c = {over, what};
    heist__omp_wait_until(self, true, is_over, &c);
}

static const heist__depend_host host = {take_memory, give_memory, make_ready, wake, wait_until};

static heist__depend_caller caller(heist__omp_slot *self)
{
    return (heist__depend_caller){&host, self};
}

bool heist__omp_depend_prepare(heist__omp_slot *self, heist__omp_task *task, const heist__depend_clauses *clauses)
{
    task->node = heist__depend_prepare(caller(self), &self->current->table, task, clauses);
    if (!task->node) heist__omp_depend_forget(self, task);
    return task->node != NULL;
}

void heist__omp_depend_forget(heist__omp_slot *self, heist__omp_task *task)
{
    heist__omp_task *parent = self->current;
    if (task->node) heist__depend_forget(caller(self), task->node);
    task->node = NULL;
    /* A parent without children that were put off does not free its table at its end: see heist__omp_task_gone. */
    if (parent->spawned == 0) heist__omp_depend_end(self, parent);
}

void heist__omp_depend_enter(heist__omp_slot *self, heist__omp_task *task, const heist__depend_clauses *clauses)
{
    heist__depend_enter(caller(self), self->current->table, task->node, clauses);
}

bool heist__omp_depend_over(heist__omp_slot *self, const heist__depend_clauses *clauses)
{
    const heist__depend_table *table = self->current->table;
    return !table || heist__omp_children_done(self->current) || heist__depend_over(table, clauses);
}

void heist__omp_depend_wait(heist__omp_slot *self, const heist__depend_clauses *clauses)
{
    heist__depend_table *table = self->current->table;
    if (!table || heist__omp_children_done(self->current)) return;
    heist__depend_wait(caller(self), table, clauses);
}

void heist__omp_depend_release(heist__omp_slot *self, heist__omp_task *task)
{
    heist__depend_release(caller(self), task->node);
}

void heist__omp_depend_end(heist__omp_slot *self, heist__omp_task *task)
{
    heist__depend_table_free(caller(self), task->table);
    task->table = NULL;
}
