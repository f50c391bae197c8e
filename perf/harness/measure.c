/* Measures the cells of a plan, group by group. The cells of a group are processes that live side by side, all but one
 * of them stopped, and take turns run by run. A disturbance of the machine thus disturbs all of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cell.h"
#include "harness/json.h"
#include "harness/others.h"

/* Cells that live side by side: each holds its input in memory. */
#define MOST_IN_GROUP 24
#define MOST_NOTICE 400

static void progress(const struct perf_cell *cell, const char *what, long run, long runs)
{
    if (!isatty(STDERR_FILENO)) return;
    fprintf(stderr, "\r\033[K%s %s, %s, %u worker%s: ", cell->workload->name, cell->size, cell->offer->runtime,
            cell->workers, cell->workers > 1 ? "s" : "");
    if (run > 0)
        fprintf(stderr, "run %ld of %ld", run, runs);
    else
        fputs(what, stderr);
    fflush(stderr);
}

static void end_progress(void)
{
    if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
}

static void fail(struct perf_cell *cell, const char *why)
{
    cell->failed = true;
    snprintf(cell->check, sizeof cell->check, "%s", why);
    perf_child_kill(&cell->child);
}

static bool is_interruption(const char *check)
{
    return strncmp(check, "interrupted", strlen("interrupted")) == 0;
}

/* The cell's process has ended. An interruption is no failure: its right runs remain right. */
static void lose(struct perf_cell *cell, const char *why)
{
    if (!is_interruption(why)) fail(cell, why);
}

/* Likewise, by its own fault: it crashed, ended, or does not answer. */
static void lose_process(struct perf_cell *cell, const char *why)
{
    lose(cell, why);
    cell->without_result = cell->failed;
}

static bool is_peer(const struct perf_cell *cell)
{
    return strcmp(cell->offer->runtime, "heist") != 0 && strcmp(cell->offer->runtime, "serial") != 0;
}

/* A cell without an outcome cannot report its settings: this writes them, under the names that they have in other
 * rows. */
static void tell_settings(struct perf_cell *cell)
{
    char *text = cell->outcome.more;
    size_t used = 0, room = sizeof cell->outcome.more;
    const struct perf_option *options = cell->workload->options;
    for (size_t i = 0; options && options[i].name; i++) {
        const char *value = cell->settings[i];
        const char *quote = value[strspn(value, "0123456789")] || (value[0] == '0' && value[1]) ? "\"" : "";
        char name[64];
        if (!perf_option_matters(&options[i], cell->offer->runtime, cell->size) || !value[0] || strpbrk(value, "\"\\"))
            continue;
        snprintf(name, sizeof name, "%s", options[i].name);
        for (char *c = name; *c; c++)
            if (*c == '-') *c = '_';
        size_t length = strlen(name) + strlen(value) + sizeof ",\"\":\"\"";
        if (length > room - used) return;
        used +=
            (size_t)snprintf(text + used, room - used, "%s\"%s\":%s%s%s", used ? "," : "", name, quote, value, quote);
    }
}

/* Concatenates the settings in the form of the protocol. */
static void fill_request(struct perf_request *request, const struct perf_cell *cell)
{
    memset(request, 0, sizeof *request);
    request->order = PERF_PREPARE;
    request->workers = cell->workers;
    snprintf(request->workload, sizeof request->workload, "%s", cell->workload->name);
    snprintf(request->runtime, sizeof request->runtime, "%s", cell->offer->runtime);
    snprintf(request->size, sizeof request->size, "%s", cell->size);
    char *at = request->settings, *end = request->settings + sizeof request->settings - 1;
    for (size_t i = 0; cell->workload->options && cell->workload->options[i].name; i++) {
        const char *name = cell->workload->options[i].name, *value = cell->settings[i];
        if (at + strlen(name) + strlen(value) + 2 > end) perf_give_up("the settings are too long");
        at = stpcpy(stpcpy(at, name) + 1, value) + 1;
    }
}

/* Reports the failure of a runtime, once for all sizes and numbers of workers. */
static void tell_of(const char *runtime, const char *what, const char *why)
{
    static struct notice {
        struct notice *before;
        char text[MOST_NOTICE];
    } * told;
    char text[MOST_NOTICE];
    snprintf(text, sizeof text, "%s %s: %s", runtime, what, why);
    for (const struct notice *n = told; n; n = n->before)
        if (strcmp(text, n->text) == 0) return;
    end_progress();
    perf_complain("%s", text);
    struct notice *notice = perf_allocate(1, sizeof *notice);
    memcpy(notice->text, text, sizeof text);
    notice->before = told;
    told = notice;
}

/* Starts and prepares one cell. A runtime that is missing here is reported and has no row. */
static void begin(struct perf_cell *cell, const struct perf_command *command)
{
    static struct perf_request request;
    static struct perf_answer answer;
    char error[256];
    progress(cell, "prepares", 0, 0);
    cell->begun = true;
    if (perf_child_start(&cell->child, cell->offer->program, cell->workers, error, sizeof error)) {
        lose(cell, error);
        return;
    }
    fill_request(&request, cell);
    if (perf_child_ask(&cell->child, &request, &answer, (double)command->limit, error, sizeof error)) {
        lose_process(cell, error);
    } else if (answer.result == -ENOTSUP) {
        tell_of(cell->offer->runtime, "is left out", answer.error);
        cell->begun = false;
        perf_child_kill(&cell->child);
    } else if (answer.result) {
        lose(cell, answer.error[0] ? answer.error : strerror(-answer.result));
    }
}

