/* Futures: a future f, made and given to a worker before the threads begin; its result is a word that its task writes.
 * Another future, `after`, starts when f is done, and g is a promise.
 *
 *   actors=  a letter for each thread:
 *            w  the worker that gets the job of f          c  the same, but the pool drops its jobs
 *            i  a worker that waits for f                  k  a worker that waits for `after`
 *            o  a thread from outside that waits for f     l  the same, with a time limit, which ends at any time
 *            t  adds one more future after f               d  only drops its handle
 *            b  waits for any of f and g, from outside     a  waits for all of f and g
 *            p  fulfils g                                  e  ends the pool when its jobs are done, and frees it
 *   seat=    seats for the threads from outside: 0 none (default), 1 always one, 2 perhaps
 *
 * Each task runs once, after what it waits for; each waiter sees the result; nothing is touched after it was freed, and
 * everything is freed; no thread waits for ever. */
#include <errno.h>
#include <string.h>

#include "async/future.h"
#include "async/wait.h"
#include "idle/lending.h"
#include "schedule/pool.h"
#include "schedule/run.h"

const char model_harness_name[] = "future";

enum { MOST = 6 };

static heist_pool *pool;
static heist__worker *workers[MOST];
static heist_future *f, *after, *g;
static const char *actors;
static struct {
    uint8_t runs, followed, freed, made, told;
} * seen;
static int *result; /* watched: written by the task of f */
static HEIST__ATOMIC(uint32_t) * jobs_left;

/* ---- what lies below lib/async ---- */

typedef struct {
    heist__worker *self;
    heist__job *given[MOST];
    unsigned count;
} local;

static local *here(void)
{
    return *(local **)(void *)model_local();
}

heist__worker *heist__self(void)
{
    local *l = model_self() < 0 ? NULL : here();
    return l ? l->self : NULL;
}

int heist__fail(int error, const char *format, ...)
{
    (void)format;
    return error;
}

heist_pool *heist__pool_resolve(heist_pool *p)
{
    return p;
}

bool heist__pool_enter(heist_pool *p)
{
    heist__outsider_enter(&p->outsiders);
    return true;
}

/* The thread that gives a job runs it in the end. */
int heist__job_give(heist_pool *p, heist__job *job, long patience_ms)
{
    (void)p;
    (void)patience_ms;
    if (model_self() < 0) return 0;
    here()->given[here()->count++] = job;
    return 0;
}

static void run_given(heist__worker *w)
{
    local *l = here();
    l->self = w;
    for (unsigned i = 0; i < l->count; i++) l->given[i]->end(l->given[i], w, true);
}

int heist__seat_try(heist_pool *p, heist_task *task)
{
    (void)p;
    long seats = model_number("seat", 0);
    if (seats == 0 || (seats == 2 && model_choose(2))) return -EAGAIN;
    local *l = here();
    heist__worker *w = workers[model_self()];
    l->self = w;
    task->run(&w->tasks.face, NULL, task);
    l->self = NULL;
    return 0;
}

bool heist__nesting_room(heist__worker *w)
{
    return w;
}

uint64_t heist__claim_enter(heist__worker *w, const heist_task *task)
{
    (void)w;
    (void)task;
    return 0;
}

void heist__claim_leave(heist__worker *w, uint64_t waits_on)
{
    (void)w;
    (void)waits_on;
}

void heist__claim_ended(heist__worker *w)
{
    (void)w;
}

bool heist__leapfrog(heist__worker *w, heist_task *task, uintptr_t taken)
{
    (void)w;
    (void)task;
    (void)taken;
    return false;
}

bool heist__withdraw(heist__worker *w, heist__job *job)
{
    (void)w;
    (void)job;
    return false;
}

void heist__say_awaits(heist__worker *w, heist_task *task, uintptr_t taken)
{
    (void)w;
    (void)task;
    (void)taken;
}

bool heist__waits_in_circle(heist__worker *w, uintptr_t taken)
{
    (void)w;
    (void)taken;
    return false;
}

bool heist__idle_shares(const heist__idle *idle, const heist__sleeper *self)
{
    (void)idle;
    (void)self;
    return false;
}

/* Called only where many jobs were run out of turn. */
void heist__notice(heist__worker *w)
{
    (void)w;
}
void heist__job_run(heist__worker *w, heist__job *job)
{
    (void)w;
    (void)job;
}
void heist__count_finished(heist_pool *p, heist__worker *w, heist__scope_core *core)
{
    (void)p;
    (void)w;
    (void)core;
}
heist_steal heist_deque_pop(heist_deque *deque, void **out)
{
    (void)deque;
    (void)out;
    return HEIST_STEAL_EMPTY;
}
int heist_deque_push(heist_deque *deque, void *element)
{
    (void)deque;
    (void)element;
    return 0;
}

