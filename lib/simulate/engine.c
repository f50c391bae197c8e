/* engine.c: the simulated workers. See engine.h; SIMULATE.md has the model.
 *
 * Every worker has at most one event, at which it goes on. In between nothing happens to it, except that another worker
 * answers, wakes or releases it: then its event moves. A worker's steps without work are done at once, and their costs
 * (`debt`) are added to the next wait. */
#include "simulate/engine.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "deque/amounts.h"
#include "idle/backoff.h"
#include "idle/spin_budget.h"
#include "idle/wake_policy.h"
#include "schedule/join_policy.h"
#include "simulate/event_queue.h"

#define NOBODY UINT32_MAX
#define PS_OF_NS 1000

/* How many pauses a thief waits for an answer, as in deque/task_deque.c. */
#define PATIENCE 64

/* Looks of one event: they see the victims as they are when the event begins. */
#define LOOKS_AT_ONCE 32

typedef enum { IN_DEQUE, RUNS, TAKEN, DONE } task_state;

typedef struct {
    heist__sim_task own;
    int64_t path;      /* the longest path to this point, without costs */
    uint32_t step;     /* the next */
    uint32_t parent;   /* NOBODY: a job */
    uint32_t youngest; /* child that is not joined; NOBODY: none */
    uint32_t older;    /* the next older sibling of that kind; in the free list: the next */
    uint16_t thief, home;
    uint8_t state;
} task;

/* Numbers of tasks, from `top`, the oldest, to `bottom`. */
typedef struct {
    uint32_t *item;
    uint32_t mask, top, bottom;
} ring;

typedef struct {
    uint32_t task;
    uint32_t floor; /* the worker's floor before; for tasks that came from elsewhere */
    bool boundary;  /* came from elsewhere */
} frame;

typedef enum {
    WORKING,
    LOOKING, /* goes on with its search */
    ASKING,  /* has asked a victim to publish */
    BARRIER, /* nobody answered: the heavy barrier is on its way */
    TAKING,  /* a child */
    TAKING_JOB,
    BACKING_OFF, /* between two searches */
    WAITING,     /* for a stolen child, awake */
    NAPPING,     /* for a stolen child, asleep */
    RESTING,     /* nothing costs anything: until somebody pushes */
    ASLEEP
} phase;

typedef struct {
    /* What every step needs, in two lines of the cache. */
    _Alignas(64) phase phase;
    bool joining;   /* waits for a child; else it searches, if it does not work */
    bool in_search; /* a pass through the victims is under way */
    bool wanted;    /* a thief wants the next push */
    bool resting;   /* is in the list of those that rest or back off */
    bool loaded;    /* counted among the busy of its core and node */
    uint8_t level;
    uint16_t victim;
    uint32_t rung;      /* the ring that it has heard last */
    uint32_t published; /* end of the public children */
    uint32_t floor;     /* no thief that waits for this worker's task takes older children */
    uint32_t askers, next_asker;
    int64_t debt;
    ring children;
    frame *frames;
    unsigned depth, room;
    unsigned pu, core, node;
    /* The rest. */
    ring jobs;
    int64_t nap_ns, wanted_at, line_free;
    int64_t began; /* the task that came from elsewhere, for the timeline */
    heist__random random;
    heist__victims victims;
    heist__strategy_state strategy;
    heist__search search;
    heist__backoff backoff;
    heist__spin_budget spin;
} worker;

typedef struct {
    const heist__sim_machine *m;
    const heist__sim_costs *c;
    heist__sim_program *p;
    const heist__sim_settings *set;
    heist__sim_result *r;
    heist__event_queue events;
    worker *w;
    uint32_t *load; /* of each worker: children and jobs. Apart from the rest: searches read it much. */
    task *tasks;
    uint32_t task_count, task_room, free_task;
    uint64_t outstanding; /* jobs that have come and are not over */
    uint64_t there;       /* tasks in all deques */
    size_t arrived;
    uint32_t searching, asleep, ring, next_wake;
    uint16_t *idle; /* those that rest or back off */
    unsigned idle_count;
    unsigned *core_busy, *node_busy;
    int64_t now, ended;
    heist__random random; /* for arrivals */
    bool free_of_cost, failed;
    bool shares_hardware; /* siblings or a node's memory slow work down */
} sim;

/* ---- tasks and rings ---- */

