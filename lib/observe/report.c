/* A report as text, as JSON and for Prometheus. The table `fields` has every counter once. */
#include "observe/report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <heist/version.h>

#include "observe/stats_text.h"
#include "topology/machine.h"

heist__report *heist__report_new(unsigned workers, bool matrix)
{
    heist__report *r = calloc(1, sizeof *r);
    if (!r) return NULL;
    r->workers = workers;
    r->worker = calloc(workers ? workers : 1, sizeof *r->worker);
    if (matrix) r->matrix = calloc(workers ? (size_t)workers * workers : 1, sizeof *r->matrix);
    if (r->worker && (r->matrix || !matrix)) return r;
    heist__report_free(r);
    return NULL;
}

void heist__report_free(heist__report *r)
{
    if (!r) return;
    free(r->worker);
    free(r->matrix);
    free(r);
}

uint64_t heist__sum_of_levels(const uint64_t levels[HEIST_LEVELS])
{
    uint64_t sum = 0;
    for (int level = 0; level < HEIST_LEVELS; level++) sum += levels[level];
    return sum;
}

/* ---- the fields ---- */

typedef enum { COUNTER, GAUGE, TIME } kind;

static const struct {
    const char *name, *help;
    size_t at;
    kind kind;
} fields[] = {
#define FIELD(name, kind, help)                                                                                        \
    {                                                                                                                  \
#name, help, offsetof(heist_stats, name), kind                                                                 \
    }
    FIELD(tasks, COUNTER, "Tasks run, of every kind."),
    FIELD(spawns, COUNTER, "Fork/join children spawned and joined."),
    FIELD(joins_inline, COUNTER, "Joins that met no thief."),
    FIELD(joins_stolen, COUNTER, "Joins of a child that another worker had run."),
    FIELD(spawns_called, COUNTER, "Spawns that became calls for want of slots."),
    FIELD(detached, COUNTER, "Detached and submitted tasks run."),
    FIELD(leapfrogs, COUNTER, "Tasks taken back from a thief while waiting for it."),
    FIELD(parks, COUNTER, "Times a worker went to sleep."),
    FIELD(wakes, COUNTER, "Times a worker woke another."),
    FIELD(working, TIME, "Time in tasks."),
    FIELD(searching, TIME, "Time searching, or waiting awake for a stolen child."),
    FIELD(asleep, TIME, "Time asleep."),
    FIELD(slots_most, GAUGE, "The most children spawned and not joined."),
    FIELD(slots_grown, COUNTER, "Times a deque of children got more memory."),
    FIELD(jobs_most, GAUGE, "The longest deque of detached tasks seen."),
    FIELD(inbox_full, COUNTER, "Submissions that found the inbox full."),
    FIELD(blocks_new, COUNTER, "Records of detached tasks from malloc."),
    FIELD(blocks_reused, COUNTER, "Records of detached tasks that a worker had kept."),
#undef FIELD
};

enum { FIELDS = sizeof fields / sizeof *fields };

static uint64_t value_of(const heist_stats *s, unsigned field)
{
    uint64_t value;
    memcpy(&value, (const char *)s + fields[field].at, sizeof value);
    return value;
}

static const struct {
    const char *name, *help;
    size_t at;
} spreads[] = {
    {"steal_latency", "From the beginning of a search until it got a task.", offsetof(heist_stats, steal_latency)},
    {"wake_latency", "From the call that wakes a worker until it runs.", offsetof(heist_stats, wake_latency)},
};

enum { SPREADS = sizeof spreads / sizeof *spreads };

static const heist_histogram *spread_of(const heist_stats *s, unsigned spread)
{
    return (const heist_histogram *)(const void *)((const char *)s + spreads[spread].at);
}

static const struct {
    const char *name;
    size_t at;
} outcomes[] = {
    {"got", offsetof(heist_stats, steal_got)},
    {"empty", offsetof(heist_stats, steal_empty)},
    {"lost", offsetof(heist_stats, steal_lost)},
};