/* Records one right run. The outcome of the fastest run is shown, or of the last where each covers all runs before
 * it. */
static void keep(struct perf_cell *cell, const struct perf_answer *answer)
{
    bool fastest = true;
    for (long i = 0; i < cell->runs; i++) fastest = fastest && answer->ns < cell->ns[i];
    if (fastest) cell->cpu_ns = answer->cpu_ns;
    if (fastest || answer->outcome.of_all_runs) cell->outcome = answer->outcome;
    cell->ns[cell->runs++] = answer->ns;
}

static void run(struct perf_cell *cell, const struct perf_command *command, bool warm)
{
    static const struct perf_request request = {.order = PERF_RUN};
    static struct perf_answer answer;
    char error[256];
    progress(cell, "warms up", warm ? cell->runs + 1 : 0, command->runs);
    if (perf_child_ask(&cell->child, &request, &answer, (double)command->limit, error, sizeof error)) {
        lose_process(cell, error);
        return;
    }
    bool ok = strcmp(answer.outcome.check, "ok") == 0;
    if (!perf_json_members_valid(answer.outcome.more)) {
        fail(cell, "its members of the row are not JSON");
    } else if (!ok) {
        if (cell->runs == 0) {
            cell->outcome = answer.outcome;
            snprintf(cell->check, sizeof cell->check, "%s", answer.outcome.check);
        }
        lose(cell, answer.outcome.check);
    } else {
        snprintf(cell->check, sizeof cell->check, "ok");
        if (warm)
            keep(cell, &answer);
        else
            cell->outcome = answer.outcome; /* in case nothing else follows */
    }
}

static int by_time(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Lets the processes end and completes their rows. Returns the number of failures that make the status 1. */
static int end_group(struct perf_cell **cells, size_t count)
{
    int failed = 0;
    char error[256];
    for (size_t i = 0; i < count; i++) {
        struct perf_cell *cell = cells[i];
        if (perf_child_quit(&cell->child, error, sizeof error) && !perf_caught_signal()) lose_process(cell, error);
        if (cell->begun && !cell->failed && cell->runs == 0 && !is_interruption(cell->check))
            snprintf(cell->check, sizeof cell->check, "interrupted");
        if (cell->begun && !cell->outcome.check[0]) tell_settings(cell);
        qsort(cell->ns, (size_t)cell->runs, sizeof *cell->ns, by_time);
        if (cell->without_result && is_peer(cell))
            tell_of(cell->offer->runtime, "has failed", cell->check);
        else
            failed += cell->failed;
    }
    return failed;
}

static int measure_group(struct perf_cell **cells, size_t count, const struct perf_command *command)
{
    for (size_t i = 0; i < count && !perf_caught_signal(); i++) begin(cells[i], command);
    for (long round = -1; round < command->runs; round++) { /* the first warms up */
        for (size_t i = 0; i < count; i++) {
            /* Another cell begins each round: no cell always follows the same one. The serial program, if present,
             * begins the first round that counts: others are compared with it, and an interrupted measurement may have
             * no more rounds. */
            struct perf_cell *cell = cells[(i + (size_t)(round > 0 ? round : 0)) % count];
            if (cell->child.pid && !perf_caught_signal()) run(cell, command, round >= 0);
        }
    }
    return end_group(cells, count);
}

/* How many cells from `first` on are of one workload and size. */
static size_t group_size(const struct perf_plan *plan, size_t first)
{
    size_t end = first;
    while (end < plan->count && end - first < MOST_IN_GROUP &&
           plan->cells[end]->workload == plan->cells[first]->workload &&
           plan->cells[end]->size == plan->cells[first]->size)
        end++;
    return end - first;
}

/* If the first measurement was very short, the load of other programs is observed a little longer. */
static void tell_others_of_moments(struct perf_plan *plan, const struct perf_since *start)
{
    double others = -1;
    for (size_t i = 0; i < plan->count && !perf_caught_signal(); i++) {
        if (plan->cells[i]->others >= 0 || plan->cells[i]->runs == 0) continue;
        if (others < 0) {
            perf_since_long_enough(start);
            others = perf_others(start, start);
            if (others < 0) return; /* not known */
        }
        plan->cells[i]->others = others;
    }
}

int perf_measure(struct perf_plan *plan, const struct perf_command *command)
{
    int failed = 0;
    struct perf_since start = perf_since_now();
    for (size_t first = 0; first < plan->count && !perf_caught_signal();) {
        size_t count = group_size(plan, first);
        struct perf_since begin = perf_since_now();
        failed += measure_group(&plan->cells[first], count, command);
        double others = perf_others(&begin, &start);
        for (size_t i = first; i < first + count; i++) plan->cells[i]->others = others;
        first += count;
    }
    tell_others_of_moments(plan, &start);
    end_progress();
    return failed ? 1 : 0;
}