static uint32_t task_new(sim *s, const heist__sim_task *own, uint32_t parent, int64_t path)
{
    uint32_t at = s->free_task;
    if (at != NOBODY) {
        s->free_task = s->tasks[at].older;
    } else {
        if (s->task_count == s->task_room) {
            size_t room = s->task_room ? (size_t)s->task_room * 2 : 4096;
            task *grown = room < NOBODY ? realloc(s->tasks, room * sizeof *grown) : NULL;
            if (!grown) {
                s->failed = true;
                return 0; /* the simulation ends; task 0 is there */
            }
            s->tasks = grown;
            s->task_room = (uint32_t)room;
        }
        at = s->task_count++;
    }
    s->tasks[at] =
        (task){.own = *own, .path = path, .parent = parent, .youngest = NOBODY, .older = NOBODY, .state = IN_DEQUE};
    return at;
}

static void task_free(sim *s, uint32_t at)
{
    s->tasks[at].older = s->free_task;
    s->free_task = at;
}

static bool ring_push(sim *s, ring *q, uint32_t item)
{
    uint32_t length = q->bottom - q->top;
    if (!q->item || length > q->mask) {
        size_t room = q->item ? ((size_t)q->mask + 1) * 2 : 64;
        uint32_t *grown = malloc(room * sizeof *grown);
        if (!grown) return s->failed = true, false;
        for (uint32_t i = 0; i < length; i++)
            grown[(q->top + i) & (uint32_t)(room - 1)] = q->item[(q->top + i) & q->mask];
        free(q->item);
        q->item = grown;
        q->mask = (uint32_t)(room - 1);
    }
    q->item[q->bottom++ & q->mask] = item;
    return true;
}

static void push_frame(sim *s, worker *w, uint32_t at, bool boundary)
{
    if (w->depth == w->room) {
        unsigned room = w->room ? w->room * 2 : 64;
        frame *grown = realloc(w->frames, room * sizeof *grown);
        if (!grown) {
            s->failed = true;
            return;
        }
        w->frames = grown;
        w->room = room;
    }
    w->frames[w->depth++] = (frame){at, w->floor, boundary};
    if (boundary) w->floor = w->children.bottom;
}

/* ---- time ---- */

static void set_event(sim *s, unsigned n, int64_t at)
{
    heist__events_set(&s->events, n, at);
}

static unsigned level_of(const sim *s, unsigned a, unsigned b)
{
    return heist__sim_level(s->m, s->w[a].pu, s->w[b].pu);
}

/* How long `ps` of work take beside the workers that are busy when it begins. */
static int64_t slowed(sim *s, worker *w, int64_t ps)
{
    double factor = 1;
    if (!s->shares_hardware) return ps;
    if (s->core_busy[w->core]) factor /= s->c->smt;
    if (s->c->roof > 0 && s->p->memory > 0) {
        double wanted = (s->node_busy[w->node] + 1) * s->p->memory / s->c->roof;
        if (wanted > 1) factor *= 1 + s->p->memory * (wanted - 1);
    }
    s->core_busy[w->core]++;
    s->node_busy[w->node]++;
    w->loaded = true;
    return factor > 1 ? (int64_t)((double)ps * factor) : ps;
}

static void unload(sim *s, worker *w)
{
    if (!w->loaded) return;
    w->loaded = false;
    s->core_busy[w->core]--;
    s->node_busy[w->node]--;
}

/* ---- waking ---- */

static void join_list(sim *s, unsigned n)
{
    if (s->w[n].resting) return;
    s->w[n].resting = true;
    s->idle[s->idle_count++] = (uint16_t)n;
}

/* Work was made visible: workers that back off look at once. Without costs all that rest do. */
static void release_idle(sim *s, int64_t t)
{
    for (unsigned i = 0; i < s->idle_count; i++) {
        unsigned n = s->idle[i];
        worker *w = &s->w[n];
        w->resting = false;
        if (w->phase == RESTING) {
            w->phase = w->joining ? WAITING : LOOKING;
            set_event(s, n, t);
        } else if (w->phase == BACKING_OFF && s->events.at[n] > t + s->c->look[HEIST__SAME_NODE]) {
            set_event(s, n, t + s->c->look[HEIST__SAME_NODE]);
        }
    }
    s->idle_count = 0;
}

