/* The task deque: an owner that spawns and joins, and its thieves.
 *
 *   script=   what the owner does: a spawns child a, A joins it; children b, c, d likewise; ! publishes all there are
 *   thieves=  how many; tries= steals of each
 *   fenced    fence mode
 *   leave     the owner computes for ever after its script: its children are not joined
 *   late      a thief's read of a slot may come late
 *   alone     each thread gets on though all others stand still, but for the owner that waits for a stolen child
 *   begin=    so many children are in the deque at the start, published= of them public
 *
 * The steal is that of the scheduler (join.c), so a thief marks what it takes and the owner waits for it. Each child
 * must be run once, and before its join returns; what a child and its joiner write to the record is watched for
 * races. */
#include "workers.h"

const char model_harness_name[] = "task_deque";

enum { CHILDREN = 4, NONE = 0, SPAWNED = 1, RAN = 2 };

typedef struct {
    heist_task task; /* first */
    long contents;
} child;

static heist_pool *pool;
static heist__worker *worker[4];
static child *children;
static struct {
    uint8_t state[CHILDREN];
    uint8_t busy; /* the owner is inside an operation */
} * seen;
static const char *script;
static long tries, begin, leave;

static void run(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    (void)face;
    (void)bottom;
    child *c = (child *)(void *)task;
    if (c < children || c >= children + CHILDREN) {
        model_check(false, "thread %d runs %p, which is no child", model_self(), (void *)task);
        return;
    }
    long i = c - children;
    model_check(seen->state[i] == SPAWNED, "child %c is run by thread %d %s", (int)('a' + i), model_self(),
                seen->state[i] == RAN ? "a second time" : "after its join");
    model_check(c->contents == 1, "child %c is run without its contents", (int)('a' + i));
    seen->state[i] = RAN;
    c->contents = 2;
}

static void owner(void *unused)
{
    (void)unused;
    heist_worker *face = &worker[0]->tasks.face;
    heist_slot *bottom = worker[0]->tasks.slots + begin;
    bool alone = model_number("alone", 0);
    for (const char *p = script; *p; p++) {
        int i = (*p | 32) - 'a';
        child *c = &children[i];
        seen->busy = 1;
        model_must_end(alone);
        if (*p == '!') {
            heist__task_deque_publish(&worker[0]->tasks);
        } else if (*p >= 'a') {
            c->contents = 1;
            seen->state[i] = SPAWNED;
            bottom = heist__push(face, bottom, &c->task);
        } else {
            if (heist__pop(face, bottom, &c->task)) {
                bottom--;
                run(face, bottom, &c->task);
            } else {
                model_must_end(false);
                bottom = heist__join_slow(face, bottom, &c->task);
            }
            model_check(seen->state[i] == RAN, "the join of %c returns before it has run", 'a' + i);
            model_check(c->contents == 2, "the join of %c does not see what it did", 'a' + i);
            c->contents = 0;
            seen->state[i] = NONE;
        }
        seen->busy = 0;
    }
    model_must_end(false);
    model_check(leave || bottom == worker[0]->tasks.slots, "the deque is not empty at the end");
}

static void thief(void *self)
{
    heist__worker *w = self;
    model_must_end(model_number("alone", 0));
    for (long i = 0; i < tries; i++) {
        heist__stolen stolen;
        uint64_t top = heist__task_deque_look(&worker[0]->tasks);
        if (heist__steal_child(worker[0], top, 0, &stolen) != HEIST_STEAL_GOT) continue;
        stolen.task = model_late_value(stolen.task);
        heist__run_stolen(w, &stolen);
    }
}

bool heist__idle_wake_one(heist__idle *idle)
{
    (void)idle;
    return false;
}

bool heist__idle_shares(const heist__idle *idle, const heist__sleeper *self)
{
    (void)idle;
    (void)self;
    return false;
}

static void begin_with(long count, long published)
{
    heist__task_deque *f = &worker[0]->tasks;
    for (long i = 0; i < count; i++) {
        seen->state[i] = SPAWNED;
        children[i].contents = 1;
        heist__store_relaxed(&f->slots[i], &children[i].task);
        heist__store_relaxed(&children[i].task.state, (uintptr_t)&f->slots[i]);
    }
    heist__store_relaxed(&f->face.bottom, f->slots + count);
    heist__store_relaxed(&f->published, published);
    heist__store_relaxed(f->pop_gate, f->slots + published);
}

void model_setup(void)
{
    bool fenced = model_number("fenced", 0);
    unsigned thieves = (unsigned)model_number("thieves", 1);
    script = model_text("script", "abBA");
    tries = model_number("tries", 1);
    begin = model_number("begin", 0);
    leave = model_number("leave", 0);
    pool = model_pool(1);
    pool->settings.waiting_spin = model_number("park", 0) ? 0 : 1;
    seen = model_alloc(sizeof *seen);
    children = model_payload(CHILDREN * sizeof *children);
    for (int i = 0; i < CHILDREN; i++) {
        children[i].task.run = run;
        model_unwatch(&children[i].task, sizeof children[i].task); /* never freed; what it holds is in `contents` */
        model_name(&children[i].task.state, 8, 8, false, "state_%c", 'a' + i);
        model_name(&children[i].contents, 8, 8, false, "contents_%c", 'a' + i);
        model_name(&children[i].task, 8, 8, false, "%c", 'a' + i);
    }
    for (unsigned t = 0; t <= thieves; t++) {
        worker[t] = model_worker(pool, t, 4, fenced);
        model_thread(t ? thief : owner, worker[t]);
        if (t == 0) continue;
        /* The thieves' own deques and levels play no part. */
        model_ignore(&worker[t]->tasks, sizeof worker[t]->tasks);
        model_ignore(&worker[t]->depth, sizeof worker[t]->depth);
        model_ignore(&worker[t]->waits_on, sizeof worker[t]->waits_on);
        model_ignore(worker[t]->nestings, MODEL_NESTINGS * sizeof *worker[t]->nestings);
    }
    model_ignore(&worker[0]->nestings[0], MODEL_NESTINGS * sizeof *worker[0]->nestings);
    model_ignore(&worker[0]->depth, sizeof worker[0]->depth);
    if (pool->settings.waiting_spin) model_ignore(&worker[0]->join_asleep, sizeof worker[0]->join_asleep);
    pool->count = 0; /* no leapfrogging here: harness_join.c has that */
    if (model_number("late", 0)) model_late(worker[0]->tasks.slots, 4 * sizeof(heist_slot));
    begin_with(begin, model_number("published", 0));
}

/* The invariants (a) of DEQUE.md, when the owner is between operations. */
void model_always(void)
{
    if (seen->busy) return;
    heist__task_deque *f = &worker[0]->tasks;
    uint32_t top = (uint32_t)MODEL_PEEK(&f->top), published = (uint32_t)MODEL_PEEK(&f->published);
    heist_slot *gate = MODEL_PEEK(f->pop_gate);
    if (gate == HEIST__POP_SHUT) {
        model_check(top <= published, "top %u is beyond published %u", top, published);
    } else {
        model_check(gate >= f->slots + published, "the gate is open below published %u", published);
        model_check(gate >= f->slots + top, "the gate is open below top %u", top);
    }
}

void model_end(unsigned blocked)
{
    model_check(!blocked, "threads %x wait for ever", blocked);
    for (int i = 0; i < CHILDREN; i++) model_check(leave || seen->state[i] == NONE, "child %c was not joined", 'a' + i);
}
