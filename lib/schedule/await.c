/* What futures need of the scheduler: see await.h.
 *
 * A cycle of waits. Worker A waits for a future on the stack of worker B, and B waits for a future, or for a stolen
 * child, on the stack of C, and so on, back to A. Nothing on these stacks can go on. Worker A follows the words in
 * which the others say what they wait for, twice. A word holds as long as its count agrees. If the second round finds
 * the same words, all of the waits went on at the same time, between the two rounds; so they go on for ever. Edge:
 *
 *   Y6  a future's end, then futures_done. A waiter reads futures_done, then finds the future unfinished, then says
 *       what it waits for */
#include "schedule/await.h"

#include "schedule/nesting.h"
#include "schedule/spawn.h"

bool heist__withdraw(heist__worker *w, heist__job *job)
{
    if (heist__deque_youngest(w->jobs) != job) return false;
    void *youngest;
    return heist_deque_pop(w->jobs, &youngest) == HEIST_STEAL_GOT;
}

uint64_t heist__claim_enter(heist__worker *w, const heist_task *task)
{
    heist__nesting_enter(w, task, NULL, (heist__origin){NULL, 0});
    uint64_t waits_on = heist__load_relaxed(&w->waits_on); /* relaxed: own; as in heist__run_stolen */
    heist__store_release(&w->waits_on, 0);                 /* J1: pairs with leapfrog's look */
    return waits_on;
}

void heist__claim_leave(heist__worker *w, uint64_t waits_on)
{
    heist__nesting_leave(w);
    heist__store_release(&w->waits_on, waits_on); /* J1 */
}

void heist__claim_ended(heist__worker *w)
{
    uint32_t done = heist__load_relaxed(&w->futures_done); /* relaxed: own */
    heist__store_release(&w->futures_done, done + 1);      /* Y6: after the end. Pairs with heist__say_awaits. */
    heist__task_deque_renew(&w->tasks);                    /* J4 */
    heist__count(&w->counters.detached);
}

void heist__say_awaits(heist__worker *w, heist_task *task, uintptr_t taken)
{
    uint64_t word = 0;
    if (taken & HEIST__TASK_TAKEN) {
        const heist__worker *other = w->pool->workers[taken >> 3];
        const uint64_t done = heist__load_acquire(&other->futures_done); /* Y6: read before the state */
        if (heist__load_acquire(&task->state) == taken)                  /* J2 */
            word = done << 16 | (uint64_t)((taken >> 3) + 1);
    }
    heist__store_release(&w->awaits, word); /* Y6: pairs with waits_for's load */
}

/* The word in which `w` says what it waits for. 0: it does not wait, or not for another worker. *next is then the
 * number of that worker. */
static uint64_t waits_for(const heist__worker *w, unsigned *next)
{
    uint64_t word = heist__load_acquire(&w->awaits); /* Y6 */
    if (word) {
        *next = (unsigned)(word & 0xffff) - 1;
        const heist__worker *other = w->pool->workers[*next];
        return heist__load_acquire(&other->futures_done) == (uint32_t)(word >> 16) ? word : 0; /* Y6 */
    }
    word = heist__load_acquire(&w->waits_on); /* J1, J3: as in link_holds of join.c */
    if (!word || heist__load_acquire(&w->children_done) != (uint32_t)(word >> 16)) return 0;
    *next = (unsigned)(word & 0xffff) - 1;
    return word;
}

/* The sum of the words from worker `at` to `w`; 0: these workers do not wait in a circle. */
static uint64_t follow(const heist__worker *w, unsigned at)
{
    uint64_t sum = 0;
    for (unsigned hops = 0; hops <= w->pool->count; hops++) {
        if (at == w->index) return sum;
        const uint64_t word = waits_for(w->pool->workers[at], &at);
        if (word == 0) return 0;
        sum = sum * 31 + word;
    }
    return 0;
}

bool heist__waits_in_circle(heist__worker *w, uintptr_t taken)
{
    const unsigned first = (unsigned)(taken >> 3);
    const uint64_t once = follow(w, first);
    return once != 0 && follow(w, first) == once;
}