/* As heist__idle_wake_one. Returns whether a worker was woken. */
static bool wake_one(sim *s, int64_t t)
{
    if (s->searching) release_idle(s, t);
    if (s->asleep == 0 || heist__searchers_suffice(s->searching, 0)) return false;
    for (unsigned i = 0; i < s->set->workers; i++) {
        unsigned at = heist__wake_turn(s->next_wake, i, s->set->workers);
        worker *w = &s->w[at];
        if (w->phase != ASLEEP) continue;
        s->next_wake = at + 1;
        s->asleep--;
        s->searching++;
        s->r->wakes++;
        w->phase = LOOKING;
        w->in_search = false;
        heist__backoff_begin(&w->backoff, UINT32_MAX);
        heist__spin_woken(&w->spin, (t + s->c->wake) / PS_OF_NS);
        set_event(s, at, t + s->c->wake);
        return true;
    }
    return false;
}

/* The owner publishes half of its children up to `end`, and those that asked for it take. */
static void answer(sim *s, unsigned n, int64_t t, uint32_t end)
{
    worker *w = &s->w[n];
    uint32_t offer = heist__offer_end(w->children.top, end);
    if ((int32_t)(offer - w->published) > 0 && end != w->children.top) w->published = offer;
    w->debt += s->c->answer;
    s->r->answers += w->askers != NOBODY;
    for (uint32_t at = w->askers; at != NOBODY;) {
        worker *thief = &s->w[at];
        uint32_t next = thief->next_asker;
        thief->phase = TAKING;
        int64_t from = t > w->line_free ? t : w->line_free;
        w->line_free = from + s->c->steal[thief->level];
        set_event(s, at, w->line_free);
        at = next;
    }
    w->askers = NOBODY;
}

/* As heist__notice: after a push that met a shut gate. */
static void notice(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    w->rung = s->ring;
    w->wanted = false;
    answer(s, n, t, w->children.bottom);
    if (wake_one(s, t)) w->debt += s->c->wake_call;
}

static void pushed(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    s->load[n]++;
    s->there++;
    if (s->free_of_cost) release_idle(s, t);
    if (w->rung != s->ring || w->wanted || w->askers != NOBODY) notice(s, n, t);
}

static void push_job(sim *s, unsigned n, int64_t t, uint32_t at)
{
    if (!ring_push(s, &s->w[n].jobs, at)) return;
    s->outstanding++;
    s->load[n]++;
    s->there++;
    if (s->free_of_cost) release_idle(s, t);
    if (wake_one(s, t)) s->w[n].debt += s->c->wake_call;
}

/* ---- the end of a wait ---- */

static void go_on(sim *s, unsigned n, int64_t t);

/* The first task of a worker counts for the time until all have some. */
static void begin_task(sim *s, unsigned n, int64_t t)
{
    if (s->r->of[n].executed++ == 0) {
        s->r->used++;
        s->r->spread = t;
    }
    s->r->tasks++;
}

/* A searcher has found something: as heist__idle_found. */
static void leave_search(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    w->in_search = false;
    s->searching--;
    heist__spin_end(&w->spin, t / PS_OF_NS);
    if (heist__searchers_suffice(s->searching, 0) || s->asleep == 0) return;
    if (s->there && wake_one(s, t)) w->debt += s->c->wake_call;
}

static void run_from_elsewhere(sim *s, unsigned n, int64_t t, uint32_t at)
{
    worker *w = &s->w[n];
    w->phase = WORKING;
    w->joining = false;
    w->began = t;
    s->tasks[at].state = s->tasks[at].parent == NOBODY ? RUNS : TAKEN;
    s->tasks[at].thief = (uint16_t)n;
    push_frame(s, w, at, true);
    begin_task(s, n, t);
    if (!s->failed) go_on(s, n, t);
}

/* ---- searching ---- */

static size_t load_of(const void *context, unsigned n)
{
    return ((const sim *)context)->load[n];
}

static bool has_children(const worker *v)
{
    return v->children.top != v->children.bottom;
}

static void ask(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n], *v = &s->w[w->victim];
    w->phase = ASKING;
    w->next_asker = v->askers;
    v->askers = n;
    set_event(s, n, t + PATIENCE * s->c->pause);
}

static void stop_asking(sim *s, unsigned n)
{
    worker *w = &s->w[n];
    uint32_t *at = &s->w[w->victim].askers;
    while (*at != n) at = &s->w[*at].next_asker;
    *at = w->next_asker;
}

