/* Regions: every way in which libgomp starts a team. libgomp is given enter_region in place of the program's
 * function. It gives the thread its slot, runs the function, and runs tasks until none is left, before libgomp's own
 * barrier. */
#include "openmp/core/group.h"
#include "openmp/core/keep.h"
#include "openmp/core/team.h"
#include "openmp/preload/fork.h"
#include "openmp/preload/load.h"
#include "openmp/preload/message.h"
#include "openmp/preload/runtime_symbols.h"

static void enter_region(void *context)
{
    const heist__omp_region *region = context;
    heist__omp_slot *slot = region->team->slots[HEIST__RUNTIME(omp_get_thread_num)()];
    heist__omp_slot_enter(slot, (unsigned)HEIST__RUNTIME(omp_get_num_threads)());
    region->fn(region->data);
    heist__omp_slot_leave(slot);
}

/* A team for the region. NULL: libgomp does it alone. */
static heist__omp_team *begin(heist__omp_body *fn, void *data, unsigned threads)
{
    if (!heist__load_relaxed(&heist__omp_active)) return NULL; /* relaxed: seen late, a region is libgomp's */
    unsigned wanted = threads ? threads : (unsigned)HEIST__RUNTIME(omp_get_max_threads)();
    heist__omp_team *team = heist__omp_team_take(heist__omp_threads_within_limit(wanted), heist__omp_self != NULL);
    if (!team) return NULL;
    HEIST__OMP_KEEP(team->region.fn, fn);
    HEIST__OMP_KEEP(team->region.data, data);
    HEIST__OMP_KEEP(team->region.reductions, NULL);
    HEIST__OMP_KEEP(team->region.old_kind, false);
    heist__omp_team_starts(team);
    return team;
}

/* ---- one way in for all kinds of regions ---- */

typedef enum { PLAIN, SECTIONS, LOOP, LOOP_RUNTIME, REDUCTIONS } region_kind;

typedef struct region_call {
    region_kind kind;
    heist__runtime_symbol entry; /* of a loop */
    heist__omp_body *fn;
    void *data;
    unsigned threads, flags;
    unsigned sections;
    long start, end, step, chunk;
    unsigned used; /* result: how many threads it had, of REDUCTIONS */
} region_call;

static void call_libgomp(region_call *c)
{
    switch (c->kind) {
    case PLAIN: HEIST__RUNTIME(GOMP_parallel)(c->fn, c->data, c->threads, c->flags); break;
    case SECTIONS: HEIST__RUNTIME(GOMP_parallel_sections)(c->fn, c->data, c->threads, c->sections, c->flags); break;
    case LOOP: /* all entries of this kind have the same arguments, and so have those of the next kind */
        ((__typeof__(&GOMP_parallel_loop_static))(uintptr_t)heist__runtime_entry(c->entry))(
            c->fn, c->data, c->threads, c->start, c->end, c->step, c->chunk, c->flags);
        break;
    case LOOP_RUNTIME:
        ((__typeof__(&GOMP_parallel_loop_runtime))(uintptr_t)heist__runtime_entry(c->entry))(
            c->fn, c->data, c->threads, c->start, c->end, c->step, c->flags);
        break;
    case REDUCTIONS: c->used = HEIST__RUNTIME(GOMP_parallel_reductions)(c->fn, c->data, c->threads, c->flags); break;
    }
}

/* libgomp registers the reductions, whose address it finds where the context begins. Tasks look them up in a group;
 * only the barrier waits for its tasks. */
static bool hand_reductions_over(heist__omp_team *team, uintptr_t *reductions)
{
    if (!team->region_group) team->region_group = heist__omp_group_new(0);
    if (!team->region_group) return false;
    team->region_group->reductions = reductions;
    team->region.reductions = reductions;
    return true;
}

/* Call before libgomp starts threads, which a child of fork() will not have. A region of one thread starts none. */
static inline void note_pool(unsigned threads)
{
    if (heist__omp_has_pool || threads == 1) return;
    heist__omp_has_pool = threads || HEIST__RUNTIME(omp_get_max_threads)() > 1;
}

static void run_region(void *call)
{
    region_call *c = call;
    note_pool(c->threads);
    heist__omp_team *team = begin(c->fn, c->data, c->threads);
    if (team && c->kind == REDUCTIONS && !hand_reductions_over(team, *(uintptr_t **)c->data)) {
        heist__omp_team_give(team); /* no memory: the region is libgomp's */
        team = NULL;
    }
    if (team) {
        c->fn = enter_region;
        c->data = &team->region;
        call_libgomp(c);
        heist__omp_team_give(team);
    } else {
        heist__omp_slot *outer = heist__omp_self; /* hidden in a region that is libgomp's */
        heist__omp_self = NULL;
        call_libgomp(c);
        heist__omp_self = outer;
    }
}