void heist__children_left(heist__worker *w, heist_slot *bottom, const heist_task *task)
{
    (void)w;
    (void)bottom;
    (void)task;
}

/* ---- blocks, in place of block.c ---- */

heist_future *heist__future_make(heist_pool *p, heist__future_kind kind, size_t record, size_t sources)
{
    size_t head = offsetof(heist_future, task) + record;
    heist_future *made = malloc(head + sizeof(heist__sources) + sources * sizeof(heist__follower));
    made->job.task = NULL;
    made->job.core = NULL;
    made->job.of_end.memory = sources ? (char *)made + head : NULL;
    made->job.of_end.function = NULL;
    made->pool = p;
    heist__store_relaxed(&made->error, 0);
    made->mark = 1;
    made->kind = (uint8_t)kind;
    heist__store_relaxed(&made->refs, 2);
    heist__store_relaxed(&made->wake, 0);
    heist__store_relaxed(&made->list, 0);
    heist__store_relaxed(&made->added, 0);
    heist__store_relaxed(&made->task.state, HEIST__TASK_WAITS);
    heist__sources *s = heist__sources_of(made);
    if (s) {
        s->count = sources;
        heist__store_relaxed(&s->left, sources);
        heist__store_relaxed(&s->first, 0);
        heist__store_relaxed(&s->readers, 0);
    }
    seen->made++;
    return made;
}

void heist__future_free(heist_future *future)
{
    seen->freed++;
    free(future);
}

int heist__future_check(const heist_future *future, const char *function)
{
    (void)function;
    return future->mark ? 0 : -EINVAL;
}

uint16_t heist__process_mark(void)
{
    return 1;
}

void heist__producing_init(heist_future *future, heist_future_function *function, void *argument,
                           heist_function *release)
{
    (void)function;
    (void)argument;
    future->job.of_end.function = release;
}

/* ---- tasks ---- */

static void run_first(heist_worker *w, heist_slot *bottom, heist_task *task)
{
    (void)w;
    (void)bottom;
    (void)task;
    seen->runs++;
    *result = 42;
}

static void run_after(heist_worker *w, heist_slot *bottom, heist_task *task)
{
    (void)w;
    (void)bottom;
    (void)task;
    model_check(*result == 42 || strchr(actors, 'c'), "a task runs before the one it comes after");
    seen->followed++;
}

static heist_future *make_after(void)
{
    heist_future *made = heist__future_make(pool, HEIST__POINTER, sizeof(heist_task), 1);
    made->task.run = run_after;
    return heist__future_after(f, &made->task);
}

/* ---- the threads ---- */

static void see_result(heist_future *waited)
{
    model_check(heist__is_done(waited), "a wait has ended before the future");
    if (heist__error_of(waited)) {
        model_check(strchr(actors, 'c') && heist__error_of(waited) == -ECANCELED, "an error from nowhere");
    } else {
        model_check(*result == 42, "no result");
        seen->told++;
    }
}

static void act(void *number)
{
    long i = (long)(intptr_t)number;
    heist_future *made = NULL, *all[2] = {f, g};
    local *l = model_alloc(sizeof *l);
    *model_local() = l;
    switch (actors[i]) {
    case 'w':
    case 'c':
        l->self = workers[i];
        f->job.end(&f->job, workers[i], actors[i] == 'w');
        run_given(workers[i]);
        heist__add_acq_rel(jobs_left, (uint32_t)-1); /* stands for the detector: T1 */
        return;
    case 'i':
    case 'k':
        l->self = workers[i];
        made = actors[i] == 'i' ? f : after;
        model_check(heist__future_wait(made, HEIST_FOREVER, false) == 0, "a wait has failed");
        if (actors[i] == 'i') see_result(f);
        if (actors[i] == 'k') model_check(seen->followed > 0, "`after` is done, and its task has not run");
        heist__future_unref(made);
        break;
    case 'o':
        model_check(heist__future_wait(f, HEIST_FOREVER, false) == 0, "a wait has failed");
        see_result(f);
        heist__future_unref(f);
        break;
    case 'l':
        heist__future_sleep(f, HEIST__LOOK_AGAIN_NS);
        if (heist__is_done(f)) see_result(f);
        heist__future_unref(f);
        break;
    case 't':
        made = make_after();
        heist__future_unref(made);
        heist__future_unref(f);
        break;
    case 'a':
    case 'b':
        made = actors[i] == 'a' ? heist_all(all, 2) : heist_any(all, 2);
        heist__future_unref(f);
        heist__future_unref(g);
        model_check(heist__future_wait(made, HEIST_FOREVER, false) == 0, "a wait has failed");
        size_t first = 0;
        if (actors[i] == 'b') model_check(heist_future_first(made, &first) == 0 && first < 2, "none is the first");
        if (actors[i] == 'a' || first == 0) see_result(made);
        heist__future_unref(made);
        break;
    case 'p':
        heist__future_complete(g, 0);
        heist__future_unref(g);
        break;
    case 'e':
        while (heist__load_acquire(jobs_left)) model_pause(); /* T1 */
        heist__outsiders_await(&pool->outsiders);
        free(pool);
        return;
    default: heist__future_unref(f);
    }
    run_given(workers[i]);
}