/* Begins to take from a victim that seems to have something. Thieves of one victim take one after the other. */
static void attempt(sim *s, unsigned n, int64_t t, unsigned victim, unsigned level)
{
    worker *w = &s->w[n], *v = &s->w[victim];
    w->victim = (uint16_t)victim;
    w->level = (uint8_t)level;
    if (has_children(v) && v->published == v->children.top && !s->free_of_cost) {
        ask(s, n, t);
        return;
    }
    w->phase = has_children(v) ? TAKING : TAKING_JOB;
    int64_t from = t > v->line_free ? t : v->line_free;
    v->line_free = from + s->c->steal[level];
    set_event(s, n, v->line_free);
}

static void begin_search(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    s->searching++;
    w->phase = LOOKING;
    w->in_search = false;
    heist__backoff_begin(&w->backoff, UINT32_MAX);
    heist__spin_begin(&w->spin, t / PS_OF_NS);
    set_event(s, n, t);
}

/* As heist__idle_sleep. */
static void fall_asleep(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    s->searching--;
    s->asleep++;
    s->ring++; /* every push gate is shut */
    s->r->sleeps++;
    w->phase = ASLEEP;
    set_event(s, n, HEIST__NEVER);
    if (!s->there) return;
    s->asleep--;
    s->searching++;
    w->phase = LOOKING;
    w->in_search = false;
    heist__spin_woken(&w->spin, t / PS_OF_NS);
    set_event(s, n, t + s->c->sleep);
}

/* A search found nothing. */
static void back_off(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    w->in_search = false;
    if (s->free_of_cost) {
        /* Something came after the look: the next look is at the same time. */
        w->phase = s->there ? LOOKING : RESTING;
        if (!s->there) join_list(s, n);
        set_event(s, n, s->there ? t : HEIST__NEVER);
        return;
    }
    w->phase = BACKING_OFF;
    join_list(s, n);
    int64_t pauses = heist__backoff_next(&w->backoff, &w->random);
    set_event(s, n, t + (pauses > 0 ? pauses : 1) * (s->c->pause > 0 ? s->c->pause : 1));
}

/* Goes on with a search: looks at some victims, and tries the first that has something. */
static void look_on(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    unsigned victim, level;
    if (!w->in_search) heist__search_begin(&w->search, &w->victims, &w->strategy, &w->random, load_of, s);
    w->in_search = true;
    int64_t spent = 0;
    for (unsigned looks = 0; looks < LOOKS_AT_ONCE; looks++) {
        if (!heist__search_next(&w->search, &victim, &level)) {
            back_off(s, n, t + spent);
            return;
        }
        if (s->m->boxes > 1) level = level_of(s, n, victim);
        if (s->load[victim]) {
            attempt(s, n, t + spent, victim, level);
            return;
        }
        spent += s->c->look[level];
        s->r->looks++;
        heist__strategy_report(&w->strategy, false);
        worker *v = &s->w[victim];
        if (!v->wanted && heist__want_is_due(t / PS_OF_NS, v->wanted_at)) {
            v->wanted = true;
            v->wanted_at = t / PS_OF_NS;
        }
    }
    w->phase = LOOKING;
    set_event(s, n, t + spent);
}

static void wait_for_child(sim *s, unsigned n, int64_t t);

/* An attempt brought nothing. */
static void missed(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    s->r->lost++;
    if (w->joining) {
        w->phase = WAITING;
        set_event(s, n, t + s->c->pause);
        return;
    }
    heist__strategy_report(&w->strategy, false);
    w->phase = LOOKING;
    set_event(s, n, t);
}

/* Takes the oldest child of the victim. A worker that waits for a child takes descendants of that child alone. */
static void take_child(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n], *v = &s->w[w->victim];
    bool there = has_children(v) && (s->free_of_cost || v->published != v->children.top);
    if (w->joining) there = there && (int32_t)(v->children.top - v->floor) >= 0;
    if (w->joining && s->tasks[s->tasks[w->frames[w->depth - 1].task].youngest].state == DONE) there = false;
    if (!there) {
        missed(s, n, t);
        return;
    }
    uint32_t at = v->children.item[v->children.top++ & v->children.mask];
    if ((int32_t)(v->published - v->children.top) < 0) v->published = v->children.top;
    s->load[w->victim]--;
    s->there--;
    s->tasks[at].home = w->victim;
    s->r->steals[w->level]++;
    s->r->of[n].stolen++;
    w->debt += s->c->carry[w->level];
    if (w->joining) {
        s->r->leapfrogs++;
    } else {
        heist__strategy_report(&w->strategy, true);
        leave_search(s, n, t);
    }
    run_from_elsewhere(s, n, t, at);
}