enum { OUTCOMES = sizeof outcomes / sizeof *outcomes };

static uint64_t steals_of(const heist_stats *s, unsigned outcome, int level)
{
    return ((const uint64_t *)(const void *)((const char *)s + outcomes[outcome].at))[level];
}

/* ---- text ---- */

static void text_spread(const char *name, const heist_histogram *h, FILE *out)
{
    if (h->count == 0) return;
    fprintf(out,
            "%s %" PRIu64 " times, in us: least %.1f, mean %.1f, median %.1f, 90%% below %.1f, 99%% below %.1f, most "
            "%.1f\n",
            name, h->count, (double)h->least / 1e3, (double)h->sum / (double)h->count / 1e3,
            (double)heist_histogram_percentile(h, 50) / 1e3, (double)heist_histogram_percentile(h, 90) / 1e3,
            (double)heist_histogram_percentile(h, 99) / 1e3, (double)h->most / 1e3);
}

static double share(uint64_t part, const heist_stats *s)
{
    const uint64_t all = s->working + s->searching + s->asleep;
    return all ? 100.0 * (double)part / (double)all : 0;
}

static void text_times(const heist__report *r, FILE *out)
{
    const heist_stats *s = &r->all;
    fprintf(out, "time of the workers: %.1f%% working, %.1f%% searching, %.1f%% asleep, of %.3f s\n",
            share(s->working, s), share(s->searching, s), share(s->asleep, s),
            (double)(s->working + s->searching + s->asleep) / 1e9);
    text_spread("steals:", &s->steal_latency, out);
    text_spread("wakes:", &s->wake_latency, out);
    fprintf(out, "children at once: %" PRIu64 ", growths %" PRIu64 "; detached at once: %" PRIu64, s->slots_most,
            s->slots_grown, s->jobs_most);
    fprintf(out, "; inbox full: %" PRIu64 "; records: %" PRIu64 " new, %" PRIu64 " reused\n", s->inbox_full,
            s->blocks_new, s->blocks_reused);
}

/* A matrix of a large pool would be all that is seen. */
enum { MATRIX_SHOWN = 16 };

static void text_matrix(const heist__report *r, FILE *out)
{
    if (!r->matrix || r->workers < 2 || r->workers > MATRIX_SHOWN) return;
    if (heist__sum_of_levels(r->all.steal_got) == 0) return;
    fprintf(out, "%-13s", "stolen from");
    for (unsigned victim = 0; victim < r->workers; victim++) fprintf(out, " %8u", victim);
    for (unsigned thief = 0; thief < r->workers; thief++) {
        fprintf(out, "\nby %-10u", thief);
        for (unsigned victim = 0; victim < r->workers; victim++)
            fprintf(out, " %8" PRIu64, r->matrix[(size_t)thief * r->workers + victim]);
    }
    fputc('\n', out);
}

void heist__report_text(const heist__report *r, FILE *out)
{
    fprintf(out, "heist: pool %s, %u workers\n", r->name, r->workers);
    heist__stats_text_head(out);
    for (unsigned i = 0; i < r->workers; i++) {
        char name[16];
        snprintf(name, sizeof name, "%u", i);
        heist__stats_text_row(out, name, &r->worker[i]);
    }
    heist__stats_text_row(out, "all", &r->all);
    heist__stats_text_distances(out, &r->all);
    text_times(r, out);
    text_matrix(r, out);
    heist__advice advice[HEIST__ADVICES];
    const unsigned count = heist__advise(r, advice);
    for (unsigned i = 0; i < count; i++) fprintf(out, "advice (%s): %s\n", advice[i].rule, advice[i].text);
}

/* ---- JSON ---- */

