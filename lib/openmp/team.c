/* Teams and slots: made when a region needs one, kept for the next. */
#include "openmp/team.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "idle/backoff.h"
#include "openmp/create.h"
#include "openmp/group.h"
#include "openmp/real.h"
#include "platform/barrier.h"

__thread heist__omp_slot *heist__omp_self __attribute__((tls_model("initial-exec")));

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static heist__omp_team *free_teams; /* the one given last first. Under `lock`. */
static uint64_t slots_made;         /* Under `lock`. */

/* Ids of tasks: the slot's number above, its count below. */
#define ID_SHIFT 40

static heist__omp_slot *slot_new(heist__omp_team *team, unsigned index)
{
    heist__omp_slot *slot = aligned_alloc(_Alignof(heist__omp_slot), sizeof *slot);
    if (!slot) return NULL;
    memset(slot, 0, sizeof *slot);
    slot->team = team;
    slot->index = index;
    slot->record = &slot->records[HEIST__OMP_AHEAD - 1];
    heist__store_relaxed(&slot->cpu, -1); /* relaxed: nobody knows it yet */
    slot->deque = heist__deque_new_in(slot->deque_room);
    slot->next_id = ++slots_made << ID_SHIFT;
    heist__random_seed(&slot->random, slots_made, index);
    return slot;
}

