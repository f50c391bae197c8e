/* Waiting for a stolen child: the thief's marks, the waiter's sleep, and leapfrogging, which may run nothing but what
 * descends from the child.
 *
 *   shape=pair    worker 0 waits for x, which worker 1 runs. x spawns x1 and joins it. Then worker 1 runs y, which has
 *                 nothing to do with x, spawns y1 and joins it: not for worker 0.
 *   shape=two     as pair, and x spawns x2, too
 *   shape=below   worker 1 had p1 in its deque before it began x, and joins it afterwards: not for worker 0.
 *   shape=nested  as below, and inside x worker 1 runs a task of a scope that it waits for: one level more
 *   shape=chain   worker 1 waits inside x for x1, which worker 2 runs. x1 spawns x11 and joins it. Then worker 2 runs y
 *                 as above. Worker 0 may follow the chain to x11, not to y1.
 *   shape=older   as chain, but x1 has no child, and worker 2 runs x1 while it waits for z, which worker 3 runs. z1
 *                 lies in worker 3's deque. After x1 worker 2 waits for z again, as it said before. z1 is not for
 *                 worker 0.
 *   shape=crossed worker 2 has spawned q1 and q2 and waits for q1. Worker 0 runs q1 while it waits for a task that
 *                 worker 1 has. Worker 1 runs q2, which spawns r and joins it. r is not for worker 2 while it waits for
 *                 q1.
 *   fenced        fence mode
 *   park          the waiter sleeps at once in place of spinning */
#include "platform/futex.h"
#include "workers.h"

const char model_harness_name[] = "join";

enum { X, X1, X2, X11, Y, Y1, P1, Q1, Q2, R, Z1, TASKS };
enum { NOT_YET, SPAWNED, RUNNING, RAN, JOINED };
static const char *const names[] = {"x", "x1", "x2", "x11", "y", "y1", "p1", "q1", "q2", "r", "z1"};

typedef struct {
    heist_task task; /* first */
    long contents;
} record;

static heist__worker *worker[4];
static record *records;
static uint8_t *state; /* of each task */
static bool two, below, nested, chain, crossed, older;
static uint8_t *waits_for; /* of each worker: the task + 1 */

static void run(heist_worker *face, heist_slot *bottom, heist_task *task);

static heist_slot *spawn(heist_worker *face, heist_slot *bottom, int i)
{
    records[i].contents = SPAWNED;
    state[i] = SPAWNED;
    return heist__push(face, bottom, &records[i].task);
}

static heist_slot *join(heist_worker *face, heist_slot *bottom, int i)
{
    heist_task *task = &records[i].task;
    if (heist__pop(face, bottom, task)) {
        bottom--;
        run(face, bottom, task);
    } else {
        waits_for[model_self()] = (uint8_t)(i + 1);
        bottom = heist__join_slow(face, bottom, task);
        waits_for[model_self()] = 0;
    }
    model_check(state[i] == RAN, "the join of %s returns before it has run", names[i]);
    model_check(records[i].contents == RAN, "the join of %s does not see what it did", names[i]);
    records[i].contents = JOINED;
    state[i] = JOINED;
    return bottom;
}

/* What a worker that waits may run meanwhile. */
static void check_descent(int me, int i)
{
    if (crossed) {
        model_check(waits_for[me] != Q1 + 1, "worker %d waits for q1 and runs %s", me, names[i]);
        return;
    }
    if (me == 0) model_check(i == X1 || i == X2 || i == X11, "worker 0 waits for x and runs %s", names[i]);
    if (me == 1 && chain) model_check(i == X1 || i == X11, "worker 1 waits for x1 and runs %s", names[i]);
}

