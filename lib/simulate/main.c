/* heist-sim: what would it do on 64 cores, or 1024? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/clock.h"
#include "platform/one_line.h"
#include "simulate/command.h"

/* A DAG of twenty million tasks fits. */
#define MOST_BYTES ((off_t)1 << 31)

/* An answer: the rows so far. */
typedef struct {
    heist__sim_command *command;
    heist__sim_machine machine;
    heist__sim_program program;
    heist__sim_row *rows;
    unsigned count, room;
    char error[HEIST__SIM_ERROR];
} answer;

static int complain(const char *sentence, int status)
{
    fprintf(stderr, "heist-sim: %s\n", sentence);
    return status;
}

/* The content of a regular file, ended by a zero. NULL: *error says why. */
static char *content_of(const char *path, char *error, size_t room)
{
    struct stat status;
    FILE *file = stat(path, &status) == 0 && S_ISREG(status.st_mode) ? fopen(path, "re") : NULL;
    char *text = NULL;
    if (file && status.st_size <= MOST_BYTES) text = malloc((size_t)status.st_size + 1);
    if (text) text[fread(text, 1, (size_t)status.st_size, file)] = '\0';
    if (!text) {
        const char *why = file && status.st_size > MOST_BYTES ? "larger than 2 GiB" : strerror(errno ? errno : EINVAL);
        snprintf(error, room, "%.100s: %s", path, why);
        heist__one_line(error);
    }
    if (file) fclose(file);
    return text;
}

static int read_costs(heist__sim_machine *m, const char *path, char *error, size_t room)
{
    char *text = content_of(path, error, room);
    int result = text ? heist__sim_costs_read(&m->costs, text, path, error, room) : -EINVAL;
    free(text);
    return result;
}

static int make_machine(answer *a, heist__sim_machine *m, const char *text)
{
    const heist__sim_command *c = a->command;
    int result = heist__sim_machine_make(m, text, c->like, a->error, sizeof a->error);
    if (!result && c->costs) {
        result = read_costs(m, c->costs, a->error, sizeof a->error);
        if (result) heist__sim_machine_free(m);
    }
    return result;
}

static int make_program(answer *a, const char *text)
{
    const size_t length = strlen(text);
    if (length <= 4 || strcmp(text + length - 4, ".dag") != 0)
        return heist__sim_program_make(&a->program, text, a->error, sizeof a->error);
    char *content = content_of(text, a->error, sizeof a->error);
    int result = content ? heist__sim_dag_read(&a->program, content, text, a->error, sizeof a->error) : -EINVAL;
    free(content);
    return result;
}

/* ---- progress ---- */

typedef struct {
    int64_t began, told;
    FILE *timeline;
    bool shows, any;
} watcher;

static void progress(void *context, uint64_t events, uint64_t tasks, int64_t now)
{
    watcher *w = context;
    const int64_t clock = heist__clock_ns();
    char virtual_time[24];
    if (!w->shows || clock - w->told < 200000000) return;
    w->told = clock;
    const double seconds = (double)(clock - w->began) / 1e9;
    fprintf(stderr, "\rheist-sim: %.1f s: %.1f million tasks, %s, %.1f million events a second ", seconds,
            (double)tasks / 1e6, heist__sim_time((double)now / 1e3, virtual_time), (double)events / 1e6 / seconds);
}

static void progress_over(const watcher *w)
{
    if (w->shows && w->told != w->began) fprintf(stderr, "\r%*s\r", 90, "");
}

/* The trace event format: complete events, in microseconds. */
static void ran(void *context, unsigned worker, int64_t from, int64_t to, bool stolen)
{
    watcher *w = context;
    fprintf(w->timeline, "%s\n{\"name\":\"%s\",\"ph\":\"X\",\"pid\":1,\"tid\":%u,\"ts\":%.6f,\"dur\":%.6f}",
            w->any ? "," : "", stolen ? "stolen" : "job", worker, (double)from / 1e6, (double)(to - from) / 1e6);
    w->any = true;
}

/* ---- simulating ---- */

