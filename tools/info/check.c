/* heist-info --check: what on this machine costs speed. Each check is a row of the table at the end: its name, and a
 * function that fills a finding, or leaves it empty. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "observe/json.h"
#include "view.h"

typedef struct {
    char fact[256], remedy[256]; /* fact "": nothing was found */
} finding;

/* Reads the first line of a file, without its end. False: there is no such file. */
static bool read_line(const view *v, const char *path, char *line, size_t size)
{
    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", v->system, path);
    FILE *file = fopen(whole, "re");
    if (!file) return false;
    bool got = fgets(line, (int)size, file) != NULL;
    fclose(file);
    if (got) line[strcspn(line, "\n")] = '\0';
    return got;
}

static bool read_number(const view *v, const char *path, double *number)
{
    char line[128], *end;
    if (!read_line(v, path, line, sizeof line)) return false;
    *number = strtod(line, &end);
    return end != line;
}

static void check_governor(const view *v, finding *f)
{
    unsigned slow = 0, read = 0;
    char governor[64], other[64] = "";
    for (unsigned i = 0; i < v->machine.pu_count; i++) {
        char path[128];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_governor", v->machine.pus[i].os_cpu);
        if (!read_line(v, path, governor, sizeof governor)) continue;
        read++;
        if (strcmp(governor, "performance") == 0) continue;
        slow++;
        memcpy(other, governor, sizeof other);
    }
    if (!slow) return;
    snprintf(f->fact, sizeof f->fact, "%u of %u CPUs have the frequency governor %s: they are slow after each sleep",
             slow, read, other);
    snprintf(f->remedy, sizeof f->remedy, "cpupower frequency-set -g performance");
}

static void check_smt(const view *v, finding *f)
{
    const unsigned cores = view_cores(v);
    if (v->machine.pu_count == cores || v->workers <= cores) return;
    snprintf(f->fact, sizeof f->fact, "%u workers share %u cores: two hardware threads of a core share its units",
             v->workers, cores);
    snprintf(f->remedy, sizeof f->remedy, "for programs that compute: HEIST_WORKERS=%u HEIST_BIND=core; try both",
             cores);
}

static void check_mask(const view *v, finding *f)
{
    if (v->masked >= v->online) return;
    snprintf(f->fact, sizeof f->fact, "the affinity mask has %u of the %u CPUs", v->masked, v->online);
    snprintf(f->remedy, sizeof f->remedy,
             "if that is not meant: taskset, the batch system's or the container's cpuset");
}

static void check_quota(const view *v, finding *f)
{
    if (!v->quota || v->quota >= v->masked) return;
    snprintf(f->fact, sizeof f->fact, "the control group has a quota of %u CPUs (rounded up), below the %u of the mask",
             v->quota, v->masked);
    snprintf(f->remedy, sizeof f->remedy,
             "raise cpu.max of the group (docker --cpus, limits.cpu), or give it whole CPUs");
}

static void check_over_quota(const view *v, finding *f)
{
    const unsigned room = v->quota && v->quota < v->masked ? v->quota : v->masked;
    if (v->workers <= room) return;
    snprintf(f->fact, sizeof f->fact, "%u workers for %u CPUs: they take turns", v->workers, room);
    snprintf(f->remedy, sizeof f->remedy, "HEIST_WORKERS=%u, or leave it unset", room);
}

static void check_membarrier(const view *v, finding *f)
{
    if (v->membarrier) return;
    snprintf(f->fact, sizeof f->fact,
             "the kernel refuses membarrier: every spawn and join has a fence, some 10 ns more");
    snprintf(f->remedy, sizeof f->remedy, "allow membarrier in the sandbox's seccomp profile (Linux 4.14 or later)");
}

static void check_futex(const view *v, finding *f)
{
    if (v->futex) return;
    snprintf(f->fact, sizeof f->fact, "the kernel refuses futex: threads that wait look every millisecond");
    snprintf(f->remedy, sizeof f->remedy, "allow futex in the sandbox's seccomp profile");
}