static void run(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    record *r = (record *)(void *)task;
    if (r < records || r >= records + TASKS) {
        model_check(false, "thread %d runs %p, which is no task", model_self(), (void *)task);
        return;
    }
    int i = (int)(r - records);
    check_descent(model_self(), i);
    model_check(state[i] == SPAWNED, "%s is run by worker %d in state %d", names[i], model_self(), state[i]);
    model_check(r->contents == SPAWNED, "%s is run without its contents", names[i]);
    state[i] = RUNNING;
    if (i == X && nested) {
        heist__nesting_enter(heist__worker_of(face), task, NULL, (heist__origin){NULL, 0});
        heist__nesting_leave(heist__worker_of(face));
    }
    if (i == X && !chain) {
        bottom = spawn(face, bottom, X1);
        if (two) bottom = spawn(face, bottom, X2);
        if (two) bottom = join(face, bottom, X2);
        bottom = join(face, bottom, X1);
    }
    if (i == X1 && chain && !older) {
        bottom = spawn(face, bottom, X11);
        bottom = join(face, bottom, X11);
    }
    if (i == Q2) {
        bottom = spawn(face, bottom, R);
        bottom = join(face, bottom, R);
    }
    if (i == Y) {
        bottom = spawn(face, bottom, Y1);
        bottom = join(face, bottom, Y1);
    }
    r->contents = RAN;
    state[i] = RAN;
}

static void wait_for_x(void *unused)
{
    (void)unused;
    join(&worker[0]->tasks.face, heist__bottom_of(worker[0]), X);
}

static void run_x_and_more(void *unused)
{
    (void)unused;
    heist__worker *w = worker[1];
    heist__stolen x = {&records[X].task, worker[0], NULL, NULL}, y = {&records[Y].task, worker[3], NULL, NULL};
    heist__run_stolen(w, &x);
    if (below) {
        join(&w->tasks.face, heist__bottom_of(w), P1);
    } else {
        heist__run_stolen(w, &y);
    }
}

/* Worker 1 in the middle of x, as heist__run_stolen would have it; then the end of that. */
static void join_x1_inside_x(void *unused)
{
    (void)unused;
    heist__worker *w = worker[1];
    join(&w->tasks.face, heist__bottom_of(w), X1);
    records[X].contents = RAN;
    state[X] = RAN;
    heist__store_release(&records[X].task.state, HEIST__TASK_DONE);
    heist__add_seq_cst(&worker[0]->children_done, 1);
    heist__task_deque_renew(&w->tasks);
    heist__nesting_leave(w);
    if (heist__load_seq_cst(&worker[0]->join_asleep)) heist__futex_wake(&worker[0]->children_done, 1);
}

static void run_x1_and_y(void *unused)
{
    (void)unused;
    heist__stolen x1 = {&records[X1].task, worker[1], NULL, NULL}, y = {&records[Y].task, worker[3], NULL, NULL};
    heist__run_stolen(worker[2], &x1);
    heist__run_stolen(worker[2], &y);
}

/* Worker 2 waits for z, and has just leapfrogged x1. */
static void run_x1_while_waiting(void *unused)
{
    (void)unused;
    heist__stolen x1 = {&records[X1].task, worker[1], NULL, NULL};
    heist__run_stolen(worker[2], &x1);
}

/* Worker 0 as if it waited for a task of worker 1's, and has just leapfrogged q1. */
static void run_q1(void *unused)
{
    (void)unused;
    heist__stolen q1 = {&records[Q1].task, worker[2], NULL, NULL};
    heist__run_stolen(worker[0], &q1);
}

static void run_q2(void *unused)
{
    (void)unused;
    heist__stolen q2 = {&records[Q2].task, worker[2], NULL, NULL};
    heist__run_stolen(worker[1], &q2);
}

static void join_q1_and_q2(void *unused)
{
    (void)unused;
    heist_worker *face = &worker[2]->tasks.face;
    heist_slot *bottom = join(face, heist__bottom_of(worker[2]), Q1);
    join(face, bottom, Q2);
}