/* One of the victim's jobs, or half of them. */
static void take_job(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n], *v = &s->w[w->victim];
    uint32_t length = v->jobs.bottom - v->jobs.top;
    if (length == 0) {
        missed(s, n, t);
        return;
    }
    uint32_t taken = s->set->half ? (uint32_t)heist__half_of(length, HEIST__STEAL_MOST) : 1;
    uint32_t at = v->jobs.item[v->jobs.top++ & v->jobs.mask];
    for (uint32_t i = 1; i < taken; i++) {
        if (!ring_push(s, &w->jobs, v->jobs.item[v->jobs.top++ & v->jobs.mask])) return;
        s->load[n]++;
        s->there++;
    }
    s->load[w->victim] -= taken;
    s->there -= taken;
    s->r->steals[w->level]++;
    s->r->of[n].stolen += taken;
    w->debt += s->c->carry[w->level];
    heist__strategy_report(&w->strategy, true);
    leave_search(s, n, t);
    if (s->free_of_cost && taken > 1) release_idle(s, t);
    run_from_elsewhere(s, n, t, at);
}

/* ---- joining ---- */

/* The worker from which a descendant of the awaited child can be stolen, along the chain of thieves; NOBODY: none. */
static unsigned leap_victim(sim *s, unsigned n, int64_t *spent)
{
    const task *child = &s->tasks[s->tasks[s->w[n].frames[s->w[n].depth - 1].task].youngest];
    for (unsigned hops = 0; hops < s->set->workers; hops++) {
        unsigned at = child->thief;
        worker *thief = &s->w[at];
        if (at == n) return NOBODY;
        bool any = has_children(thief) && (int32_t)(thief->children.top - thief->floor) >= 0;
        heist__leap leap = heist__leap_after(any ? HEIST_STEAL_GOT : HEIST_STEAL_EMPTY);
        if (leap == HEIST__LEAP_RUN) return at;
        *spent += s->c->look[level_of(s, n, at)];
        bool waits = thief->phase == WAITING || thief->phase == NAPPING || (thief->phase == RESTING && thief->joining);
        if (!waits) return NOBODY;
        child = &s->tasks[s->tasks[thief->frames[thief->depth - 1].task].youngest];
        if (child->state != TAKEN) return NOBODY;
    }
    return NOBODY;
}

static void begin_wait(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    w->joining = true;
    w->debt = 0; /* it is in `t` */
    w->nap_ns = HEIST__FIRST_NAP_NS;
    heist__backoff_begin(&w->backoff, HEIST__SPIN_ROUNDS);
    wait_for_child(s, n, t);
}

static void nap(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    w->phase = NAPPING;
    set_event(s, n, t + w->nap_ns * PS_OF_NS);
    w->nap_ns = heist__next_nap(w->nap_ns);
}

/* As wait_for_stolen: the youngest child of the worker's task is with a thief. */
static void wait_for_child(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    task *parent = &s->tasks[w->frames[w->depth - 1].task];
    task *child = &s->tasks[parent->youngest];
    w->phase = WAITING;
    if (child->state == DONE) {
        w->joining = false;
        go_on(s, n, t);
        return;
    }
    int64_t spent = 0;
    unsigned victim = leap_victim(s, n, &spent);
    if (victim != NOBODY) {
        attempt(s, n, t + spent, victim, level_of(s, n, victim));
        return;
    }
    if (s->free_of_cost) {
        w->phase = RESTING;
        join_list(s, n);
        set_event(s, n, HEIST__NEVER);
        return;
    }
    heist__idle_step step = heist__backoff_step(&w->backoff);
    int64_t pauses = heist__backoff_next(&w->backoff, &w->random);
    if (step == HEIST__PARK) {
        nap(s, n, t + spent);
    } else {
        int64_t wait = pauses * s->c->pause + (step == HEIST__YIELD ? s->c->yield : 0) + spent;
        set_event(s, n, t + (wait > 0 ? wait : 1));
    }
}

