/* When the library is loaded: finds the runtime, and whether anything in the program creates tasks. If not, regions stay
 * the runtime's, and cost what they did. A plugin that comes later and creates tasks has its regions served from then
 * on. A program in which code for another runtime calls this one, too, is left alone, and so is one whose runtime is another
 * under the same name. At the end, what --stats asks for. */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "openmp/real.h"
#include "openmp/team.h"
#include "platform/barrier.h"

HEIST__ATOMIC(uint32_t) heist__omp_active;
bool heist__omp_puts_all_off;

static bool verbose, stats;
static bool refused; /* the program is not served at all */
static bool others;  /* and it is the other library, preloaded behind this one, that knows why */

/* ---- what --stats prints ---- */

static HEIST__ATOMIC(uint64_t) total_tasks, total_now, total_stolen, total_taskwaits, total_sleeps;

void heist__omp_stats_add(const heist__omp_counters *c, uint64_t made, uint64_t put_off)
{
    if (!stats) return;
    /* relaxed: statistics order nothing */
    heist__add_relaxed(&total_tasks, made);
    heist__add_relaxed(&total_now, made - put_off);
    heist__add_relaxed(&total_stolen, c->stolen);
    heist__add_relaxed(&total_taskwaits, c->taskwaits);
    heist__add_relaxed(&total_sleeps, c->sleeps);
}

__attribute__((destructor)) static void print_stats(void)
{
    if (!stats || others || !heist__real_file()) return; /* both are preloaded where it is not known which is needed */
    /* relaxed: as above */
    fprintf(stderr, "heist-omp: tasks %llu, run at once %llu, stolen %llu, waits that helped %llu, sleeps %llu\n",
            (unsigned long long)heist__load_relaxed(&total_tasks), (unsigned long long)heist__load_relaxed(&total_now),
            (unsigned long long)heist__load_relaxed(&total_stolen),
            (unsigned long long)heist__load_relaxed(&total_taskwaits),
            (unsigned long long)heist__load_relaxed(&total_sleeps));
}

_Noreturn void heist__omp_fatal(const char *why)
{
    fprintf(stderr, "heist-omp: %s\n", why);
    abort();
}

void heist__omp_activate(void)
{
    if (refused || heist__load_relaxed(&heist__omp_active)) return; /* relaxed: a switch that stays on */
    heist__store_relaxed(&heist__omp_active, 1);                    /* likewise */
    if (verbose) fprintf(stderr, "heist-omp: something loaded later creates tasks: served from the next region on\n");
}

/* ---- who creates tasks ---- */

static const char *const creators[] = {HEIST__CREATORS};
static const char *const foreign_creators[] = {HEIST__FOREIGN_CREATORS};

typedef struct symbols {
    const ElfW(Sym) * table;
    const char *names;
    size_t count; /* up to the last undefined one */
} symbols;

/* Some loaders leave addresses in the dynamic section as they are in the file. */
static const void *at(ElfW(Addr) base, ElfW(Addr) address)
{
    return (const void *)(address < base ? base + address : address);
}

static symbols symbols_of(const struct dl_phdr_info *object)
{
    symbols s = {0};
    const ElfW(Dyn) *dynamic = NULL;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const void *)(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
    }
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        const uint32_t *words = at(object->dlpi_addr, dynamic->d_un.d_ptr);
        switch (dynamic->d_tag) {
        case DT_SYMTAB: s.table = (const void *)words; break;
        case DT_STRTAB: s.names = (const void *)words; break;
        case DT_HASH: s.count = words[1]; break;
        case DT_GNU_HASH:
            if (!s.count) s.count = words[1]; /* the undefined ones come before those that it hashes */
            break;
        default: break;
        }
    }
    return s;
}

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0) return true;
    }
    return false;
}

#define IS_ONE_OF(name, names) is_one_of(name, names, sizeof(names) / sizeof *(names))