static void setup_crossed(void)
{
    heist__task_deque *f = &worker[2]->tasks;
    for (int i = 0; i < 2; i++) {
        state[Q1 + i] = SPAWNED;
        records[Q1 + i].contents = SPAWNED;
        heist__store_relaxed(&f->slots[i], &records[Q1 + i].task);
        heist__store_relaxed(&records[Q1 + i].task.state, (uintptr_t)&f->slots[i]);
    }
    heist__store_relaxed(&f->face.bottom, f->slots + 2);
    heist__store_relaxed(&f->top, 2);
    heist__store_relaxed(&f->published, 2);
    heist__store_relaxed(f->pop_gate, f->slots + 2);
    heist__store_relaxed(&worker[0]->waits_on, 1 + 1);
    model_thread(run_q1, NULL);
    model_thread(run_q2, NULL);
    model_thread(join_q1_and_q2, NULL);
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

/* Task i lies in the first slot of `w`; `stolen`: a thief has it already. */
static void place(heist__worker *w, int i, bool stolen)
{
    heist__task_deque *f = &w->tasks;
    heist__store_relaxed(&f->slots[0], &records[i].task);
    heist__store_relaxed(&records[i].task.state, (uintptr_t)f->slots);
    heist__store_relaxed(&f->face.bottom, f->slots + 1);
    state[i] = SPAWNED;
    records[i].contents = SPAWNED;
    if (!stolen) return;
    heist__store_relaxed(&f->top, 1);
    heist__store_relaxed(&f->published, 1);
    heist__store_relaxed(f->pop_gate, f->slots + 1);
}

/* Worker 2 waits for z. Worker 3, which runs z, is no thread: it computes for ever, and z1 is public. */
static void setup_older_wait(void)
{
    place(worker[3], Z1, false);
    heist__store_relaxed(&worker[3]->tasks.published, 1);
    heist__store_relaxed(worker[3]->tasks.pop_gate, worker[3]->tasks.slots + 1);
    heist__store_relaxed(&worker[2]->waits_on, 3 + 1);
}

void model_setup(void)
{
    const char *shape = model_text("shape", "pair");
    two = shape[0] == 't';
    nested = shape[0] == 'n';
    below = shape[0] == 'b' || nested;
    crossed = !strcmp(shape, "crossed");
    older = !strcmp(shape, "older");
    chain = !strcmp(shape, "chain") || older;
    heist_pool *pool = model_pool(4);
    pool->settings.waiting_spin = model_number("park", 0) ? 0 : 1;
    for (unsigned i = 0; i < 4; i++) {
        worker[i] = model_worker(pool, i, 3, model_number("fenced", 0));
        pool->workers[i] = worker[i];
        if (pool->settings.waiting_spin || i == 3) model_ignore(&worker[i]->join_asleep, sizeof worker[i]->join_asleep);
        for (unsigned k = 0; k < MODEL_NESTINGS; k++)
            model_ignore(&worker[i]->nestings[k].core, 24); /* no scopes here */
    }
    if (!older) model_ignore(worker[3], sizeof *worker[3]); /* a home for y, not a thread */
    pool->count = older ? 4 : chain || crossed ? 3 : 2;
    state = model_alloc(TASKS);
    waits_for = model_alloc(4);
    records = model_payload(TASKS * sizeof *records);
    for (int i = 0; i < TASKS; i++) {
        records[i].task.run = run;
        model_unwatch(&records[i].task, sizeof records[i].task);
        model_name(&records[i].task.state, 8, 8, false, "state_%s", names[i]);
        model_name(&records[i].contents, 8, 8, false, "contents_%s", names[i]);
        model_name(&records[i].task, 8, 8, false, "%s", names[i]);
    }
    if (crossed) {
        setup_crossed();
        return;
    }
    place(worker[0], X, true);
    state[Y] = SPAWNED;
    records[Y].contents = SPAWNED;
    model_thread(wait_for_x, NULL);
    if (chain) {
        place(worker[1], X1, true);
        heist__store_relaxed(&records[X].task.state, HEIST__TASK_TAKEN | 1 << 3);
        if (!older) /* its thief has just said so; else it is about to */
            heist__store_relaxed(&records[X1].task.state, HEIST__TASK_TAKEN | 2 << 3);
        heist__store_relaxed(&worker[1]->depth, 1);
        state[X] = RUNNING;
        if (older) setup_older_wait();
        model_thread(join_x1_inside_x, NULL);
        model_thread(older ? run_x1_while_waiting : run_x1_and_y, NULL);
    } else {
        if (below) place(worker[1], P1, false);
        model_thread(run_x_and_more, NULL);
    }
}

void model_always(void)
{
}

void model_end(unsigned blocked)
{
    model_check(!blocked, "threads %x wait for ever", blocked);
    if (crossed) {
        model_check(state[Q1] == JOINED && state[Q2] == JOINED, "q1 and q2 were not joined");
        return;
    }
    model_check(below || older || state[Y] == RAN, "y has not run");
    model_check(state[X] == JOINED, "x was not joined");
}