/* A thief has finished a child of `home`: if that waits for it, it sees so soon. */
static void tell_home(sim *s, unsigned n, int64_t t, uint32_t at)
{
    unsigned home = s->tasks[at].home;
    worker *w = &s->w[home];
    if (!w->joining || w->depth == 0 || s->tasks[w->frames[w->depth - 1].task].youngest != at) return;
    if (w->phase == WAITING || w->phase == RESTING) {
        int64_t seen = t + s->c->look[level_of(s, n, home)];
        w->phase = WAITING;
        if (seen < s->events.at[home]) set_event(s, home, seen);
    } else if (w->phase == NAPPING) {
        s->w[n].debt += s->c->wake_call;
        if (t + s->c->wake < s->events.at[home]) set_event(s, home, t + s->c->wake);
    }
}

/* ---- running ---- */

/* The youngest child of the running task: run, joined, or waited for. False: the worker waits. */
static bool join_youngest(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    uint32_t parent = w->frames[w->depth - 1].task, at = s->tasks[parent].youngest;
    task *child = &s->tasks[at];
    if (child->state == IN_DEQUE) {
        uint32_t mine = --w->children.bottom;
        s->load[n]--;
        s->there--;
        w->debt += s->c->join;
        if ((int32_t)(w->published - mine) > 0) {
            w->published = heist__kept_end(w->children.top, mine);
            w->debt += s->c->claim;
        } else if (w->askers != NOBODY) {
            answer(s, n, t, mine);
        }
        child->state = RUNS;
        push_frame(s, w, at, false);
        begin_task(s, n, t);
        return true;
    }
    if (child->state == DONE) {
        task *p = &s->tasks[parent];
        if (child->path > p->path) p->path = child->path;
        p->youngest = child->older;
        task_free(s, at);
        w->debt += s->c->join_stolen;
        return true;
    }
    begin_wait(s, n, t + w->debt);
    return false;
}

/* The running task is over. False: the worker does not go on by itself. */
static bool end_task(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    frame f = w->frames[--w->depth];
    task *k = &s->tasks[f.task];
    if (!f.boundary) {
        task *parent = &s->tasks[w->frames[w->depth - 1].task];
        /* A child from the deque is joined by this, a called one returns. */
        if (parent->youngest == f.task) parent->youngest = k->older;
        if (k->path > parent->path) parent->path = k->path;
        task_free(s, f.task);
        return true;
    }
    w->floor = f.floor;
    if (s->set->ran) s->set->ran(s->set->context, n, w->began, t + w->debt, k->parent != NOBODY);
    if (k->parent == NOBODY) {
        if (k->path > s->r->span) s->r->span = k->path;
        task_free(s, f.task);
        if (t + w->debt > s->ended) s->ended = t + w->debt;
        s->outstanding--;
    } else {
        k->state = DONE;
        tell_home(s, n, t + w->debt, f.task);
    }
    if (w->depth == 0) return true;
    /* The worker stole the task while it waited for a child. */
    if (s->tasks[s->tasks[w->frames[w->depth - 1].task].youngest].state == DONE) return true;
    begin_wait(s, n, t + w->debt);
    return false;
}

/* Runs the next of the worker's own jobs, or searches. */
static bool next_own_job(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    int64_t debt = w->debt;
    if (w->jobs.top == w->jobs.bottom) {
        w->debt = 0;
        begin_search(s, n, t + debt);
        return false;
    }
    uint32_t at = w->jobs.item[--w->jobs.bottom & w->jobs.mask];
    s->load[n]--;
    s->there--;
    s->tasks[at].state = RUNS;
    w->debt += s->c->join;
    w->began = t + debt;
    push_frame(s, w, at, true);
    begin_task(s, n, t);
    return true;
}