static int simulate(answer *a, const heist__sim_machine *m, heist__sim_settings *s, heist__sim_result *r)
{
    watcher w = {.shows = !a->command->quiet && isatty(STDERR_FILENO)};
    w.began = w.told = heist__clock_ns();
    s->progress = progress;
    s->context = &w;
    if (a->command->timeline) {
        w.timeline = fopen(a->command->timeline, "we");
        if (!w.timeline) {
            snprintf(a->error, sizeof a->error, "%.100s: %s", a->command->timeline, strerror(errno));
            heist__one_line(a->error);
            return -EINVAL;
        }
        fprintf(w.timeline, "[");
        s->ran = ran;
    }
    int result = heist__sim_run(r, m, &a->program, s, a->error, sizeof a->error);
    progress_over(&w);
    if (w.timeline) {
        fprintf(w.timeline, "\n]\n");
        fclose(w.timeline);
        s->ran = NULL;
    }
    return result;
}

static void print_workers(const heist__sim_result *r)
{
    char busy[24];
    for (unsigned n = 0; n < r->workers; n++) {
        printf("worker %u: executed=%llu, stolen=%llu, busy=%s\n", n, (unsigned long long)r->of[n].executed,
               (unsigned long long)r->of[n].stolen, heist__sim_time((double)r->of[n].busy / 1e3, busy));
    }
}

/* Adds a row: the means of all runs. */
static int add_row(answer *a, const heist__sim_machine *m, const heist__sim_settings *usual, const char *what)
{
    if (a->count == a->room) {
        const unsigned room = a->room ? a->room * 2 : 64;
        heist__sim_row *grown = realloc(a->rows, room * sizeof *grown);
        if (!grown) {
            snprintf(a->error, sizeof a->error, "no memory for the answer");
            return -ENOMEM;
        }
        a->rows = grown;
        a->room = room;
    }
    heist__sim_row *row = &a->rows[a->count];
    *row = (heist__sim_row){.workers = usual->workers};
    snprintf(row->what, sizeof row->what, "%s", what);
    heist__one_line(row->what);
    for (unsigned run = 0; run < a->command->runs; run++) {
        heist__sim_settings s = *usual;
        heist__sim_result r;
        s.seed += run;
        int result = simulate(a, m, &s, &r);
        if (result) return result;
        heist__sim_row_add(row, &r);
        if (a->command->per_worker) print_workers(&r);
        heist__sim_result_free(&r);
    }
    heist__sim_row_mean(row);
    a->count++;
    return 0;
}

static int add_rows(answer *a, const heist__sim_machine *m, const char *what)
{
    const heist__sim_command *c = a->command;
    heist__sim_settings s = c->settings;
    int result = 0;
    for (unsigned i = 0; i < c->counts && !result; i++) {
        s.workers = c->workers[i];
        if (!c->all_strategies) {
            result = add_row(a, m, &s, *what ? what : heist__strategy_words[s.strategy]);
            continue;
        }
        for (unsigned how = 0; heist__strategy_words[how] && !result; how++) {
            s.strategy = (heist__strategy)how;
            result = add_row(a, m, &s, heist__strategy_words[how]);
        }
    }
    return result;
}

/* The best of the six strategies at each number of workers, and what it gains over the default. */
static void print_best(const answer *a)
{
    for (unsigned i = 0; i < a->count;) {
        unsigned best = i, from = i;
        for (; i < a->count && a->rows[i].workers == a->rows[from].workers; i++) {
            if (a->rows[i].time < a->rows[best].time) best = i;
        }
        printf("best at %u workers: %s, %.1f%% less time than near\n", a->rows[from].workers, a->rows[best].what,
               100 * (1 - a->rows[best].time / a->rows[from].time));
    }
}

/* ---- what if ---- */