/* ---- the world ---- */

void model_setup(void)
{
    actors = model_text("actors", "wo");
    pool = malloc(sizeof *pool);
    model_unwatch(&pool->settings, sizeof pool->settings);
    memset(pool, 0, sizeof *pool);
    heist__store_relaxed(&pool->outsiders, 0);
    seen = model_alloc(sizeof *seen);
    result = model_payload(sizeof *result);
    *result = 0;
    jobs_left = model_alloc(sizeof *jobs_left);
    const size_t count = strlen(actors);
    for (size_t i = 0; i < count; i++) {
        workers[i] = model_alloc(sizeof **workers);
        workers[i]->pool = pool;
        workers[i]->index = (unsigned)i;
        model_ignore(&workers[i]->counters, sizeof workers[i]->counters);
        model_ignore(&workers[i]->tasks, sizeof workers[i]->tasks);
    }
    f = heist__future_make(pool, HEIST__POINTER, sizeof(heist_task), 0);
    f->task.run = run_first;
    g = heist__future_make(NULL, HEIST__POINTER, sizeof(heist_task), 0);
    heist__store_relaxed(&g->refs, 1); /* of `p` */
    for (const char *a = actors; *a; a++) {
        if (*a == 'a' || *a == 'b') heist__store_relaxed(&g->refs, MODEL_PEEK(&g->refs) + 1);
    }
    if (!strchr(actors, 'p')) heist__future_free(g);
    uint32_t handles = 0, of_after = 0, jobs = 0;
    for (size_t i = 0; i < count; i++) {
        handles += strchr("ioltdab", actors[i]) != NULL;
        of_after += actors[i] == 'k';
        jobs += strchr("wc", actors[i]) != NULL;
    }
    heist__store_relaxed(jobs_left, jobs);
    heist__store_relaxed(&f->refs, handles + 1 + (of_after > 0)); /* and the job, and `after` */
    if (of_after) { /* as make_after does; only stores have an effect before the threads begin */
        after = heist__future_make(pool, HEIST__POINTER, sizeof(heist_task), 1);
        after->task.run = run_after;
        heist__follower *follower = heist__sources_of(after)->followers;
        *follower = (heist__follower){NULL, after, f};
        heist__store_relaxed(&after->refs, of_after + 1);
        heist__store_relaxed(&f->list, (uintptr_t)follower);
    }
    heist__future_give(f);
    model_name(&f->refs, 4, 4, false, "refs");
    model_name(&f->wake, 4, 4, false, "wake");
    model_name(&f->list, 8, 8, false, "list");
    model_name(&f->task.state, 8, 8, false, "state");
    model_name(&pool->outsiders, 4, 4, false, "outsiders");
    for (size_t i = 0; i < count; i++) model_thread(act, (void *)(intptr_t)i);
}

void model_always(void)
{
}

void model_end(unsigned blocked)
{
    model_check(!blocked, "threads %x wait for ever", blocked);
    const bool dropped = strchr(actors, 'c');
    model_check(seen->runs == 1 || (dropped && seen->runs == 0), "the task ran %d times", seen->runs);
    uint8_t after_it = strchr(actors, 'k') != NULL;
    for (const char *a = actors; *a; a++) after_it += *a == 't';
    model_check(seen->followed == after_it, "%d of %d tasks after it ran", seen->followed, after_it);
    model_check(seen->freed == seen->made, "%d of %d futures were freed", seen->freed, seen->made);
}
