/* Counts of workers on CPUs. Relaxed throughout: these are hints, and no thread reads other memory because of them. */
#include "idle/cpu_occupancy.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/cpu.h"
#include "platform/migrate.h"
#include "platform/sleep.h"

int heist__cpu_occupancy_init(heist__cpu_occupancy *c, unsigned workers, unsigned cpus)
{
    *c = (heist__cpu_occupancy){.cpus = cpus, .workers = workers};
    long numbers = sysconf(_SC_NPROCESSORS_CONF);
    if (workers < 2 || numbers < 1) return 0;
    c->count = (unsigned)numbers + 1;
    c->places = aligned_alloc(HEIST__LINE, c->count * sizeof *c->places);
    c->clocks = malloc(2 * (size_t)workers * sizeof *c->clocks);
    if (!c->places || !c->clocks) {
        heist__cpu_occupancy_destroy(c);
        return -ENOMEM;
    }
    heist__cpu_occupancy_clear(c);
    return 0;
}

void heist__cpu_occupancy_destroy(heist__cpu_occupancy *c)
{
    free(c->places);
    free(c->clocks);
    c->places = NULL;
    c->clocks = NULL;
}

void heist__cpu_occupancy_clear(heist__cpu_occupancy *c)
{
    if (c->places) {
        memset(c->places, 0, c->count * sizeof *c->places);
        memset(c->clocks, 0, 2 * (size_t)c->workers * sizeof *c->clocks);
    }
    heist__store_relaxed(&c->entered, 0);
    heist__store_relaxed(&c->taken, 0);
    heist__store_relaxed(&c->blocked, 0);
}

void heist__cpu_occupancy_enter(heist__cpu_occupancy *c)
{
    if (!c->places) return;
    uint32_t place = heist__add_relaxed(&c->entered, 1);
    if (place < c->workers) heist__store_relaxed(&c->clocks[place], heist__thread_clock());
}

void heist__cpu_occupancy_guest(heist__cpu_occupancy *c, unsigned number)
{
    if (!c->places) return;
    int32_t clock = heist__thread_clock();
    if (heist__load_relaxed(&c->clocks[c->workers + number]) != clock)
        heist__store_relaxed(&c->clocks[c->workers + number], clock);
}

void heist__cpu_occupancy_awake(heist__cpu_occupancy *c, uint32_t place, int more)
{
    if (place == HEIST__NO_CPU_PLACE) return;
    uint32_t before = heist__add_relaxed(&c->places[place].awake, (uint32_t)more);
    if (before == (more > 0 ? 0 : 1)) heist__add_relaxed(&c->taken, (uint32_t)more);
}

void heist__cpu_occupancy_searching(heist__cpu_occupancy *c, uint32_t place, int more)
{
    if (place != HEIST__NO_CPU_PLACE) heist__add_relaxed(&c->places[place].searching, (uint32_t)more);
}

uint32_t heist__cpu_occupancy_here(const heist__cpu_occupancy *c, uint32_t otherwise)
{
    if (!c->places) return otherwise;
    int cpu = heist__current_cpu();
    return cpu >= 0 && (unsigned)cpu + 1 < c->count ? (uint32_t)cpu + 1 : otherwise;
}

uint32_t heist__cpu_occupancy_stuck(const heist__cpu_occupancy *c)
{
    uint32_t here = heist__cpu_occupancy_here(c, HEIST__NO_CPU_PLACE);
    return here == HEIST__NO_CPU_PLACE ? 0 : heist__load_relaxed(&c->places[here].searching);
}

bool heist__cpu_occupancy_shares(const heist__cpu_occupancy *c, uint32_t place)
{
    return place != HEIST__NO_CPU_PLACE && heist__load_relaxed(&c->places[place].awake) > 1;
}

bool heist__cpu_occupancy_move(const heist__cpu_occupancy *c)
{
    cpu_set_t taken;
    if (heist__load_relaxed(&c->taken) >= c->cpus) return false;
    CPU_ZERO(&taken);
    for (unsigned place = 1; place < c->count && place <= CPU_SETSIZE; place++)
        if (!heist__cpu_occupancy_vacant(c, place)) CPU_SET((size_t)place - 1, &taken);
    return heist__migrate(pthread_self(), &taken);
}

bool heist__cpu_occupancy_vacant(const heist__cpu_occupancy *c, uint32_t place)
{
    return place == HEIST__NO_CPU_PLACE || heist__load_relaxed(&c->places[place].awake) == 0;
}

bool heist__cpu_occupancy_full(const heist__cpu_occupancy *c)
{
    return c->places && heist__load_relaxed(&c->taken) >= c->cpus && !heist__load_relaxed(&c->blocked);
}

/* The CPU time of all workers. A worker that sleeps costs a call, too; the number of workers is bounded, and looks are
 * rare. */
static int64_t computed(const heist__cpu_occupancy *c)
{
    int64_t sum = 0;
    uint32_t entered = heist__load_relaxed(&c->entered);
    for (uint32_t i = 0; i < entered && i < c->workers; i++)
        sum += heist__thread_cpu_ns(heist__load_relaxed(&c->clocks[i]));
    for (uint32_t i = c->workers; i < 2 * c->workers; i++)
        sum += heist__thread_cpu_ns(heist__load_relaxed(&c->clocks[i])); /* a caller that had two seats counts twice */
    return sum;
}

/* A worker that is awake may wait for a file or a lock, and then there is room for other workers. A CPU that other
 * programs use for more than half of the time looks the same; there, too, more workers get more of the CPU. */
void heist__cpu_occupancy_watch(heist__cpu_occupancy *c, unsigned steps)
{
    int64_t began = heist__clock_ns(), before = computed(c);
    heist__sleep_steps(steps);
    int64_t used = computed(c) - before, could = (heist__clock_ns() - began) * (int64_t)c->cpus;
    if (used <= could / 2) heist__store_relaxed(&c->blocked, 1);
}

void heist__cpu_occupancy_forget(heist__cpu_occupancy *c)
{
    if (c->places && heist__load_relaxed(&c->blocked)) heist__store_relaxed(&c->blocked, 0);
}