/* Goes on with the running task until it works or waits. */
static void go_on(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    heist__sim_step step;
    w->phase = WORKING;
    while (!s->failed) {
        if (w->depth == 0) {
            if (!next_own_job(s, n, t)) return;
            continue;
        }
        uint32_t at = w->frames[w->depth - 1].task, child;
        task *k = &s->tasks[at];
        const heist__sim_place place = {n, s->set->workers, t,
                                        k->youngest != NOBODY && s->tasks[k->youngest].state != IN_DEQUE, &w->victims};
        switch (s->p->step(s->p->state, &k->own, k->step++, &place, &step)) {
        case HEIST__SIM_WORK:
            k->path += step.ps;
            s->r->work += step.ps;
            int64_t takes = slowed(s, w, step.ps);
            s->r->of[n].busy += takes;
            set_event(s, n, t + w->debt + takes);
            w->debt = 0;
            return;
        case HEIST__SIM_SPAWN:
            child = task_new(s, &step.child, at, k->path);
            if (s->failed || !ring_push(s, &w->children, child)) return;
            s->tasks[child].older = s->tasks[at].youngest;
            s->tasks[at].youngest = child;
            w->debt += s->c->spawn;
            pushed(s, n, t);
            break;
        case HEIST__SIM_CALL:
            child = task_new(s, &step.child, at, k->path);
            s->tasks[child].state = RUNS;
            push_frame(s, w, child, false);
            begin_task(s, n, t);
            break;
        case HEIST__SIM_JOB:
            child = task_new(s, &step.child, NOBODY, k->path);
            if (s->failed) return;
            w->debt += s->c->spawn;
            push_job(s, n, t, child);
            break;
        case HEIST__SIM_JOIN:
            if (k->youngest == NOBODY) break;
            if (s->tasks[k->youngest].state == TAKEN) k->step--; /* it is joined when it is done */
            if (!join_youngest(s, n, t)) return;
            break;
        case HEIST__SIM_END:
            if (k->youngest != NOBODY) {
                k->step--;
                if (!join_youngest(s, n, t)) return;
            } else if (!end_task(s, n, t)) {
                return;
            }
            break;
        }
    }
}

/* ---- the simulation ---- */

static void arrive(sim *s, int64_t t)
{
    const heist__sim_program *p = s->p;
    while (s->arrived < p->arrival_count && p->arrivals[s->arrived].at <= t) {
        const heist__sim_arrival *a = &p->arrivals[s->arrived++];
        unsigned n = a->worker == HEIST__SIM_ANYWHERE ? heist__random_below(&s->random, s->set->workers)
                                                      : a->worker % s->set->workers;
        uint32_t at = task_new(s, &a->task, NOBODY, 0);
        if (s->failed) return;
        push_job(s, n, t, at);
        s->w[n].debt = 0; /* the waker is outside */
    }
    set_event(s, s->set->workers, s->arrived < p->arrival_count ? p->arrivals[s->arrived].at : HEIST__NEVER);
}

/* A worker that searches looks at its own jobs first: arrivals put some there. */
static bool has_own_job(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    if (w->jobs.top == w->jobs.bottom || w->joining) return false;
    leave_search(s, n, t);
    go_on(s, n, t);
    return true;
}

static void act(sim *s, unsigned n, int64_t t)
{
    worker *w = &s->w[n];
    switch (w->phase) {
    case WORKING:
        unload(s, w);
        go_on(s, n, t);
        break;
    case BACKING_OFF:
        if (has_own_job(s, n, t)) break;
        if (heist__spin_on(&w->spin, t / PS_OF_NS)) {
            look_on(s, n, t);
        } else {
            fall_asleep(s, n, t);
        }
        break;
    case LOOKING:
        if (w->in_search || !has_own_job(s, n, t)) look_on(s, n, t);
        break;
    case ASKING:
        stop_asking(s, n);
        w->phase = BARRIER;
        s->r->barriers++;
        set_event(s, n, t + s->c->barrier);
        break;
    case BARRIER: {
        worker *v = &s->w[w->victim];
        uint32_t offer = heist__offer_end(v->children.top, v->children.bottom);
        if (has_children(v) && (int32_t)(offer - v->published) > 0) v->published = offer;
        take_child(s, n, t);
        break;
    }
    case TAKING: take_child(s, n, t); break;
    case TAKING_JOB: take_job(s, n, t); break;
    case NAPPING:
    case WAITING: wait_for_child(s, n, t); break;
    case RESTING:
    case ASLEEP: set_event(s, n, HEIST__NEVER); break;
    }
}

static int make_worker(sim *s, unsigned n, const unsigned *pu_of)
{
    worker *w = &s->w[n];
    w->pu = pu_of[n];
    w->core = s->m->topology.pus[w->pu].core;
    w->node = s->m->topology.pus[w->pu].node;
    w->askers = NOBODY;
    w->wanted_at = -HEIST__WANT_NS;
    heist__random_seed(&w->random, s->set->seed, n);
    heist__strategy_init(&w->strategy, s->set->strategy);
    return heist__victims_init(&w->victims, &s->m->topology, pu_of, s->set->workers, n, NULL);
}

