/* Children that nobody joined, or that are joined in vain. Each is told on stderr, in debug builds with its parent's
 * name, and made up for as far as can be: the program goes on. */
#include "schedule/misuse.h"

#include <stdio.h>
#include <string.h>

#include "schedule/join.h"
#include "schedule/nesting.h"
#include "schedule/worker.h"

/* The task whose body the compiler calls `function`: see HEIST__DEFINE. */
static const char *task_of(const char *function)
{
    static const char prefix[] = "heist__gen_task_";
    return strncmp(function, prefix, sizeof prefix - 1) == 0 ? function + sizeof prefix - 1 : function;
}

void heist__guard_leave(struct heist__guard *guard)
{
    if (!guard->open) return;
    fprintf(stderr, "heist: task %s: child %s (%s) was never joined before its frame ended; joining it now\n",
            task_of(guard->function), guard->child, guard->task);
    *guard->bottom = heist__join_slow(guard->worker, *guard->bottom, guard->open);
}

/* Whether a child in this state can be waited for: it has a slot of this worker, or had one. */
static bool was_spawned(const heist__worker *w, uintptr_t state)
{
    if (state == HEIST__TASK_DONE || state == HEIST__TASK_RAN) return true;
    if (heist__is_slot(&w->tasks, state)) return true;
    return (state & 7) == HEIST__TASK_TAKEN && state >> 3 < HEIST_MAX_WORKERS;
}

bool heist__may_join(heist_worker *face, heist_task *task, const char *function, const char *child,
                     const char *task_name)
{
    uintptr_t state = heist__load_relaxed(&task->state); /* relaxed: thieves write only what can be waited for */
    if (was_spawned(heist__worker_of(face), state)) return true;
    fprintf(stderr, "heist: task %s: child %s (%s) %s\n", task_of(function), child, task_name,
            state == HEIST__TASK_JOINED ? "is joined a second time" : "is joined, but was not spawned by this task");
    return false;
}

void heist__joined(heist_task *task)
{
    heist__store_relaxed(&task->state, HEIST__TASK_JOINED); /* relaxed: no thief touches it any more */
}

void heist__misplaced(heist_worker *face, heist_slot *bottom)
{
    ptrdiff_t off = heist__bottom_of(heist__worker_of(face)) - bottom;
    fprintf(stderr,
            "heist: a typed spawn or call between heist_spawn and heist_join of the same function would lose %td of "
            "its children\n",
            off);
}

void heist__joined_in_vain(void)
{
    fputs("heist: a child is joined a second time, or was not spawned "
          "(a build with HEIST_DEBUG=1 says which)\n",
          stderr);
}

void heist__check_push(heist__worker *w, heist_slot *bottom)
{
    if (bottom - 1 != w->expected)
        fprintf(stderr,
                "heist: a spawn in the place of %td other children: a function that it called has forgotten to join "
                "them (a build with HEIST_DEBUG=1 says which)\n",
                w->expected - (bottom - 1));
    w->expected = bottom;
}

/* ---- children whose parent has ended ---- */

/* Their records may be gone already. Those not stolen are withdrawn, so that nobody runs them later. */
static void withdraw(heist__worker *w, heist_slot *left, heist_slot *bottom)
{
    while (left > bottom) {
        heist_slot *slot = left - 1;
        if (heist__task_deque_pop(&w->tasks, slot)) {
            left = slot;
            continue;
        }
        heist__store_release(&w->tasks.face.bottom, left); /* D1: as it was */
        left = heist__task_deque_absorb(&w->tasks, left);
        w->children_joined++;
    }
    w->expected = bottom;
}

static void tell_and_withdraw(heist__worker *w, heist_slot *bottom, uintptr_t function)
{
    heist_slot *left = heist__bottom_of(w);
    if (left <= bottom) return;
    fprintf(stderr, "heist: the task at %#jx: %zu of its children were never joined before it returned\n",
            (uintmax_t)function, (size_t)(left - bottom));
    withdraw(w, left, bottom);
}

void heist__plain_left(heist_worker *face, heist_slot *bottom, heist_function *function)
{
    tell_and_withdraw(heist__worker_of(face), bottom, (uintptr_t)function);
}

void heist__children_left(heist__worker *w, heist_slot *bottom, const heist_task *task)
{
    tell_and_withdraw(w, bottom, heist__code_of(task));
}

heist_slot *heist__frame_entered(heist_worker *face, heist_slot *bottom)
{
    heist_slot *at = heist__bottom_of(heist__worker_of(face));
    if (at != bottom) heist__misplaced(face, bottom);
    return at;
}

void heist__frame_left(heist_worker *face, heist_slot *bottom, const char *task_name)
{
    heist__worker *w = heist__worker_of(face);
    heist_slot *left = heist__bottom_of(w);
    if (left <= bottom) return;
    fprintf(stderr, "heist: task %s: %zu of its children were never joined before its frame ended\n", task_name,
            (size_t)(left - bottom));
    withdraw(w, left, bottom);
}
