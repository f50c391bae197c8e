/* Snapshots of the counters, and their printing at the end of a pool, or of a process that has not ended its pools. */
#include "schedule/stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "observe/histogram.h"
#include "observe/report.h"
#include "platform/safe_file.h"
#include "schedule/default_pool.h"
#include "schedule/error.h"
#include "schedule/pool.h"
#include "schedule/registry.h"
#include "schedule/worker_memory.h"

/* ---- snapshots ---- */

/* How long a tick is: the clock and the ticks since the pool was made. */
static double ns_per_tick(const heist_pool *pool, uint64_t now, uint64_t ticks)
{
    const uint64_t passed = ticks - pool->made_ticks;
    return passed && ticks > pool->made_ticks && now > pool->made_at ? (double)(now - pool->made_at) / (double)passed
                                                                     : 0;
}

static void add_worker(heist__worker *w, heist_stats *sum, uint64_t now, uint64_t ticks)
{
    /* relaxed: counters */
    heist__counters_add(sum, &w->counters, heist__load_relaxed(&w->tasks.face.joins_inline));
    sum->parks += heist__load_relaxed(&w->sleeper.parks);
    const uint64_t slots = heist__worker_slots_used(w);
    if (slots > sum->slots_most) sum->slots_most = slots;
    const heist__times t = heist__counters_times(&w->counters, now, ticks, ns_per_tick(w->pool, now, ticks));
    sum->working += t.working;
    sum->searching += t.searching;
    sum->asleep += t.asleep;
}

/* Whether a caller's struct has a possible size; 0 becomes the size of today. */
static bool sized(heist_stats *stats)
{
    if (stats && stats->size == 0) stats->size = sizeof *stats;
    return stats && stats->size >= sizeof stats->size && stats->size <= 65536;
}

static int refuse_size(void)
{
    return heist__fail(-EINVAL, "heist_stats: size must be sizeof(heist_stats), or 0");
}

/* Gives a struct of today to a caller whose struct may be shorter or longer. */
static void give(heist_stats *stats, const heist_stats *from)
{
    const size_t size = stats->size, known = size < sizeof *from ? size : sizeof *from;
    memset(stats, 0, size);
    memcpy(stats, from, known);
    stats->size = size;
}

/* Sums the counters of workers first .. last - 1 into a struct of the caller's size. */
static int read_workers(heist_pool *pool, unsigned first, unsigned last, heist_stats *stats)
{
    if (!sized(stats)) return refuse_size();
    heist_stats sum;
    memset(&sum, 0, sizeof sum);
    const uint64_t now = heist__stats_now(), ticks = heist__ticks();
    for (unsigned i = first; i < last; i++) add_worker(pool->workers[i], &sum, now, ticks);
    sum.workers = last - first;
    /* relaxed: a counter. A submission belongs to no worker. */
    if (last - first == pool->running) sum.inbox_full = heist__load_relaxed(&pool->inbox_full);
    give(stats, &sum);
    return 0;
}

int heist_stats_read(heist_pool *pool, heist_stats *stats)
{
    if (!pool) pool = heist__default_if_made();
    if (!pool) return heist__fail(-EINVAL, "heist_stats_read: there is no pool");
    return read_workers(pool, 0, pool->running, stats);
}

int heist_stats_read_worker(heist_pool *pool, unsigned number, heist_stats *stats)
{
    if (!pool) pool = heist__default_if_made();
    if (!pool || number >= pool->running)
        return heist__fail(-EINVAL, "heist_stats_read_worker: there is no such worker");
    return read_workers(pool, number, number + 1, stats);
}

int heist_stats_read_victims(heist_pool *pool, unsigned thief, uint64_t *got, unsigned count)
{
    if (!pool) pool = heist__default_if_made();
    if (!pool || thief >= pool->running || !got)
        return heist__fail(-EINVAL, "heist_stats_read_victims: there is no such worker");
    heist__counter *row = pool->workers[thief]->stolen_from;
    if (!row) return heist__fail(-ENOTSUP, "pools of more than %u workers keep no matrix", HEIST__MATRIX_MOST);
    for (unsigned i = 0; i < count; i++) got[i] = i < pool->count ? heist__counted(&row[i]) : 0;
    return 0;
}

/* A struct of the caller's as one of today: fields that it lacks are 0. */
static bool taken(const heist_stats *stats, heist_stats *today)
{
    memset(today, 0, sizeof *today);
    if (!stats || (stats->size && stats->size < sizeof stats->size) || stats->size > 65536) return false;
    memcpy(today, stats, stats->size && stats->size < sizeof *today ? stats->size : sizeof *today);
    return true;
}

static uint64_t less(uint64_t a, uint64_t b)
{
    return a > b ? a - b : 0;
}

static void subtract(heist_stats *a, const heist_stats *b)
{
#define LESS(field) a->field = less(a->field, b->field)
    LESS(tasks);
    LESS(spawns);
    LESS(joins_inline);
    LESS(joins_stolen);
    LESS(spawns_called);
    LESS(detached);
    LESS(leapfrogs);
    for (int level = 0; level < HEIST_LEVELS; level++) {
        LESS(steal_got[level]);
        LESS(steal_empty[level]);
        LESS(steal_lost[level]);
    }
    LESS(parks);
    LESS(wakes);
    LESS(working);
    LESS(searching);
    LESS(asleep);
    heist__histogram_difference(&a->steal_latency, &b->steal_latency, &a->steal_latency);
    heist__histogram_difference(&a->wake_latency, &b->wake_latency, &a->wake_latency);
    LESS(slots_grown);
    LESS(inbox_full);
    LESS(blocks_new);
    LESS(blocks_reused);
#undef LESS
}

