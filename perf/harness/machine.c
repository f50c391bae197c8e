/* A description of the machine, from /proc, /sys and the C library. Unreadable facts are left out, not guessed. */
#include "harness/machine.h"

#include <ctype.h>
#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <heist/heist.h>

#include "harness/json.h"

#define CPUS "/sys/devices/system/cpu"
#define MOST_CACHES 8

struct cache {
    long level, bytes, shared_by;
    char type[16];
};

struct machine {
    char cpu[128], kernel[128], compiler[160], date[32], topology[512];
    long threads, cores, packages, nodes, cache_count;
    int64_t memory;
    struct cache caches[MOST_CACHES];
};

/* In a child process: the parent must have no threads when it starts the others. */
long perf_usual_workers(void)
{
    int ends[2];
    unsigned workers = 0;
    if (pipe(ends)) return 1;
    pid_t child = fork();
    if (child == 0) {
        heist_pool *pool = heist_pool_new(NULL);
        workers = heist_pool_workers(pool);
        _exit(write(ends[1], &workers, sizeof workers) == (ssize_t)sizeof workers ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &workers, sizeof workers) != (ssize_t)sizeof workers) workers = 1;
    close(ends[0]);
    if (child > 0) waitpid(child, NULL, 0);
    return workers ? (long)workers : 1;
}

/* ---- reading ---- */

/* The first line of a file. */
static bool first_line(const char *path, char *line, size_t room)
{
    FILE *file = fopen(path, "re");
    if (!file) return false;
    bool got = fgets(line, (int)room, file) != NULL;
    fclose(file);
    line[got ? strcspn(line, "\n") : 0] = '\0';
    return got;
}

static long first_number(const char *path, long otherwise)
{
    char line[64];
    return first_line(path, line, sizeof line) ? atol(line) : otherwise;
}

/* How many CPUs a list such as 0-3,8 names. */
static long listed(const char *list)
{
    long count = 0;
    for (const char *at = list; isdigit((unsigned char)*at);) {
        char *end;
        long first = strtol(at, &end, 10), last = first;
        if (*end == '-') last = strtol(end + 1, &end, 10);
        count += last - first + 1;
        at = *end == ',' ? end + 1 : end;
    }
    return count;
}

static void read_cpu(struct machine *m)
{
    char line[256];
    struct utsname system;
    FILE *file = fopen("/proc/cpuinfo", "re");
    while (file && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(m->cpu, sizeof m->cpu, "%.*s", (int)strcspn(colon, "\n"), colon);
        break;
    }
    if (file) fclose(file);
    uname(&system);
    if (!m->cpu[0]) snprintf(m->cpu, sizeof m->cpu, "%.100s", system.machine);
    snprintf(m->kernel, sizeof m->kernel, "%.30s %.60s %.30s", system.sysname, system.release, system.machine);
}

/* Number of directory entries that are `prefix` and a number. */
static long numbered(const char *directory, const char *prefix)
{
    long count = 0;
    size_t length = strlen(prefix);
    DIR *d = opendir(directory);
    for (struct dirent *entry; d && (entry = readdir(d));)
        count += strncmp(entry->d_name, prefix, length) == 0 && isdigit((unsigned char)entry->d_name[length]);
    if (d) closedir(d);
    return count;
}

/* Cores and packages: each is counted at the first of its threads. */
static void read_cores(struct machine *m)
{
    char path[128], list[256];
    m->threads = sysconf(_SC_NPROCESSORS_ONLN);
    long configured = sysconf(_SC_NPROCESSORS_CONF);
    for (long i = 0; i < configured; i++) {
        snprintf(path, sizeof path, CPUS "/cpu%ld/topology/thread_siblings_list", i);
        if (first_line(path, list, sizeof list) && atol(list) == i) m->cores++;
        snprintf(path, sizeof path, CPUS "/cpu%ld/topology/core_siblings_list", i);
        if (first_line(path, list, sizeof list) && atol(list) == i) m->packages++;
    }
    m->nodes = numbered("/sys/devices/system/node", "node");
}

static void read_caches(struct machine *m)
{
    char path[128], text[256];
    for (int i = 0; i < MOST_CACHES; i++) {
        struct cache *c = &m->caches[m->cache_count];
        snprintf(path, sizeof path, CPUS "/cpu0/cache/index%d/level", i);
        c->level = first_number(path, 0);
        if (!c->level) break;
        snprintf(path, sizeof path, CPUS "/cpu0/cache/index%d/size", i);
        if (!first_line(path, text, sizeof text)) continue;
        char *unit;
        c->bytes = strtol(text, &unit, 10) * (*unit == 'K' ? 1024 : *unit == 'M' ? 1024 * 1024 : 1);
        snprintf(path, sizeof path, CPUS "/cpu0/cache/index%d/shared_cpu_list", i);
        c->shared_by = first_line(path, text, sizeof text) ? listed(text) : 1;
        snprintf(path, sizeof path, CPUS "/cpu0/cache/index%d/type", i);
        if (!first_line(path, text, sizeof text)) continue;
        snprintf(c->type, sizeof c->type, "%.15s", text);
        c->type[0] = (char)tolower((unsigned char)c->type[0]);
        m->cache_count++;
    }
}

