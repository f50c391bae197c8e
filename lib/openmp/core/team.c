/* Teams: made when a region needs one, kept for the next. */
#include "openmp/core/team.h"

#include <stdlib.h>
#include <string.h>

#include "openmp/core/barrier.h"
#include "openmp/core/keep.h"
#include "openmp/core/own_lock.h"
#include "openmp/core/spread_threads.h"
#include "openmp/core/wait_policy.h"
#include "openmp/preload/runtime_symbols.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static heist__omp_team *free_teams; /* the one given back last comes first. Under `lock`. */
static uint64_t slots_made;         /* Under `lock`. */

/* Under `lock`. */
static bool team_grow(heist__omp_team *team, unsigned threads)
{
    if (threads > team->capacity) {
        heist__omp_slot **slots = realloc(team->slots, threads * sizeof *slots);
        if (!slots) return false;
        team->slots = slots;
        while (team->capacity < threads) {
            heist__omp_slot *slot = heist__omp_slot_new(team, team->capacity, ++slots_made);
            if (!slot) return false;
            team->slots[team->capacity++] = slot;
        }
    }
    return true;
}

static heist__omp_team *team_new(void)
{
    heist__omp_team *team = aligned_alloc(_Alignof(heist__omp_team), sizeof *team);
    if (!team) return NULL;
    memset(team, 0, sizeof *team);
    pthread_mutex_init(&team->lock, NULL);
    team->region.team = team;
    return team;
}

/* Takes a free team that is large enough, if there is one. Teams do not grow later: groups are as large as their team
 * was. */
static heist__omp_team *take_free(unsigned threads)
{
    for (heist__omp_team **link = &free_teams; *link; link = &(*link)->next) {
        heist__omp_team *team = *link;
        if (team->capacity >= threads) {
            *link = team->next;
            return team;
        }
    }
    return NULL;
}

/* A new team. NULL: no memory. Under `lock`. */
static heist__omp_team *take_new(unsigned threads)
{
    heist__omp_team *team = team_new();
    if (!team || team_grow(team, threads)) return team;
    team->next = free_teams; /* the slots that it has suffice for smaller regions */
    free_teams = team;
    return NULL;
}

/* For at most FEW_THREADS threads OMP_THREAD_LIMIT is not asked for. A region of more than MOST_THREADS is the
 * runtime's, which then says that there is no memory for them. */
enum { FEW_THREADS = 64, MOST_THREADS = 1 << 16 };

unsigned heist__omp_threads_within_limit(unsigned threads)
{
    if (threads <= FEW_THREADS) return threads;
    unsigned limit = (unsigned)HEIST__RUNTIME(omp_get_thread_limit)();
    return threads < limit ? threads : limit;
}

heist__omp_team *heist__omp_team_take(unsigned threads, bool within)
{
    if (threads > MOST_THREADS) return NULL;
    heist__own_lock(&lock);
    heist__omp_team *team = take_free(threads);
    if (!team) team = take_new(threads);
    heist__own_unlock(&lock);
    if (!team) return NULL;
    HEIST__OMP_KEEP(team->max_priority, HEIST__RUNTIME(omp_get_max_task_priority)());
    team->within = within;
    heist__omp_count_threads(team, (int32_t)threads - within);
    heist__omp_set_wait_policy(team, threads);
    /* relaxed: starting the region publishes them; see also heist__omp_slot_enter */
    HEIST__OMP_KEEP_RELAXED(&team->size, threads);
    HEIST__OMP_KEEP_RELAXED(&team->dependents_are_short, 0);
    HEIST__OMP_KEEP_RELAXED(&team->events, 0);
    /* Not 0 when the last region was cancelled. */
    HEIST__OMP_KEEP_RELAXED(&team->barriers[HEIST__BARRIER_WITHIN].arrived, 0);
    HEIST__OMP_KEEP_RELAXED(&team->barriers[HEIST__BARRIER_END].arrived, 0);
    HEIST__OMP_KEEP_RELAXED(&team->cancelled, 0);
    HEIST__OMP_KEEP_RELAXED(&team->workshare_cancelled, 0);
    return team;
}

void heist__omp_team_starts(heist__omp_team *team)
{
    heist__omp_starting_region = !team->lacks_cpus;
    heist__omp_note_cpu(team->slots[0]); /* here, so that the other threads know it when they begin */
}

void heist__omp_team_give(heist__omp_team *team)
{
    heist__omp_starting_region = false;
    heist__omp_count_threads(team, 0);
    heist__own_lock(&lock);
    team->next = free_teams;
    free_teams = team;
    heist__own_unlock(&lock);
}

void heist__omp_teams_after_fork(void)
{
    pthread_mutex_init(&lock, NULL); /* the thread that held it is not here; teams in use then are lost */
}