int heist_stats_difference(const heist_stats *after, const heist_stats *before, heist_stats *difference)
{
    heist_stats a, b;
    if (!taken(after, &a) || !taken(before, &b) || !difference) return refuse_size();
    difference->size = after->size ? after->size : sizeof a;
    subtract(&a, &b);
    give(difference, &a);
    return 0;
}

/* ---- reports ---- */

static heist__report *report_of(heist_pool *pool)
{
    const unsigned workers = pool->running;
    heist__report *r = heist__report_new(workers, workers > 0 && pool->workers[0]->stolen_from);
    if (!r) return NULL;
    snprintf(r->name, sizeof r->name, "%s", pool->settings.name);
    heist_stats_read(pool, &r->all);
    for (unsigned i = 0; i < workers; i++) {
        heist_stats_read_worker(pool, i, &r->worker[i]);
        if (r->matrix) heist_stats_read_victims(pool, i, &r->matrix[(size_t)i * workers], workers);
        const heist__victims *v = &pool->workers[i]->victims;
        if (v->count && v->level_end[HEIST__SAME_NODE] > 0) r->near = true;
    }
    const heist__machine *m = &pool->machine;
    r->cpus = pool->cpus;
    r->pus = m->pu_count;
    for (unsigned i = 0; i < m->pu_count; i++) {
        if (m->pus[i].core >= r->cores) r->cores = m->pus[i].core + 1;
    }
    return r;
}

static void print_report(heist__report *r, heist_stats_format format, FILE *file)
{
    switch (format) {
    case HEIST_STATS_TEXT: heist__report_text(r, file); break;
    case HEIST_STATS_JSON: heist__report_json(&r, 1, file); break;
    case HEIST_STATS_PROMETHEUS: heist__report_prometheus(&r, 1, file); break;
    }
}

int heist_stats_print(heist_pool *pool, heist_stats_format format, FILE *file)
{
    if (!pool) pool = heist__default_if_made();
    if (!pool || !file || (unsigned)format > HEIST_STATS_PROMETHEUS)
        return heist__fail(-EINVAL, "heist_stats_print: there is no pool, no file, or no such format");
    heist__report *r = report_of(pool);
    if (!r) return heist__fail(-ENOMEM, "no memory for the statistics of %u workers", pool->running);
    print_report(r, format, file);
    heist__report_free(r);
    if (fflush(file) != 0 || ferror(file)) return heist__fail(-EIO, "the statistics could not be written");
    return 0;
}

/* ---- at the end ---- */

/* The value of HEIST_STATS if it names a file: it has a dot or a slash. */
static const char *file_wanted(void)
{
    const char *text = secure_getenv("HEIST_STATS");
    return text && strpbrk(text, "./") ? text : NULL;
}

bool heist__stats_wanted(void)
{
    const char *text = secure_getenv("HEIST_STATS");
    if (!text || !*text || strcmp(text, "0") == 0) return false;
    if (strcmp(text, "1") == 0 || file_wanted()) return true;
    heist__passed_over("HEIST_STATS", text, "1 or 0, or a file name with a dot or a slash");
    return false;
}

/* Reports of pools that have ended, for a file that has all of them. Later pools are left out. */
enum { KEPT = 64 };

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER; /* guards the three below */
static heist__report *kept[KEPT];
static unsigned kept_count;
static pid_t kept_by; /* a forked child begins anew */

void heist__stats_lock(void)
{
    pthread_mutex_lock(&kept_lock);
}

void heist__stats_unlock(void)
{
    pthread_mutex_unlock(&kept_lock);
}

static bool ends_with(const char *text, const char *end)
{
    const size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

/* Writes the file anew, with all reports so far. */
static int write_file(const char *path)
{
    heist__safe_file f;
    int error = heist__safe_file_open(&f, path);
    if (error) return error;
    if (ends_with(path, ".json")) {
        heist__report_json(kept, kept_count, f.out);
    } else if (ends_with(path, ".prom")) {
        heist__report_prometheus(kept, kept_count, f.out);
    } else {
        for (unsigned i = 0; i < kept_count; i++) heist__report_text(kept[i], f.out);
    }
    return heist__safe_file_close(&f);
}

static void to_file(heist__report *r, const char *path)
{
    pthread_mutex_lock(&kept_lock);
    if (kept_by != getpid()) {
        for (unsigned i = 0; i < kept_count; i++) heist__report_free(kept[i]);
        kept_count = 0;
        kept_by = getpid();
    }
    const bool room = kept_count < KEPT;
    if (room) kept[kept_count++] = r;
    const int error = room ? write_file(path) : 0;
    pthread_mutex_unlock(&kept_lock);
    if (!room) heist__report_free(r);
    if (error) {
        const char *why =
            error == -EEXIST ? "there is something of that name that is no regular file" : strerror(-error);
        fprintf(stderr, "heist: HEIST_STATS: %s could not be written: %s\n", path, why);
    }
}

void heist__stats_print(heist_pool *pool)
{
    heist__report *r = report_of(pool);
    const char *path = file_wanted();
    if (!r) {
        fputs("heist: no memory for the statistics\n", stderr);
    } else if (path) {
        to_file(r, path);
    } else {
        heist__report_text(r, stderr);
        heist__report_free(r);
    }
}

static void print_if_wanted(heist_pool *pool)
{
    if (heist__stats_wanted()) heist__stats_print(pool);
}

/* Prints pools that were not freed. Runs after all exit handlers, which may free some. Workers may still run: the
 * counters are single words. */
__attribute__((destructor)) static void print_the_rest(void)
{
    heist__registry_visit(print_if_wanted);
    if (kept_by != getpid()) return;
    for (unsigned i = 0; i < kept_count; i++) heist__report_free(kept[i]);
    kept_count = 0;
}
