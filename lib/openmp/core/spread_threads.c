/* Spreading the threads of a team over the CPUs: see spread_threads.h. All of it is guesses: a slot says where its
 * thread was when it began the region, or when it last had nothing to do. */
#include "openmp/core/spread_threads.h"

#include "openmp/core/keep.h"
#include "openmp/core/team.h"
#include "platform/clock.h"
#include "platform/cpu.h"
#include "platform/migrate.h"

__thread bool heist__omp_starting_region __attribute__((tls_model("initial-exec")));

/* A thread that has migrated stays for this long. Another program may want that CPU, and the system may move the thread
 * back. */
#define STAY_NS 5000000

int32_t heist__omp_note_cpu(heist__omp_slot *self)
{
    int32_t here = heist__current_cpu();
    HEIST__OMP_KEEP_RELAXED(&self->cpu, here); /* relaxed: a hint */
    return here;
}

/* Finds the CPUs of the other threads. True: one of them is `here`. */
static bool find_taken(const heist__omp_slot *self, int32_t here, cpu_set_t *taken)
{
    heist__omp_team *team = self->team;
    unsigned size = heist__load_relaxed(&team->size); /* relaxed: see heist__omp_slot_enter */
    bool shared = false;
    CPU_ZERO(taken);
    for (unsigned i = 0; i < size; i++) {
        int32_t cpu = heist__load_relaxed(&team->slots[i]->cpu); /* relaxed: a hint */
        if (i == self->index || cpu < 0 || cpu >= CPU_SETSIZE) continue;
        CPU_SET((size_t)cpu, taken);
        shared |= cpu == here;
    }
    return shared;
}

void heist__omp_spread(heist__omp_slot *self)
{
    cpu_set_t taken;
    int32_t here = heist__omp_note_cpu(self);
    if (self->team->lacks_cpus || !find_taken(self, here, &taken)) return;
    int64_t now = heist__clock_ns();
    if (now < self->stays_until) return;
    self->stays_until = now + STAY_NS;
    /* relaxed: a hint; the other thread on the CPU that this one leaves need not leave, too */
    heist__store_relaxed(&self->cpu, -1);
    heist__migrate(pthread_self(), &taken);
    heist__omp_note_cpu(self);
}

void heist__omp_spread_at_begin(heist__omp_slot *self)
{
    int32_t here = heist__omp_note_cpu(self);
    if (here == heist__load_relaxed(&self->team->slots[0]->cpu)) heist__omp_spread(self); /* relaxed: a hint */
}
