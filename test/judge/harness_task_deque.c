/* The task deque and the join under GenMC: the scenarios of test/model/harness_task_deque.c.
 *
 *   STEPS      what the owner does, as statements: spawn(0); publish(); join(0);
 *   THIEVES    how many; TRIES: steals of each
 *   FENCED     1: fence mode. 0: the heavy barrier of judge.h
 *   BEGIN      so many children are in the deque at the start, PUBLISHED of them public
 *   JUDGE_EVERYWHERE  the owner passes the fence of that barrier at any of its accesses
 *   LEAVE      1: the owner's children are not joined
 *
 * Each child must be run once, and before its join returns. A child and its joiner write to `contents` without an
 * atomic, so a child that runs twice, too early or too late is a race. */
#include "scenario.h"

#include "judge.h"

#include "idle/backoff.h"

/* A round of back-off lasts until the word has its value. So what a waiter does between two rounds, it does once. */
static heist__idle_step judge_wait_for(HEIST__ATOMIC(uintptr_t) * word, uintptr_t value)
{
    while (heist__load_relaxed(word) != value) {
    } /* relaxed: the caller looks again */
    return HEIST__SPIN;
}
#define heist__backoff_begin(backoff, rounds) ((void)(backoff))
#define heist__backoff_wait_for(backoff, random, word, value) judge_wait_for((word), (value))

/* What a worker runs on top of what plays no part here: nobody leapfrogs. (And GenMC cannot copy a heist__origin.) */
#include "schedule/nesting.h"
#define heist__nesting_room(w) ((void)(w), false)
#define heist__nesting_floor(w) ((void)(w), 0u)
#define heist__nesting_enter(w, task, core, from) ((void)(w))
#define heist__nesting_returned(w, core) ((void)(w))
#define heist__nesting_leave(w) ((void)(w))
#define heist__scope_at(victim, number, from) ((void)(victim), (heist__scope_core *)NULL)

#include "deque/task_deque.c"
#include "schedule/join.c"
#include "schedule/spawn.c"
#include "schedule/steal.c"

enum { CHILDREN = 4, SLOTS = 1024 };

typedef struct {
    heist_task task; /* first */
    long contents;   /* 1: spawned. 2: has run. */
} child;

static heist_pool pool;
static heist__worker worker[THIEVES + 1]; /* the first is the owner */
static heist_slot memory[THIEVES + 1][SLOTS + 2];
static int reserved;
static child children[CHILDREN];
static int runs[THIEVES + 1][CHILDREN]; /* a row for each thread */
static heist_slot *end;                 /* the owner's bottom */

int heist__reserve_make(heist__reserve *r, size_t bytes, size_t usable)
{
    assert(bytes == sizeof memory[0]);
    (void)usable;
    r->start = (char *)memory[reserved++];
    r->usable = bytes;
    return 0;
}

bool heist__reserve_grow(heist__reserve *r)
{
    (void)r;
    return false;
}

void heist__reserve_trim(heist__reserve *r, size_t kept)
{
    (void)r;
    (void)kept;
}

void heist__reserve_free(heist__reserve *r)
{
    (void)r;
}

bool heist__heavy_barrier(bool fenced)
{
    if (fenced) {
        heist__fence_seq_cst();
    } else {
        judge_barrier();
    }
    return true;
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

bool heist__futex_wait(HEIST__ATOMIC(uint32_t) * word, uint32_t expected, int64_t timeout_ns)
{
    (void)word;
    (void)expected;
    (void)timeout_ns;
    assert(false); /* nobody parks in these scenarios */
    return false;
}

void heist__futex_wake(HEIST__ATOMIC(uint32_t) * word, int count)
{
    (void)word;
    (void)count;
}

static void run(heist_worker *face, heist_slot *bottom, heist_task *task)
{
    (void)bottom;
    child *c = (child *)(void *)task;
    assert(c >= children && c < children + CHILDREN);
    assert(c->contents == 1);
    c->contents = 2;
    runs[heist__worker_of(face)->index][c - children]++;
}

static void spawn(int i)
{
    judge_step();
    children[i].contents = 1;
    end = heist__push(&worker[0].tasks.face, end, &children[i].task);
}

static void join(int i)
{
    heist_worker *face = &worker[0].tasks.face;
    child *c = &children[i];
    judge_step();
    if (heist__pop(face, end, &c->task)) {
        end--;
        run(face, end, &c->task);
    } else {
        end = heist__join_slow(face, end, &c->task);
    }
    assert(c->contents == 2);
    c->contents = 0;
}

static void publish(void)
{
    judge_step();
    heist__task_deque_publish(&worker[0].tasks);
}

static void *thief(void *self)
{
    heist__worker *w = self;
    for (int i = 0; i < TRIES; i++) {
        heist__stolen stolen;
        uint64_t top = heist__task_deque_look(&worker[0].tasks);
        if (heist__steal_child(&worker[0], top, 0, &stolen) == HEIST_STEAL_GOT) heist__run_stolen(w, &stolen);
    }
    return NULL;
}

static void prepare(void)
{
    for (unsigned i = 0; i <= THIEVES; i++) {
        heist__worker *w = &worker[i];
        w->pool = &pool;
        w->index = i;
        heist__task_deque_init(&w->tasks, SLOTS, FENCED);
        w->tasks.end = w->tasks.slots + CHILDREN; /* so few that the end is met */
        w->tasks.capacity = CHILDREN;
        heist__store_relaxed(w->tasks.push_gate, w->tasks.end);
    }
    heist__task_deque *f = &worker[0].tasks;
    for (int i = 0; i < CHILDREN; i++) children[i].task.run = run;
    for (int i = 0; i < BEGIN; i++) {
        children[i].contents = 1;
        heist__store_relaxed(&f->slots[i], &children[i].task);
        heist__store_relaxed(&children[i].task.state, (uintptr_t)&f->slots[i]);
    }
    end = f->slots + BEGIN;
    heist__store_relaxed(&f->face.bottom, end);
    heist__store_relaxed(&f->published, PUBLISHED);
    heist__store_relaxed(f->pop_gate, f->slots + PUBLISHED);
}

/* Invariant (a) of DEQUE.md, and that nothing is lost. */
static void check_end(void)
{
    heist__task_deque *f = &worker[0].tasks;
    uint32_t top = number_of(heist__load_relaxed(&f->top)), published = number_of(heist__load_relaxed(&f->published));
    heist_slot *gate = heist__load_relaxed(f->pop_gate);
    assert(gate == HEIST__POP_SHUT ? top <= published : gate >= f->slots + published && gate >= f->slots + top);
    for (int i = 0; i < CHILDREN; i++) {
        int times = 0;
        for (int t = 0; t <= THIEVES; t++) times += runs[t][i];
        assert(LEAVE ? times <= 1 : children[i].contents == 0 && times == (SPAWNED >> i & 1));
    }
    assert(LEAVE || end == f->slots);
}

int main(void)
{
    pthread_t threads[THIEVES];
    prepare();
    for (int i = 0; i < THIEVES; i++) pthread_create(&threads[i], NULL, thief, &worker[i + 1]);
    judge_own();
    STEPS
    judge_rest();
    for (int i = 0; i < THIEVES; i++) pthread_join(threads[i], NULL);
    check_end();
    return 0;
}