/* A shorter span is estimated: the time beyond work/P is taken as proportional to the span. */
static int add_span(answer *a, double factor, const char *what)
{
    const unsigned base = a->count < a->command->counts ? a->count : a->command->counts;
    for (unsigned i = 0; i < base; i++) {
        int result = add_row(a, &a->machine,
                             &(heist__sim_settings){.workers = a->rows[i].workers,
                                                    .strategy = a->command->settings.strategy,
                                                    .seed = a->command->settings.seed,
                                                    .bind = a->command->settings.bind},
                             what);
        if (result) return result;
        heist__sim_row *row = &a->rows[a->count - 1];
        const double share = row->work / row->workers, beyond = row->time - share;
        row->span *= factor;
        row->time = share + (beyond > 0 ? beyond * factor : beyond);
        if (row->time < heist__sim_least(row)) row->time = heist__sim_least(row);
    }
    return 0;
}

static int suppose(answer *a, const char *text)
{
    char name[24] = "";
    double factor = 0;
    heist__sim_machine other;
    if (strncmp(text, "machine=", 8) == 0) {
        int result = make_machine(a, &other, text + 8);
        if (!result) result = add_rows(a, &other, text + 8);
        if (!result || other.topology.pus) heist__sim_machine_free(&other);
        return result;
    }
    const size_t length = strcspn(text, "*");
    if (text[length] && length < sizeof name) memcpy(name, text, length);
    if (!*name || !heist__sim_number(text + length + 1, &factor) || factor > 1e6) {
        snprintf(a->error, sizeof a->error, "--what-if is COST*FACTOR, span*FACTOR or machine=TEXT, not \"%.60s\"",
                 text);
        heist__one_line(a->error);
        return -EINVAL;
    }
    if (strcmp(name, "span") == 0) return add_span(a, factor, text);
    other = a->machine; /* the topology is shared, and not freed here */
    if (heist__sim_costs_scale(&other.costs, name, factor)) return add_rows(a, &other, text);
    snprintf(a->error, sizeof a->error, "--what-if: no cost in nanoseconds is called \"%.20s\"", name);
    heist__one_line(a->error);
    return -EINVAL;
}

/* ---- the grain ---- */

/* The efficiency with tasks of `ns`, on the last number of workers. Negative: an error. */
static double efficiency_at(answer *a, double ns)
{
    char text[400];
    const heist__sim_command *c = a->command;
    heist__sim_settings s = c->settings;
    heist__sim_result r;
    snprintf(text, sizeof text, "%.300s%sgrain=%.6f", c->program, strchr(c->program, ':') ? "," : ":", ns);
    heist__sim_program_free(&a->program);
    if (make_program(a, text)) return -1;
    s.workers = c->workers[c->counts - 1];
    if (simulate(a, &a->machine, &s, &r)) return -1;
    const double efficiency = (double)r.work / ((double)r.time * s.workers);
    heist__sim_result_free(&r);
    return efficiency;
}

/* By halving, from a tenth of a nanosecond to a second; 3% exact. */
static int print_limit(answer *a, double wanted)
{
    double low = 0.1, high = 1e9;
    char text[24];
    double best = efficiency_at(a, high);
    if (best < 0) return -EINVAL;
    if (best < wanted) {
        printf("the efficiency is under %.0f%% at every grain: there are too few tasks\n", wanted * 100);
        return 0;
    }
    while (high / low > 1.03) {
        const double middle = low * __builtin_sqrt(high / low), at = efficiency_at(a, middle);
        if (at < 0) return -EINVAL;
        *(at < wanted ? &low : &high) = middle;
    }
    printf("the efficiency falls under %.0f%% below tasks of %s\n", wanted * 100, heist__sim_time(high, text));
    return 0;
}

static int print_limits(answer *a)
{
    a->command->timeline = NULL; /* it has the last of the simulations that are shown */
    int result = print_limit(a, 0.9);
    return result ? result : print_limit(a, 0.5);
}

/* ---- presets ---- */