static inline void start_region(region_call *c)
{
    if (__builtin_expect(heist__omp_stale_pool(), 0)) {
        heist__omp_run_in_fork_thread(run_region, c);
    } else {
        run_region(c);
    }
}

void GOMP_parallel(heist__omp_body *fn, void *data, unsigned threads, unsigned flags)
{
    /* relaxed: as in begin. The short way is for programs without tasks, whose regions may be short. */
    if (!heist__load_relaxed(&heist__omp_active) && !heist__omp_stale_pool()) {
        note_pool(threads);
        HEIST__RUNTIME(GOMP_parallel)(fn, data, threads, flags);
        return;
    }
    region_call c = {.kind = PLAIN, .fn = fn, .data = data, .threads = threads, .flags = flags};
    start_region(&c);
}

void GOMP_parallel_sections(heist__omp_body *fn, void *data, unsigned threads, unsigned count, unsigned flags)
{
    region_call c = {.kind = SECTIONS, .fn = fn, .data = data, .threads = threads, .sections = count, .flags = flags};
    start_region(&c);
}

unsigned GOMP_parallel_reductions(heist__omp_body *fn, void *data, unsigned threads, unsigned flags)
{
    region_call c = {.kind = REDUCTIONS, .fn = fn, .data = data, .threads = threads, .flags = flags};
    start_region(&c);
    return c.used;
}

#define DEFINE(name)                                                                                                   \
    void name(heist__omp_body *fn, void *data, unsigned threads, long start, long end, long step, long chunk,          \
              unsigned flags)                                                                                          \
    {                                                                                                                  \
        region_call c = {LOOP, HEIST__SYMBOL_##name, fn, data, threads, flags, 0, start, end, step, chunk, 0};         \
        start_region(&c);                                                                                              \
    }
HEIST__PARALLEL_LOOPS(DEFINE)
#undef DEFINE

#define DEFINE(name)                                                                                                   \
    void name(heist__omp_body *fn, void *data, unsigned threads, long start, long end, long step, unsigned flags)      \
    {                                                                                                                  \
        region_call c = {LOOP_RUNTIME, HEIST__SYMBOL_##name, fn, data, threads, flags, 0, start, end, step, 0, 0};     \
        start_region(&c);                                                                                              \
    }
HEIST__PARALLEL_LOOPS_RUNTIME(DEFINE)
#undef DEFINE

/* ---- the kind that gcc emitted before 4.9: the caller runs the function itself, then calls GOMP_parallel_end ---- */

/* Call when libgomp has started the other threads. */
static void enter_old(heist__omp_team *team)
{
    if (team) heist__omp_slot_enter(team->slots[0], (unsigned)HEIST__RUNTIME(omp_get_num_threads)());
}

static heist__omp_team *begin_old(heist__omp_body **fn, void **data, unsigned threads)
{
    if (heist__omp_stale_pool()) heist__omp_fatal("GOMP_parallel_start, in a child of fork(): not served");
    note_pool(threads);
    heist__omp_team *team = begin(*fn, *data, threads);
    if (!team && heist__omp_self) heist__omp_fatal("no memory for a team");
    if (team) {
        team->region.old_kind = true;
        *fn = enter_region;
        *data = &team->region;
    }
    return team;
}

void GOMP_parallel_start(heist__omp_body *fn, void *data, unsigned threads)
{
    heist__omp_team *team = begin_old(&fn, &data, threads);
    HEIST__RUNTIME(GOMP_parallel_start)(fn, data, threads);
    enter_old(team);
}

void GOMP_parallel_sections_start(heist__omp_body *fn, void *data, unsigned threads, unsigned count)
{
    heist__omp_team *team = begin_old(&fn, &data, threads);
    HEIST__RUNTIME(GOMP_parallel_sections_start)(fn, data, threads, count);
    enter_old(team);
}

void GOMP_parallel_loop_runtime_start(heist__omp_body *fn, void *data, unsigned threads, long start, long end,
                                      long step)
{
    heist__omp_team *team = begin_old(&fn, &data, threads);
    HEIST__RUNTIME(GOMP_parallel_loop_runtime_start)(fn, data, threads, start, end, step);
    enter_old(team);
}

#define DEFINE(name)                                                                                                   \
    void name(heist__omp_body *fn, void *data, unsigned threads, long start, long end, long step, long chunk)          \
    {                                                                                                                  \
        heist__omp_team *team = begin_old(&fn, &data, threads);                                                        \
        HEIST__RUNTIME(name)(fn, data, threads, start, end, step, chunk);                                              \
        enter_old(team);                                                                                               \
    }
HEIST__PARALLEL_LOOP_STARTS(DEFINE)
#undef DEFINE

void GOMP_parallel_end(void)
{
    HEIST__SELF_OR_RUNTIME_VOID(self, GOMP_parallel_end, ());
    heist__omp_slot_leave(self);
    HEIST__RUNTIME(GOMP_parallel_end)();
    heist__omp_team_give(self->team);
}