static void describe_topology(struct machine *m)
{
    size_t used = 0;
    const size_t room = sizeof m->topology;
#define SAY(...) used += used < room ? (size_t)snprintf(m->topology + used, room - used, __VA_ARGS__) : 0
    if (m->packages) SAY("%ld package%s, ", m->packages, m->packages > 1 ? "s" : "");
    if (m->nodes) SAY("%ld NUMA node%s, ", m->nodes, m->nodes > 1 ? "s" : "");
    if (m->cores) SAY("%ld core%s, ", m->cores, m->cores > 1 ? "s" : "");
    SAY("%ld hardware thread%s", m->threads, m->threads > 1 ? "s" : "");
    for (long i = 0; i < m->cache_count; i++) {
        const struct cache *c = &m->caches[i];
        const char *kind = c->type[0] == 'd' ? "d" : c->type[0] == 'i' ? "i" : "";
        if (c->bytes >= 1 << 20)
            SAY("; L%ld%s %ld MiB", c->level, kind, c->bytes >> 20);
        else
            SAY("; L%ld%s %ld KiB", c->level, kind, c->bytes >> 10);
        if (c->shared_by > 1) SAY(" for %ld", c->shared_by);
    }
#undef SAY
}

static void read_machine(struct machine *m)
{
    memset(m, 0, sizeof *m);
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(m->date, sizeof m->date, "%Y-%m-%dT%H:%M:%SZ", &utc);
#ifdef __clang__
    snprintf(m->compiler, sizeof m->compiler, "%s", __VERSION__);
#else
    snprintf(m->compiler, sizeof m->compiler, "gcc %s", __VERSION__);
#endif
    m->memory = (int64_t)sysconf(_SC_PHYS_PAGES) * (int64_t)sysconf(_SC_PAGESIZE);
    read_cpu(m);
    read_cores(m);
    read_caches(m);
    describe_topology(m);
}

/* ---- writing ---- */

/* The user's environment variables for the runtimes: they change the figures. */
static void environment_json(FILE *to)
{
    static const char *const prefixes[] = {"HEIST_", "OMP_", "GOMP_", "KMP_", "TBB_", "OPENBLAS_", "BLIS_"};
    const char *separator = "";
    fputs("\"environment\":{", to);
    for (char **variable = environ; *variable; variable++) {
        bool ours = false;
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
            ours = ours || strncmp(*variable, prefixes[i], strlen(prefixes[i])) == 0;
        const char *equals = strchr(*variable, '=');
        if (!ours || !equals) continue;
        char name[128];
        snprintf(name, sizeof name, "%.*s", (int)(equals - *variable), *variable);
        fputs(separator, to);
        perf_json_string(to, name);
        fputc(':', to);
        perf_json_string(to, equals + 1);
        separator = ",";
    }
    fputc('}', to);
}

static void member(FILE *to, const char *name, const char *value)
{
    fprintf(to, "\"%s\":", name);
    perf_json_string(to, value);
    fputc(',', to);
}

long perf_cores_for(long workers, long usual_workers)
{
    struct machine m = {0};
    read_cores(&m);
    long most = m.cores && m.cores < usual_workers ? m.cores : usual_workers;
    return workers < most ? workers : most;
}

void perf_machine_json(FILE *to, long usual_workers)
{
    struct machine m;
    read_machine(&m);
    fputc('{', to);
    member(to, "cpu", m.cpu);
    if (m.cores) fprintf(to, "\"cores\":%ld,", m.cores);
    fprintf(to, "\"threads\":%ld,\"workers\":%ld,\"caches\":[", m.threads, usual_workers);
    for (long i = 0; i < m.cache_count; i++) {
        const struct cache *c = &m.caches[i];
        fprintf(to, "%s{\"level\":%ld,\"type\":\"%s\",\"bytes\":%ld,\"shared_by\":%ld}", i ? "," : "", c->level,
                c->type, c->bytes, c->shared_by);
    }
    fprintf(to, "],\"memory\":%lld,", (long long)m.memory);
    if (m.nodes) fprintf(to, "\"numa_nodes\":%ld,", m.nodes);
    member(to, "topology", m.topology);
    member(to, "kernel", m.kernel);
    member(to, "compiler", m.compiler);
    member(to, "heist", HEIST_VERSION_STRING);
    member(to, "date", m.date);
    environment_json(to);
    fputc('}', to);
}

void perf_machine_text(FILE *to, long usual_workers)
{
    struct machine m;
    read_machine(&m);
    fprintf(to, "%s: %s; %lld GiB; %s\n", m.cpu, m.topology, (long long)((m.memory + (1 << 29)) >> 30), m.kernel);
    fprintf(to, "heist %s, %ld worker%s by itself; %s; %s\n", HEIST_VERSION_STRING, usual_workers,
            usual_workers > 1 ? "s" : "", m.compiler, m.date);
}