static void json_spread(const char *name, const heist_histogram *h, heist__json *j)
{
    heist__json_begin(j, name, '{');
    heist__json_number(j, "count", h->count);
    heist__json_number(j, "sum", h->sum);
    heist__json_number(j, "least", h->least);
    heist__json_number(j, "most", h->most);
    heist__json_number(j, "median", heist_histogram_percentile(h, 50));
    heist__json_number(j, "p90", heist_histogram_percentile(h, 90));
    heist__json_number(j, "p99", heist_histogram_percentile(h, 99));
    heist__json_begin(j, "bucket", '[');
    for (int b = 0; b < HEIST_BUCKETS; b++) heist__json_number(j, NULL, h->bucket[b]);
    heist__json_end(j);
    heist__json_end(j);
}

static void json_stats(const char *name, const heist_stats *s, heist__json *j)
{
    heist__json_begin(j, name, '{');
    for (unsigned i = 0; i < FIELDS; i++) heist__json_number(j, fields[i].name, value_of(s, i));
    for (unsigned i = 0; i < OUTCOMES; i++) {
        char outcome[32];
        snprintf(outcome, sizeof outcome, "steal_%s", outcomes[i].name);
        heist__json_begin(j, outcome, '{');
        for (int level = 0; level < HEIST_LEVELS; level++)
            heist__json_number(j, heist__level_word((heist__level)level), steals_of(s, i, level));
        heist__json_end(j);
    }
    for (unsigned i = 0; i < SPREADS; i++) json_spread(spreads[i].name, spread_of(s, i), j);
    heist__json_end(j);
}

static void json_pool(const heist__report *r, heist__json *j)
{
    heist__advice advice[HEIST__ADVICES];
    const unsigned count = heist__advise(r, advice);
    heist__json_begin(j, NULL, '{');
    heist__json_string(j, "name", r->name);
    heist__json_number(j, "workers", r->workers);
    heist__json_number(j, "cpus", r->cpus);
    json_stats("all", &r->all, j);
    heist__json_begin(j, "worker", '[');
    for (unsigned i = 0; i < r->workers; i++) json_stats(NULL, &r->worker[i], j);
    heist__json_end(j);
    heist__json_begin(j, "stolen_from", '[');
    for (unsigned thief = 0; r->matrix && thief < r->workers; thief++) {
        heist__json_begin(j, NULL, '[');
        for (unsigned victim = 0; victim < r->workers; victim++)
            heist__json_number(j, NULL, r->matrix[(size_t)thief * r->workers + victim]);
        heist__json_end(j);
    }
    heist__json_end(j);
    heist__json_begin(j, "advice", '[');
    for (unsigned i = 0; i < count; i++) {
        heist__json_begin(j, NULL, '{');
        heist__json_string(j, "rule", advice[i].rule);
        heist__json_real(j, "figure", advice[i].figure);
        heist__json_string(j, "text", advice[i].text);
        heist__json_end(j);
    }
    heist__json_end(j);
    heist__json_end(j);
}

void heist__report_json(heist__report *const *reports, unsigned count, FILE *out)
{
    heist__json j = heist__json_to(out);
    heist__json_begin(&j, NULL, '{');
    heist__json_string(&j, "heist", HEIST_VERSION_STRING);
    heist__json_string(&j, "program", program_invocation_short_name);
    heist__json_number(&j, "process", (uint64_t)getpid());
    heist__json_string(&j, "times", "nanoseconds");
    heist__json_begin(&j, "pools", '[');
    for (unsigned i = 0; i < count; i++) json_pool(reports[i], &j);
    heist__json_end(&j);
    heist__json_end(&j);
}

/* ---- Prometheus ---- */

/* Labels are in quotes; a name may have any characters. */
static void labels(const heist__report *r, unsigned pool, unsigned worker, FILE *out)
{
    fputs("{pool=\"", out);
    for (const char *at = r->name; *at; at++) {
        if (*at == '"' || *at == '\\') fputc('\\', out);
        if (*at == '\n')
            fputs("\\n", out);
        else
            fputc(*at, out);
    }
    fprintf(out, "\",number=\"%u\",worker=\"%u\"", pool, worker);
}

