/* Reads what heist sees, by the library's own functions: see view.h. */
#include "view.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "platform/barrier.h"
#include "platform/futex.h"
#include "schedule/pool.h"
#include "topology/affinity.h"
#include "topology/place.h"
#include "topology/quota.h"

static int fail(char *why, size_t size, const char *sentence)
{
    snprintf(why, size, "%s", sentence);
    return -1;
}

static void read_limits(view *v)
{
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    v->online = online > 0 ? (unsigned)online : 1;
    heist__cpus cpus;
    v->masked = v->online;
    if (heist__cpus_read(&cpus) >= 0) {
        v->masked = heist__cpus_count(&cpus);
        heist__cpus_free(&cpus);
    }
    heist__cpu_quota(*v->system ? v->system : NULL, &v->quota); /* no memory: no quota, as the library has it */
    v->membarrier = heist__barrier_available();
    v->futex = heist__futex_available();
}

/* Which of the limits gives `count` workers. */
static limit limiting(const view *v, unsigned count)
{
    const unsigned asked = v->settings.workers;
    if (asked) return asked > count ? LIMIT_THREADS : LIMIT_VARIABLE;
    if (v->description) return v->machine.pu_count > count ? LIMIT_MOST : LIMIT_MACHINE;
    if (v->quota && v->quota < v->masked) return v->quota > count ? LIMIT_THREADS : LIMIT_QUOTA;
    if (v->masked > HEIST_MAX_WORKERS) return LIMIT_MOST;
    return v->masked > count ? LIMIT_THREADS : LIMIT_MASK;
}

const char *limit_words(limit by)
{
    switch (by) {
    case LIMIT_VARIABLE: return "HEIST_WORKERS";
    case LIMIT_MASK: return "affinity mask";
    case LIMIT_QUOTA: return "CPU quota";
    case LIMIT_MACHINE: return "machine";
    case LIMIT_MOST: return "HEIST_MAX_WORKERS";
    case LIMIT_THREADS: return "threads that could be started";
    }
    return "";
}

const char *fence_reason(const view *v)
{
    if (v->settings.check) return "HEIST_CHECK=1 asks for it";
    if (v->settings.fences == HEIST_FENCES_BOTH) return "HEIST_FENCES=both asks for it";
    if (!v->membarrier) return "the kernel refuses membarrier";
    if (v->settings.fences == HEIST_FENCES_THIEF) return "HEIST_FENCES=thief asks for it, and the kernel allows it";
    return "the kernel allows membarrier";
}

unsigned view_cores(const view *v)
{
    return v->machine.pus[v->machine.pu_count - 1].core + 1;
}

unsigned view_packages(const view *v)
{
    unsigned packages = 0;
    for (unsigned i = 0; i < v->machine.pu_count; i++) {
        if (v->machine.pus[i].package >= packages) packages = v->machine.pus[i].package + 1;
    }
    return packages;
}

/* Places the workers, and orders the victims of each. */
static int arrange(view *v)
{
    v->pu_of = calloc(v->workers, sizeof *v->pu_of);
    v->victims = calloc(v->workers, sizeof *v->victims);
    v->bind_errors = calloc(v->workers, sizeof *v->bind_errors);
    if (!v->pu_of || !v->victims || !v->bind_errors) return -ENOMEM;
    heist__place(&v->machine, v->settings.bind, v->workers, v->pu_of);
    for (unsigned i = 0; i < v->workers; i++) {
        int error = heist__victims_init(&v->victims[i], &v->machine, v->pu_of, v->workers, i, NULL);
        if (error) return error;
    }
    return 0;
}

/* Makes a pool as a program would, and takes over what became of it. */
static int try_pool(view *v, char *why, size_t size)
{
    heist_pool *pool = heist_pool_new(NULL);
    if (!pool) return fail(why, size, heist_explain());
    v->settings.stack_size = pool->settings.stack_size;
    v->settings.slots = pool->settings.slots;
    v->workers = pool->running;
    /* The library has not seen the quota of other files. */
    if (*v->system && !v->settings.workers && v->quota && v->quota < v->workers) v->workers = v->quota;
    v->fenced = pool->idle.fenced;
    snprintf(v->notes, sizeof v->notes, "%s", heist_pool_notes(pool));
    if (arrange(v) < 0) {
        heist_pool_free(pool);
        return fail(why, size, "no memory");
    }
    for (unsigned i = 0; i < v->workers; i++) v->bind_errors[i] = pool->workers[i]->bind_error;
    heist_pool_free(pool);
    return 0;
}

static int describe(view *v, char *why, size_t size)
{
    v->workers = v->settings.workers ? v->settings.workers : v->machine.pu_count;
    if (v->workers > HEIST_MAX_WORKERS) v->workers = HEIST_MAX_WORKERS;
    v->fenced = v->settings.fences == HEIST_FENCES_BOTH || !v->membarrier;
    return arrange(v) < 0 ? fail(why, size, "no memory") : 0;
}

int view_read(view *v, const char *description, const char *system, char *why, size_t size)
{
    char note[HEIST__NOTE];
    memset(v, 0, sizeof *v);
    v->system = system;
    if (heist__settings_read(&v->settings, NULL) < 0) return fail(why, size, heist_explain());
    v->description = description ? description : v->settings.topology; /* HEIST_TOPOLOGY serves as the option does */
    if (heist__machine_load(&v->machine, v->description, note, sizeof note) < 0)
        return fail(why, size, *note ? note : "no memory");
    read_limits(v);
    if (v->description) snprintf(v->notes, sizeof v->notes, "%s", note);
    if ((v->description ? describe : try_pool)(v, why, size) < 0) return -1;
    v->limited_by = limiting(v, v->workers);
    return 0;
}

void view_free(view *v)
{
    for (unsigned i = 0; v->victims && i < v->workers; i++) heist__victims_free(&v->victims[i], NULL);
    free(v->victims);
    free(v->pu_of);
    free(v->bind_errors);
    heist__machine_free(&v->machine);
    heist__settings_free(&v->settings);
}