static int make(sim *s)
{
    const unsigned workers = s->set->workers;
    unsigned *pu_of = malloc(workers * sizeof *pu_of);
    s->w = aligned_alloc(_Alignof(worker), workers * sizeof *s->w);
    if (s->w) memset(s->w, 0, workers * sizeof *s->w);
    s->load = calloc(workers, sizeof *s->load);
    s->idle = calloc(workers, sizeof *s->idle);
    s->core_busy = calloc(s->m->topology.pu_count, sizeof *s->core_busy);
    s->node_busy = calloc(s->m->topology.node_count, sizeof *s->node_busy);
    s->r->of = calloc(workers, sizeof *s->r->of);
    int error = pu_of && s->w && s->load && s->idle && s->core_busy && s->node_busy && s->r->of ? 0 : -ENOMEM;
    if (!error) error = heist__events_init(&s->events, workers + 1);
    if (!error) heist__place(&s->m->topology, s->set->bind, workers, pu_of);
    for (unsigned n = 0; !error && n < workers; n++) error = make_worker(s, n, pu_of);
    free(pu_of);
    return error;
}

static void unmake(sim *s)
{
    for (unsigned n = 0; s->w && n < s->set->workers; n++) {
        heist__victims_free(&s->w[n].victims, NULL);
        free(s->w[n].children.item);
        free(s->w[n].jobs.item);
        free(s->w[n].frames);
    }
    heist__events_free(&s->events);
    free(s->w);
    free(s->load);
    free(s->idle);
    free(s->core_busy);
    free(s->node_busy);
    free(s->tasks);
}

static void begin(sim *s)
{
    heist__random_seed(&s->random, s->set->seed, 65536);
    for (unsigned n = 0; n < s->set->workers; n++) {
        if (s->set->cold && n > 0) {
            s->w[n].phase = ASLEEP;
            s->asleep++;
        } else {
            begin_search(s, n, 0);
        }
    }
    s->ring = s->asleep != 0;
    if (s->p->arrival_count) {
        arrive(s, 0);
    } else {
        uint32_t at = task_new(s, &s->p->root, NOBODY, 0);
        if (!s->failed) push_job(s, 0, 0, at);
    }
}

#define PROGRESS_EVERY (1u << 20)

static int simulate(sim *s)
{
    begin(s);
    while (!s->failed && (s->outstanding || s->arrived < s->p->arrival_count)) {
        unsigned n = heist__events_first(&s->events);
        int64_t t = s->events.at[n];
        if (t == HEIST__NEVER) return -EDEADLK; /* a fault of the simulator: there is work, and nobody goes on */
        s->now = t;
        if (n == s->set->workers) {
            arrive(s, t);
        } else {
            act(s, n, t);
        }
        s->r->events++;
        if (s->set->most_events && s->r->events >= s->set->most_events) return -E2BIG;
        if (s->r->events % PROGRESS_EVERY == 0 && s->set->progress)
            s->set->progress(s->set->context, s->r->events, s->r->tasks, t);
    }
    return s->failed ? -ENOMEM : 0;
}

int heist__sim_run(heist__sim_result *r, const heist__sim_machine *m, heist__sim_program *p,
                   const heist__sim_settings *set, char *error, size_t room)
{
    sim s = {.m = m, .c = &m->costs, .p = p, .set = set, .r = r, .free_task = NOBODY};
    *r = (heist__sim_result){.workers = set->workers};
    s.free_of_cost = heist__sim_costs_are_free(&m->costs);
    s.shares_hardware = m->costs.smt < 1 || (m->costs.roof > 0 && p->memory > 0);
    int result = make(&s);
    if (!result && p->begin) result = p->begin(p->state, set->workers);
    if (!result) result = simulate(&s);
    r->time = s.ended;
    if (p->span) r->span = p->span;
    for (unsigned n = 0; !result && n < set->workers; n++) r->busy += r->of[n].busy;
    unmake(&s);
    if (!result) return 0;
    heist__sim_result_free(r);
    if (result == -E2BIG) {
        snprintf(error, room, "more than %llu events", (unsigned long long)set->most_events);
    } else {
        snprintf(error, room, result == -EDEADLK ? "the simulation stands still" : "no memory for the simulation");
    }
    return result;
}

void heist__sim_result_free(heist__sim_result *r)
{
    free(r->of);
    r->of = NULL;
}

uint64_t heist__sim_stolen(const heist__sim_result *r)
{
    uint64_t sum = 0;
    for (unsigned n = 0; n < r->workers; n++) sum += r->of[n].stolen;
    return sum;
}