static bool is_foreign(const char *name)
{
    static const char prefix[] = HEIST__FOREIGN;
    return strncmp(name, prefix, sizeof prefix - 1) == 0;
}

typedef struct findings { /* the first object that creates tasks, and the first with foreign calls, or NULL */
    const char *creator, *foreign;
    bool foreign_tasks; /* somebody creates tasks by foreign calls */
} findings;

static int look_at(struct dl_phdr_info *object, size_t size, void *found)
{
    (void)size;
    findings *f = found;
    symbols s = symbols_of(object);
    if (!s.table || !s.names) return 0;
    const char *file = object->dlpi_name[0] ? object->dlpi_name : "the program";
    for (size_t i = 1; i < s.count; i++) {
        const char *name = s.names + s.table[i].st_name;
        if (s.table[i].st_shndx != SHN_UNDEF) continue;
        if (!f->creator && IS_ONE_OF(name, creators)) f->creator = file;
        if (!f->foreign && is_foreign(name)) f->foreign = file;
        if (IS_ONE_OF(name, foreign_creators)) f->foreign_tasks = true;
    }
    return 0;
}

static bool asked_for(const char *variable)
{
    const char *value = secure_getenv(variable);
    return value && *value && strcmp(value, "0") != 0;
}

/* What users tell libomp so that it puts off all tasks. */
static bool throttling_is_off(void)
{
#ifdef HEIST__OMP_LLVM
    const char *value = secure_getenv("KMP_ENABLE_TASK_THROTTLING");
    return value && (strcmp(value, "0") == 0 || strcasecmp(value, "false") == 0);
#else
    return false;
#endif
}

static void say_what_was_found(const char *creator)
{
    const char *file = heist__real_file();
    if (!file) {
        fprintf(stderr, "heist-omp: no " HEIST__RUNTIME " is loaded: nothing to serve\n");
        return;
    }
    int wrapped = 0;
    for (int i = 0; i < HEIST__WRAPPED_COUNT; i++) wrapped += heist__real_has((heist__real_number)i);
    fprintf(stderr, "heist-omp: %s; %d entries wrapped; ", file, wrapped);
    if (creator) {
        fprintf(stderr, "%s creates tasks: they run on heist\n", creator);
    } else {
        fprintf(stderr, "nothing loaded creates tasks: regions stay " HEIST__RUNTIME "'s\n");
    }
}

/* Whether the program is, and then, if it creates tasks or asks, that it is. */
static bool is_left_alone(const findings *found)
{
    bool tasks = found->creator || found->foreign_tasks || verbose;
    if (HEIST__NEVER_BOTH) {
        if (!heist__real_defines(HEIST__FOREIGN_KEY)) return false;
        others = !heist__real_serves(HEIST__FOREIGN_KEY);
        if (tasks && !others)
            fprintf(stderr, "heist-omp: %s is not " HEIST__RUNTIME ": it is left alone\n", heist__real_file());
        return true;
    }
    if (!heist__real_serves(HEIST__FOREIGN_KEY) || !found->foreign) return false;
    if (tasks)
        fprintf(stderr, "heist-omp: %s uses %s by " HEIST__FOREIGN " entries, which are not served: it is left alone\n",
                found->foreign, heist__real_file());
    return true;
}

__attribute__((constructor)) static void start(void)
{
    findings found = {0};
    verbose = asked_for("HEIST_OMP_VERBOSE");
    stats = asked_for("HEIST_OMP_STATS");
    heist__omp_puts_all_off = throttling_is_off();
    heist__real_resolve();
    heist__omp_fork_init();
    heist__omp_threads_init();
    heist__omp_locks_init();
    dl_iterate_phdr(look_at, &found);
    refused = is_left_alone(&found);
    if (refused) return;
    if (found.creator && heist__real_file()) {
        heist__store_relaxed(&heist__omp_active, 1); /* relaxed: before any region */
        heist__barrier_available();                  /* asked for once there are threads, it takes milliseconds */
    }
    if (verbose) say_what_was_found(found.creator);
}