/* Under `lock`. */
static bool team_grow(heist__omp_team *team, unsigned threads)
{
    if (threads > team->capacity) {
        heist__omp_slot **slots = realloc(team->slots, threads * sizeof *slots);
        if (!slots) return false;
        team->slots = slots;
        while (team->capacity < threads) {
            heist__omp_slot *slot = slot_new(team, team->capacity);
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

/* A free team of the wanted size, if there is one: groups are as large as their team was, so teams do not grow. */
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

/* Rounds of spinning where each thread has a CPU: some 200 us. A thread that yields on a machine with other work to do loses its
 * CPU for a millisecond or more, and tasks that come every few microseconds are then run by the others. */
enum { LONG_SPIN = 200 };

/* How who waits is to wait. */
typedef enum { NOT_ASKED, AS_USUAL, SOON_ASLEEP, LONG_AWAKE } policy;

/* The runtime's own variable: how long threads spin, in its units. */
static policy own_policy(const char *asked)
{
    char *end;
    if (!asked || !*asked) return NOT_ASKED;
    if (strncasecmp(asked, "infinit", 7) == 0) return LONG_AWAKE;
    double amount = strtod(asked, &end);
    static const char units[] = "kMGT";
    for (const char *unit = units; *unit && *end; unit++) {
        amount *= 1000;
        if (strncasecmp(end, unit, 1) == 0) break;
    }
    return amount <= 0 ? SOON_ASLEEP : amount >= HEIST__SPIN_LONG ? LONG_AWAKE : AS_USUAL;
}

static policy asked_policy(void)
{
    policy own = own_policy(secure_getenv(HEIST__SPIN_VARIABLE));
    const char *asked = secure_getenv("OMP_WAIT_POLICY");
    if (own != NOT_ASKED || !asked) return own == NOT_ASKED ? AS_USUAL : own;
    return strcasecmp(asked, "active") == 0 ? LONG_AWAKE : strcasecmp(asked, "passive") == 0 ? SOON_ASLEEP : AS_USUAL;
}

/* Where there are fewer CPUs than threads, who is waited for may have none: so the CPU is given away almost at once, and mostly
 * comes back within microseconds. Otherwise see help.c. */
enum { CROWDED_SPIN = 4, CROWDED_YIELD = 200 };

/* Regions of a team after which it is asked again how many CPUs there are: that is a system call, which with libgomp takes as
 * long as a region. */
enum { ASK_AGAIN = 256 };

static int32_t cpus_of(heist__omp_team *team, unsigned threads)
{
    if (team->asked_for != threads || ++team->regions >= ASK_AGAIN) {
        team->asked_for = threads;
        team->regions = 0;
        team->cpus = HEIST__REAL(omp_get_num_procs)();
    }
    return team->cpus;
}

/* Threads of all regions at this moment, those within others among them; in a child of fork() too few, if need be below zero.
 * Written by: who begins and ends regions (add). */
static HEIST__ATOMIC(int32_t) busy_threads;

void heist__omp_team_count(heist__omp_team *team, int32_t threads)
{
    if (team->counted == threads) return;
    heist__add_relaxed(&busy_threads, threads - team->counted); /* relaxed: a hint */
    team->counted = threads;
}

/* How many rounds to spin, and then to yield. Who was asked to sleeps soon, and so does who has fewer CPUs than threads; otherwise,
 * as libgomp does, only after a millisecond or two. Yielding costs little on a machine that is not busy, and on one that
 * is it may let the thread run that is waited for. */
static void set_patience(heist__omp_team *team, unsigned threads)
{
    static policy asked = NOT_ASKED; /* the same whoever finds it out */
    if (asked == NOT_ASKED) asked = asked_policy();
    bool lacks_cpus = heist__load_relaxed(&busy_threads) > cpus_of(team, threads); /* relaxed: a hint */
    bool crowded = asked == AS_USUAL && lacks_cpus, soon = asked == SOON_ASLEEP;
    bool in_the_way = asked == LONG_AWAKE && lacks_cpus; /* awake all the same, but letting the others run */
    uint32_t spin = crowded || in_the_way ? CROWDED_SPIN
                    : asked == LONG_AWAKE ? 1000000
                    : soon                ? HEIST__SPIN_ROUNDS
                                          : LONG_SPIN;
    uint32_t yield = crowded ? CROWDED_YIELD : soon ? HEIST__YIELD_ROUNDS : 3000;
    HEIST__OMP_KEEP(team->lacks_cpus, lacks_cpus);
    HEIST__OMP_KEEP(team->crowded, crowded);
    HEIST__OMP_KEEP(team->spin, spin);
    HEIST__OMP_KEEP(team->yield, yield);
}

/* Threads that are asked for without a thought of OMP_THREAD_LIMIT; and those beyond which a region is the runtime's: it says
 * then that there is no memory for them. */
enum { FEW_THREADS = 64, MOST_THREADS = 1 << 16 };

unsigned heist__omp_threads_within_limit(unsigned threads)
{
    if (threads <= FEW_THREADS) return threads;
    unsigned limit = (unsigned)HEIST__REAL(omp_get_thread_limit)();
    return threads < limit ? threads : limit;
}

heist__omp_team *heist__omp_team_take(unsigned threads, bool within)
{
    if (threads > MOST_THREADS) return NULL;
    pthread_mutex_lock(&lock);
    heist__omp_team *team = take_free(threads);
    if (!team) {
        team = team_new();
        if (team && !team_grow(team, threads)) {
            team->next = free_teams; /* what it has will do for less */
            free_teams = team;
            team = NULL;
        }
    }
    pthread_mutex_unlock(&lock);
    if (!team) return NULL;
    HEIST__OMP_KEEP(team->max_priority, HEIST__REAL(omp_get_max_task_priority)());
    team->within = within;
    heist__omp_team_count(team, (int32_t)threads - within);
    set_patience(team, threads);
    /* relaxed: starting the region publishes it; see also heist__omp_slot_begin */
    HEIST__OMP_KEEP_RELAXED(&team->size, threads);
    HEIST__OMP_KEEP_RELAXED(&team->brief, 0);
    HEIST__OMP_KEEP_RELAXED(&team->events, 0);
    HEIST__OMP_KEEP_RELAXED(&team->bars[HEIST__BAR_WITHIN].arrived, 0); /* not 0 when the last region was cancelled */
    HEIST__OMP_KEEP_RELAXED(&team->bars[HEIST__BAR_END].arrived, 0);
    HEIST__OMP_KEEP_RELAXED(&team->cancelled, 0);
    HEIST__OMP_KEEP_RELAXED(&team->share_cancelled, 0);
    return team;
}

void heist__omp_team_starts(heist__omp_team *team)
{
    heist__omp_starting = !team->lacks_cpus;
    heist__omp_note_cpu(team->slots[0]); /* here, so that the others know it when they begin */
}

void heist__omp_team_give(heist__omp_team *team)
{
    heist__omp_starting = false;
    heist__omp_team_count(team, 0);
    pthread_mutex_lock(&lock);
    team->next = free_teams;
    free_teams = team;
    pthread_mutex_unlock(&lock);
}

/* The first task record of a region is the implicit one. */
static void implicit_begin(heist__omp_slot *slot)
{
    heist__omp_task *task = &slot->implicit;
    task->group = slot->team->region.reductions ? slot->team->region_group : NULL;
    task->flags = HEIST__TASK_IMPLICIT;
    task->home = slot;
    task->spawned = 0;
    task->done_here = 0;
    task->icvs = NULL;
    task->nested = 0;
    task->base = heist__load_relaxed(&slot->tail); /* relaxed: its own */
    task->site = 0;
    /* relaxed: no task of the region exists yet */
    heist__store_relaxed(&task->away, 0);
    heist__store_relaxed(&task->depth, 0);
    heist__store_relaxed(&task->id, ++slot->next_id);
}

void heist__omp_slot_begin(heist__omp_slot *slot, unsigned threads)
{
    heist__omp_team *team = slot->team;
    /* relaxed: every thread writes the same, and reads after it has written */
    HEIST__OMP_KEEP_RELAXED(&team->size, threads);
    implicit_begin(slot);
    slot->current = &slot->implicit;
    slot->icvs = NULL;
    bool all = threads > 1 && heist__omp_puts_all_off;
    bool at_once = threads == 1 && team->max_priority == 0; /* nobody steals, and there is no order to keep */
    slot->least_enough = all ? HEIST__OMP_MOST_QUEUED : at_once ? 0 : 1;
    slot->enough = slot->most_enough = all ? HEIST__OMP_MOST_QUEUED : at_once ? 0 : 4;
    slot->plenty = all ? HEIST__OMP_MOST_QUEUED : at_once ? 0 : 64 * (int64_t)threads;
    slot->sets_aside = threads == 1 || (heist__barrier_available() && !heist__barrier_lost());
    slot->cancellable = HEIST__REAL(omp_get_cancellation)();
    slot->ending_group = false;
    slot->held = 0;
    heist__omp_stack_begin(slot);
    slot->begun = slot->measured = 0;
    slot->created_before = heist__load_relaxed(&slot->created); /* relaxed: its own */
    slot->id_before = slot->next_id;
    heist__omp_starting = false;
    if (slot->index > 0)
        heist__omp_begin_apart(slot);
    else
        heist__omp_team_count(team, (int32_t)threads - team->within); /* libomp may give others than expected */
}

void heist__omp_slot_end(heist__omp_slot *slot)
{
    heist__omp_table_free(slot, slot->implicit.table);
    slot->implicit.table = NULL;
    heist__omp_icvs_free(slot);
    heist__omp_stats_add(&slot->counters, slot->next_id - slot->id_before,
                         heist__load_relaxed(&slot->created) - slot->created_before); /* relaxed: own */
    slot->counters = (heist__omp_counters){0};
}

void heist__omp_teams_after_fork(void)
{
    pthread_mutex_init(&lock, NULL);        /* whoever held it is not here; teams in use then are lost */
    heist__store_relaxed(&busy_threads, 0); /* relaxed: there is one thread */
}