static void prometheus_field(heist__report *const *reports, unsigned count, unsigned field, FILE *out)
{
    const char *end = fields[field].kind == COUNTER ? "_total" : fields[field].kind == TIME ? "_seconds_total" : "";
    fprintf(out, "# HELP heist_%s%s %s\n# TYPE heist_%s%s %s\n", fields[field].name, end, fields[field].help,
            fields[field].name, end, fields[field].kind == GAUGE ? "gauge" : "counter");
    for (unsigned p = 0; p < count; p++) {
        for (unsigned w = 0; w < reports[p]->workers; w++) {
            const uint64_t value = value_of(&reports[p]->worker[w], field);
            fprintf(out, "heist_%s%s", fields[field].name, end);
            labels(reports[p], p, w, out);
            if (fields[field].kind == TIME) /* no printf of a double: a locale may have a comma */
                fprintf(out, "} %" PRIu64 ".%09" PRIu64 "\n", value / 1000000000, value % 1000000000);
            else
                fprintf(out, "} %" PRIu64 "\n", value);
        }
    }
}

static void prometheus_steals(heist__report *const *reports, unsigned count, FILE *out)
{
    fputs("# HELP heist_steals_total Tries to steal, by outcome and distance.\n# TYPE heist_steals_total counter\n",
          out);
    for (unsigned p = 0; p < count; p++) {
        for (unsigned w = 0; w < reports[p]->workers; w++) {
            for (unsigned i = 0; i < OUTCOMES * HEIST_LEVELS; i++) {
                const int level = (int)(i % HEIST_LEVELS);
                fputs("heist_steals_total", out);
                labels(reports[p], p, w, out);
                fprintf(out, ",outcome=\"%s\",distance=\"%s\"} %" PRIu64 "\n", outcomes[i / HEIST_LEVELS].name,
                        heist__level_word((heist__level)level),
                        steals_of(&reports[p]->worker[w], i / HEIST_LEVELS, level));
            }
        }
    }
}

static void seconds(uint64_t ns, FILE *out)
{
    fprintf(out, "%" PRIu64 ".%09" PRIu64, ns / 1000000000, ns % 1000000000);
}

static void prometheus_spread(heist__report *const *reports, unsigned count, unsigned spread, FILE *out)
{
    const char *name = spreads[spread].name;
    fprintf(out, "# HELP heist_%s_seconds %s\n# TYPE heist_%s_seconds histogram\n", name, spreads[spread].help, name);
    for (unsigned p = 0; p < count; p++) {
        for (unsigned w = 0; w < reports[p]->workers; w++) {
            const heist_histogram *h = spread_of(&reports[p]->worker[w], spread);
            uint64_t below = 0;
            for (int b = 0; b < HEIST_BUCKETS; b++) {
                below += h->bucket[b];
                fprintf(out, "heist_%s_seconds_bucket", name);
                labels(reports[p], p, w, out);
                fputs(",le=\"", out);
                if (b < HEIST_BUCKETS - 1)
                    seconds((UINT64_C(1) << (b + 1)) - 1, out);
                else
                    fputs("+Inf", out);
                fprintf(out, "\"} %" PRIu64 "\n", below);
            }
            fprintf(out, "heist_%s_seconds_sum", name);
            labels(reports[p], p, w, out);
            fputs("} ", out);
            seconds(h->sum, out);
            fprintf(out, "\nheist_%s_seconds_count", name);
            labels(reports[p], p, w, out);
            fprintf(out, "} %" PRIu64 "\n", below);
        }
    }
}

void heist__report_prometheus(heist__report *const *reports, unsigned count, FILE *out)
{
    for (unsigned i = 0; i < FIELDS; i++) prometheus_field(reports, count, i, out);
    prometheus_steals(reports, count, out);
    for (unsigned i = 0; i < SPREADS; i++) prometheus_spread(reports, count, i, out);
}