static void check_huge_pages(const view *v, finding *f)
{
    char line[128];
    if (!read_line(v, "/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line)) return;
    if (!strstr(line, "[never]")) return;
    snprintf(f->fact, sizeof f->fact, "transparent huge pages are off: programs with much data miss in the TLB");
    snprintf(f->remedy, sizeof f->remedy, "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled");
}

static void check_balancing(const view *v, finding *f)
{
    double on;
    if (v->machine.node_count < 2 || v->settings.bind == HEIST__BIND_NONE) return;
    if (!read_number(v, "/proc/sys/kernel/numa_balancing", &on) || on == 0) return;
    snprintf(f->fact, sizeof f->fact, "the kernel moves pages between NUMA nodes, though workers are bound");
    snprintf(f->remedy, sizeof f->remedy, "sysctl kernel.numa_balancing=0");
}

static void check_unbound(const view *v, finding *f)
{
    if (v->machine.node_count < 2 || v->settings.bind != HEIST__BIND_NONE) return;
    snprintf(f->fact, sizeof f->fact, "%u NUMA nodes, and workers are not bound: they may leave their memory behind",
             v->machine.node_count);
    snprintf(f->remedy, sizeof f->remedy, "HEIST_BIND=numa, or core on a machine of your own");
}

static void check_hwloc(const view *v, finding *f)
{
    (void)v;
    if (*HWLOC_VERSION_USED) return;
    snprintf(f->fact, sizeof f->fact, "heist was built without hwloc: all workers are equally near");
    snprintf(f->remedy, sizeof f->remedy, "install hwloc's headers (libhwloc-dev) and build heist again");
}

static void check_load(const view *v, finding *f)
{
    double load;
    if (!read_number(v, "/proc/loadavg", &load) || load < 0.5) return;
    snprintf(f->fact, sizeof f->fact, "other programs keep %.1f CPUs busy (load of the last minute), of %u", load,
             v->online);
    snprintf(f->remedy, sizeof f->remedy, "end them, or give heist the rest with taskset or HEIST_WORKERS");
}

/* The host of a virtual machine gives its CPUs to others: the eighth column of /proc/stat. */
static void check_steal(const view *v, finding *f)
{
    char line[512], *at = line;
    double sum = 0, stolen = 0;
    if (!read_line(v, "/proc/stat", line, sizeof line) || strncmp(line, "cpu ", 4) != 0) return;
    at += 4;
    for (int column = 1; column <= 8; column++) {
        char *end;
        double ticks = strtod(at, &end);
        if (end == at) return; /* an old kernel has fewer columns */
        at = end;
        sum += ticks;
        if (column == 8) stolen = ticks;
    }
    if (sum <= 0 || stolen / sum < 0.01) return;
    snprintf(f->fact, sizeof f->fact, "the host took %.1f%% of this virtual machine's CPU time since it started",
             100 * stolen / sum);
    snprintf(f->remedy, sizeof f->remedy, "CPUs that are not shared; measure with many runs and take the least");
}

static void check_clock(const view *v, finding *f)
{
    char line[64];
    if (!read_line(v, "/sys/devices/system/clocksource/clocksource0/current_clocksource", line, sizeof line)) return;
    if (strcmp(line, "hpet") != 0 && strcmp(line, "acpi_pm") != 0 && strcmp(line, "xen") != 0) return;
    snprintf(f->fact, sizeof f->fact,
             "the clock is %.40s: each look at it is a system call, and searching takes longer", line);
    snprintf(f->remedy, sizeof f->remedy, "clocksource=tsc on the kernel's command line, if the processor's is stable");
}

static const struct {
    const char *name;
    void (*look)(const view *v, finding *f);
} checks[] = {
    {"governor", check_governor},
    {"smt", check_smt},
    {"mask", check_mask},
    {"quota", check_quota},
    {"workers", check_over_quota},
    {"membarrier", check_membarrier},
    {"futex", check_futex},
    {"huge-pages", check_huge_pages},
    {"numa-balancing", check_balancing},
    {"binding", check_unbound},
    {"hwloc", check_hwloc},
    {"load", check_load},
    {"virtual-machine", check_steal},
    {"clock", check_clock},
};

/* The pool's own notes cost speed, or lose something, too. */
static unsigned print_pool_notes(const view *v, FILE *out, heist__json *j)
{
    unsigned found = 0;
    char notes[sizeof v->notes], *rest = notes;
    memcpy(notes, v->notes, sizeof notes);
    for (char *line = strtok_r(notes, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (strstr(line, "membarrier") || strstr(line, "futex") || strstr(line, "without hwloc")) continue; /* above */
        found++;
        if (j) {
            heist__json_begin(j, NULL, '{');
            heist__json_string(j, "check", "note");
            heist__json_string(j, "fact", line);
            heist__json_string(j, "remedy", NULL);
            heist__json_end(j);
        } else {
            fprintf(out, "note: %s\n", line);
        }
    }
    return found;
}

unsigned print_checks(const view *v, FILE *out, bool json)
{
    unsigned found = 0;
    const unsigned count = sizeof checks / sizeof *checks;
    heist__json j = heist__json_to(out);
    if (json) {
        heist__json_begin(&j, NULL, '{');
        heist__json_begin(&j, "costs", '[');
    }
    for (unsigned i = 0; i < count; i++) {
        finding f = {"", ""};
        checks[i].look(v, &f);
        if (!f.fact[0]) continue;
        found++;
        if (json) {
            heist__json_begin(&j, NULL, '{');
            heist__json_string(&j, "check", checks[i].name);
            heist__json_string(&j, "fact", f.fact);
            heist__json_string(&j, "remedy", f.remedy);
            heist__json_end(&j);
        } else {
            fprintf(out, "%s: %s\n  remedy: %s\n", checks[i].name, f.fact, f.remedy);
        }
    }
    found += print_pool_notes(v, out, json ? &j : NULL);
    if (json) {
        heist__json_end(&j);
        heist__json_number(&j, "checks", count);
        heist__json_end(&j);
    } else if (!found) {
        fprintf(out, "%u checks: nothing on this machine costs heist speed\n", count);
    }
    return found;
}
