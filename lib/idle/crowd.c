/* Counting who is where. Relaxed throughout: hints, on the strength of which nothing is read. */
#include "idle/crowd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/apart.h"
#include "platform/clock.h"
#include "platform/cpu.h"
#include "platform/nap.h"

int heist__crowd_init(heist__crowd *c, unsigned workers, unsigned cpus)
{
    *c = (heist__crowd){.cpus = cpus, .workers = workers};
    long numbers = sysconf(_SC_NPROCESSORS_CONF);
    if (workers < 2 || numbers < 1) return 0;
    c->count = (unsigned)numbers + 1;
    c->seats = aligned_alloc(HEIST__LINE, c->count * sizeof *c->seats);
    c->clocks = malloc(workers * sizeof *c->clocks);
    if (!c->seats || !c->clocks) {
        heist__crowd_destroy(c);
        return -ENOMEM;
    }
    heist__crowd_clear(c);
    return 0;
}

void heist__crowd_destroy(heist__crowd *c)
{
    free(c->seats);
    free(c->clocks);
    c->seats = NULL;
    c->clocks = NULL;
}

void heist__crowd_clear(heist__crowd *c)
{
    if (c->seats) {
        memset(c->seats, 0, c->count * sizeof *c->seats);
        memset(c->clocks, 0, c->workers * sizeof *c->clocks);
    }
    heist__store_relaxed(&c->entered, 0);
    heist__store_relaxed(&c->taken, 0);
    heist__store_relaxed(&c->blocked, 0);
}

void heist__crowd_enter(heist__crowd *c)
{
    if (!c->seats) return;
    uint32_t place = heist__add_relaxed(&c->entered, 1);
    if (place < c->workers) heist__store_relaxed(&c->clocks[place], heist__thread_clock());
}

void heist__crowd_awake(heist__crowd *c, uint32_t seat, int more)
{
    if (seat == HEIST__NO_SEAT) return;
    uint32_t before = heist__add_relaxed(&c->seats[seat].awake, (uint32_t)more);
    if (before == (more > 0 ? 0 : 1)) heist__add_relaxed(&c->taken, (uint32_t)more);
}

void heist__crowd_searching(heist__crowd *c, uint32_t seat, int more)
{
    if (seat != HEIST__NO_SEAT) heist__add_relaxed(&c->seats[seat].searching, (uint32_t)more);
}

uint32_t heist__crowd_here(const heist__crowd *c, uint32_t otherwise)
{
    if (!c->seats) return otherwise;
    int cpu = heist__current_cpu();
    return cpu >= 0 && (unsigned)cpu + 1 < c->count ? (uint32_t)cpu + 1 : otherwise;
}

uint32_t heist__crowd_stuck(const heist__crowd *c)
{
    uint32_t here = heist__crowd_here(c, HEIST__NO_SEAT);
    return here == HEIST__NO_SEAT ? 0 : heist__load_relaxed(&c->seats[here].searching);
}

bool heist__crowd_shares(const heist__crowd *c, uint32_t seat)
{
    return seat != HEIST__NO_SEAT && heist__load_relaxed(&c->seats[seat].awake) > 1;
}

bool heist__crowd_move(const heist__crowd *c)
{
    cpu_set_t taken;
    if (heist__load_relaxed(&c->taken) >= c->cpus) return false;
    CPU_ZERO(&taken);
    for (unsigned seat = 1; seat < c->count && seat <= CPU_SETSIZE; seat++)
        if (!heist__crowd_vacant(c, seat)) CPU_SET((size_t)seat - 1, &taken);
    return heist__move_apart(pthread_self(), &taken);
}

bool heist__crowd_vacant(const heist__crowd *c, uint32_t seat)
{
    return seat == HEIST__NO_SEAT || heist__load_relaxed(&c->seats[seat].awake) == 0;
}

bool heist__crowd_full(const heist__crowd *c)
{
    return c->seats && heist__load_relaxed(&c->taken) >= c->cpus && !heist__load_relaxed(&c->blocked);
}

/* CPU time of all workers. Those that sleep cost a call, too; their number is bounded, and looks are rare. */
static int64_t computed(const heist__crowd *c)
{
    int64_t sum = 0;
    uint32_t entered = heist__load_relaxed(&c->entered);
    for (uint32_t i = 0; i < entered && i < c->workers; i++)
        sum += heist__thread_cpu_ns(heist__load_relaxed(&c->clocks[i]));
    return sum;
}

/* Whoever is awake may wait for a file or a lock, and then there is room for others. A CPU of which others have the better part
 * is as good as none: it looks the same, and more workers get more of it. */
void heist__crowd_watch(heist__crowd *c, unsigned naps)
{
    int64_t began = heist__clock_ns(), before = computed(c);
    heist__naps(naps);
    int64_t used = computed(c) - before, could = (heist__clock_ns() - began) * (int64_t)c->cpus;
    if (used <= could / 2) heist__store_relaxed(&c->blocked, 1);
}

void heist__crowd_forget(heist__crowd *c)
{
    if (c->seats && heist__load_relaxed(&c->blocked)) heist__store_relaxed(&c->blocked, 0);
}