/* One experiment of the document: the statistics that it prints. */
static int experiment(answer *a, const char *program, unsigned workers, heist__strategy strategy, bool analysed)
{
    heist__sim_settings s = a->command->settings;
    heist__sim_result r;
    char time[24];
    s.workers = a->command->counts ? a->command->workers[0] : workers;
    if (!s.strategy) s.strategy = strategy;
    char text[120];
    snprintf(text, sizeof text, "%s,seed=%llu", program, (unsigned long long)(s.seed % 1000000));
    int result = make_program(a, text);
    if (result) return result;
    result = simulate(a, &a->machine, &s, &r);
    if (!result) {
        const double stolen = (double)heist__sim_stolen(&r), speedup = (double)r.work / (double)r.time;
        printf("%s, %u workers, %s\n", program, s.workers, heist__strategy_words[s.strategy]);
        printf("total tasks executed: %llu\ntotal tasks stolen: %.0f\nsteal rate: %.1f%%\n",
               (unsigned long long)r.tasks, stolen, 100 * stolen / (double)r.tasks);
        print_workers(&r);
        printf("wall time: %s, speed-up: %.2fx", heist__sim_time((double)r.time / 1e3, time), speedup);
        printf(", efficiency: %.1f%%\n%s", 100 * speedup / s.workers, analysed ? "\n" : "");
        heist__sim_result_free(&r);
    }
    heist__sim_program_free(&a->program);
    return result;
}

static int run_preset(answer *a)
{
    const char *name = a->command->preset;
    if (strcmp(name, "basic") == 0)
        return experiment(a, "tasks:n=10,least=0.5s,most=2s", 3, HEIST__STEAL_RANDOM, false);
    if (strcmp(name, "nested") == 0)
        return experiment(a, "spawning:n=5,chance=0.3,every=0.5s", 4, HEIST__STEAL_RANDOM, false);
    if (strcmp(name, "adaptive") == 0)
        return experiment(a, "imbalanced:n=15,first=12,least=1s,most=2s", 4, HEIST__STEAL_MOST_LOADED, false);
    int result = experiment(a, "tasks:n=200,least=0.1s,most=0.1s", 4, HEIST__STEAL_RANDOM, true);
    if (!result) result = experiment(a, "tasks:n=40,least=0.5s,most=0.5s", 4, HEIST__STEAL_RANDOM, true);
    return result ? result : experiment(a, "tasks:n=10,least=2s,most=2s", 4, HEIST__STEAL_RANDOM, true);
}

/* ---- all together ---- */

static void choose_workers(heist__sim_command *c, const heist__sim_machine *m)
{
    if (c->counts) return;
    const unsigned most = m->topology.pu_count;
    for (unsigned n = 1; n < most && c->counts < HEIST__SIM_COUNTS - 1; n *= 2) c->workers[c->counts++] = n;
    c->workers[c->counts++] = most;
}

static int run(answer *a)
{
    heist__sim_command *c = a->command;
    int result = make_program(a, c->program);
    if (result) return result;
    choose_workers(c, &a->machine);
    result = add_rows(a, &a->machine, "");
    for (unsigned i = 0; i < c->what_ifs && !result; i++) result = suppose(a, c->what_if[i]);
    if (!result) heist__sim_print(stdout, c->format, a->program.name, a->machine.name, a->rows, a->count);
    if (!result && c->all_strategies && c->format == HEIST__SIM_TABLE) print_best(a);
    if (!result && c->limits) result = print_limits(a);
    heist__sim_program_free(&a->program);
    return result;
}

int main(int count, char **arguments)
{
    heist__sim_command command;
    answer a = {.command = &command};
    heist__sim_reading reading = heist__sim_command_read(&command, count, arguments, a.error, sizeof a.error);
    if (reading == HEIST__SIM_BAD) return complain(a.error, 2);
    if (reading == HEIST__SIM_OVER) return 0;
    int result = make_machine(&a, &a.machine, command.machine);
    if (!result) result = command.preset ? run_preset(&a) : run(&a);
    heist__sim_machine_free(&a.machine);
    free(a.rows);
    if (!result) return fflush(stdout) == 0 ? 0 : complain("the answer cannot be written", 1);
    return complain(a.error, result == -ENOMEM || result == -EDEADLK || result == -E2BIG ? 1 : 2);
}
