/* The private tail of an OpenMP thread's deque: an owner, and threads that steal from it or force tasks out of the
 * tail.
 *
 *   script=     the owner's steps: a sets the next task aside, p pushes it where all threads see it,
 *               s shows the oldest task that was set aside if thieves see none, o takes the youngest task
 *   thieves=    the steps of each thief, with commas between thieves: f forces, t takes as usual
 *   at=         the index of the first task; -1 is next to the wrap-around
 *
 * The owner writes each task just before it makes it visible, so a thief that gets one without A1 or R1 races with
 * that write. Every task must be taken once, by some thread, or still be there. */
#include "openmp/core/create.h"
#include "openmp/core/find.h"

const char model_harness_name[] = "private_tail";

enum { TASKS = 6 };

static heist__omp_team *team;
static heist__omp_task *tasks; /* watched */
static struct {
    uint8_t made, taken[TASKS];
} * seen;
static const char *script, *thieves;

/* ---- called by find.c and private_tail.c, but not in these scenarios ---- */

bool heist__omp_descends(heist__omp_task *task, heist__omp_task *ancestor)
{
    model_check(false, "no thread waits within a task: %p, %p", (void *)task, (void *)ancestor);
    return false;
}

void heist__omp_task_ready(heist__omp_slot *self, heist__omp_task *task)
{
    heist__omp_task_push(self, task);
}

heist__omp_task *heist__omp_queue_take(heist__omp_slot *self, bool within)
{
    model_check(false, "the queue is empty: %p, %d", (void *)self, within);
    return NULL;
}

void heist__omp_queue_put(heist__omp_team *unused, heist__omp_task *task)
{
    model_check(false, "no task has a priority: %p, %p", (void *)unused, (void *)task);
}

void heist__omp_wake_one_slow(heist__omp_team *unused)
{
    model_check(false, "no thread sleeps: %p", (void *)unused);
}

bool heist__omp_stack_is_low(heist__omp_slot *self)
{
    (void)self;
    return false;
}

/* ---- the threads ---- */

static void take(heist__omp_task *task)
{
    if (task < tasks || task >= tasks + TASKS) {
        model_check(false, "thread %d got %p, which no thread made", model_self(), (void *)task);
        return;
    }
    long i = task - tasks;
    model_check(!seen->taken[i], "task %ld was taken twice", i);
    model_check(task->data == (void *)(i + 1), "task %ld came without its contents", i);
    seen->taken[i] = 1;
}

static heist__omp_task *make(void)
{
    heist__omp_task *task = &tasks[seen->made];
    task->data = (void *)(uintptr_t)(seen->made + 1);
    task->priority = 0;
    seen->made++;
    return task;
}

static void owner(void *slot)
{
    heist__omp_slot *self = slot;
    for (const char *p = script; *p; p++) {
        heist__omp_task *task = *p == 'o' ? heist__omp_find_own(self) : NULL;
        if (task) take(task);
        if (*p == 'a') model_check(heist__omp_tail_push(self, make()), "there is room");
        if (*p == 'p') heist__omp_task_push(self, make());
        if (*p == 's') heist__omp_has_enough(self);
    }
}

static void thief(void *slot)
{
    heist__omp_slot *self = slot;
    const char *p = thieves;
    for (unsigned i = 1; i < self->index; i++) p = strchr(p, ',') + 1;
    for (; *p && *p != ','; p++) {
        heist__omp_task *task = *p == 'f' ? heist__omp_find_private(self, false) : heist__omp_find(self, false);
        if (task) take(task);
    }
}

/* ---- the world ---- */

static heist__omp_slot *make_slot(unsigned index, uint64_t at)
{
    heist__omp_slot *slot = model_alloc(sizeof *slot);
    slot->team = team;
    slot->index = index;
    slot->current = &slot->implicit;
    slot->implicit.base = at;
    slot->enough = slot->least_enough = slot->most_enough = 1;
    slot->deque = heist__deque_new_in(slot->deque_room);
    heist__store_relaxed(&slot->deque->top, at);
    heist__store_relaxed(&slot->deque->bottom, at);
    heist__store_relaxed(&slot->tail, at);
    heist__random_seed(&slot->random, 1, index);
    model_single_writer(&slot->tail, sizeof slot->tail, (int)index);
    model_single_writer(&slot->deque->bottom, sizeof slot->deque->bottom, (int)index);
    model_single_writer(&slot->deque->ring, sizeof slot->deque->ring, (int)index);
    model_single_writer(&slot->deque->side, sizeof slot->deque->side, (int)index);
    model_name(&slot->deque->top, 8, 8, false, "top%u", index);
    model_name(&slot->deque->bottom, 8, 8, false, "bottom%u", index);
    model_name(&slot->deque->readers[0], 2 * sizeof(heist__readers), sizeof(heist__readers), false, "readers%u", index);
    model_name(&slot->tail, 8, 8, false, "tail%u", index);
    model_name(&slot->forced, 4, 4, false, "forced%u", index);
    return slot;
}

void model_setup(void)
{
    script = model_text("script", "aoo");
    thieves = model_text("thieves", "f");
    team = model_alloc(sizeof *team);
    unsigned threads = 2;
    for (const char *p = thieves; *p; p++) threads += *p == ',';
    team->slots = model_alloc(threads * sizeof *team->slots);
    heist__store_relaxed(&team->size, threads);
    tasks = model_payload(TASKS * sizeof *tasks);
    seen = model_alloc(sizeof *seen);
    for (unsigned i = 0; i < threads; i++) team->slots[i] = make_slot(i, i == 0 ? (uint64_t)model_number("at", 0) : 0);
    for (unsigned i = 0; i < threads; i++) model_thread(i == 0 ? owner : thief, team->slots[i]);
}

void model_always(void)
{
}

void model_end(unsigned blocked)
{
    model_check(!blocked, "threads %x wait for ever", blocked);
    for (unsigned k = 0; k < MODEL_PEEK(&team->size); k++) { /* a thief that took several keeps the others */
        heist__omp_slot *slot = team->slots[k];
        uint64_t top = MODEL_PEEK(&slot->deque->top), tail = MODEL_PEEK(&slot->tail);
        heist__ring *ring = MODEL_PEEK(&slot->deque->ring);
        model_check((int64_t)(tail - top) >= 0 || !seen->made, "the tail is at the top or above");
        for (uint64_t i = top; (int64_t)(tail - i) > 0; i++) take(MODEL_PEEK(&ring->slots[i & ring->mask]));
    }
    for (int i = 0; i < seen->made; i++) model_check(seen->taken[i], "task %d was lost", i);
}
