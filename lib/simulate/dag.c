/* dag.c: reads a DAG and runs it. A task that has ended makes the tasks that waited for it alone into jobs.
 *
 *     heist-dag 1
 *     tasks 4
 *     100
 *     250.5 0
 *     250.5 0
 *     100 1 2
 *
 * After the number of tasks comes a line for each: its nanoseconds, then the numbers (from 0) of the tasks that must
 * end before it begins. Empty lines and those that begin with # are skipped. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/one_line.h"
#include "simulate/generators.h"

#define MOST_TASKS 20000000
#define MOST_EDGES 200000000

typedef struct {
    uint32_t count;
    int64_t *ps;
    uint32_t *wants;              /* how many tasks must end before it */
    uint32_t *waits;              /* how many of them have not, in the running simulation */
    uint32_t *begin, *successors; /* those of task i: successors[begin[i] .. begin[i + 1] - 1] */
    uint32_t *from, *to;          /* the edges as read */
    size_t edges, room;
} dag;

typedef struct {
    const char *at, *name;
    unsigned line;
    char *error;
    size_t room;
} reader;

static int refuse(const reader *r, const char *what)
{
    snprintf(r->error, r->room, "%.60s:%u: %s", r->name, r->line, what);
    heist__one_line(r->error);
    return -EINVAL;
}

static bool ends_line(char c)
{
    return c == '\0' || c == '\n' || c == '#';
}

/* Goes to the next line that has something. False: the end of the text. */
static bool next_line(reader *r)
{
    for (;;) {
        r->at += strspn(r->at, " \t\r");
        if (!ends_line(*r->at)) return true;
        r->at += strcspn(r->at, "\n");
        if (!*r->at) return false;
        r->at++;
        r->line++;
    }
}

static bool word_is(reader *r, const char *word)
{
    const size_t length = strlen(word);
    if (strncmp(r->at, word, length) != 0) return false;
    if (r->at[length] && !isspace((unsigned char)r->at[length])) return false;
    r->at += length;
    r->at += strspn(r->at, " \t\r");
    return true;
}

static bool whole_number(reader *r, uint64_t most, uint64_t *value)
{
    char *end;
    if (!isdigit((unsigned char)*r->at)) return false;
    errno = 0;
    *value = strtoull(r->at, &end, 10);
    if (errno || *value > most || (*end && !isspace((unsigned char)*end))) return false;
    r->at = end + strspn(end, " \t\r");
    return true;
}

static bool nanoseconds(reader *r, int64_t *ps)
{
    char *end;
    if (!isdigit((unsigned char)*r->at) && *r->at != '.') return false;
    const double ns = strtod(r->at, &end);
    if (!isfinite(ns) || ns < 0 || ns > HEIST__SIM_MOST_NS || (*end && !isspace((unsigned char)*end))) return false;
    *ps = (int64_t)(ns * 1e3 + 0.5);
    r->at = end + strspn(end, " \t\r");
    return true;
}

static int add_edge(reader *r, dag *d, uint32_t from, uint32_t to)
{
    if (d->edges == MOST_EDGES) return refuse(r, "more than 200000000 dependences");
    if (d->edges == d->room) {
        const size_t room = d->room ? d->room * 2 : 1024;
        uint32_t *grown = realloc(d->from, room * sizeof *grown);
        if (grown) d->from = grown;
        uint32_t *grown_too = grown ? realloc(d->to, room * sizeof *grown_too) : NULL;
        if (grown_too) d->to = grown_too;
        if (!grown_too) return -ENOMEM;
        d->room = room;
    }
    d->from[d->edges] = from;
    d->to[d->edges++] = to;
    d->wants[to]++;
    return 0;
}

static int read_task(reader *r, dag *d, uint32_t number)
{
    if (!next_line(r)) return refuse(r, "the file ends before its last task");
    if (!nanoseconds(r, &d->ps[number])) return refuse(r, "a task begins with its nanoseconds, from 0 to a day");
    while (!ends_line(*r->at)) {
        uint64_t before;
        if (!whole_number(r, d->count - 1, &before)) return refuse(r, "not the number of a task");
        if (before == number) return refuse(r, "a task waits for itself");
        int error = add_edge(r, d, (uint32_t)before, number);
        if (error) return error;
    }
    return 0;
}

static int read_head(reader *r, dag *d)
{
    uint64_t version, count;
    if (!next_line(r) || !word_is(r, "heist-dag")) return refuse(r, "not a DAG: \"heist-dag 1\" is missing");
    if (!whole_number(r, 1, &version) || version != 1) return refuse(r, "the version of the format is not 1");
    if (!ends_line(*r->at)) return refuse(r, "more than the version");
    if (!next_line(r) || !word_is(r, "tasks")) return refuse(r, "the number of tasks is missing");
    if (!whole_number(r, MOST_TASKS, &count) || count == 0) return refuse(r, "tasks is from 1 to 20000000");
    if (!ends_line(*r->at)) return refuse(r, "more than the number of tasks");
    /* A task takes two bytes of the file at least: a number that the file cannot hold costs no memory. */
    if (count > strlen(r->at)) return refuse(r, "the file ends before its last task");
    d->count = (uint32_t)count;
    d->ps = calloc(count, sizeof *d->ps);
    d->wants = calloc(count, sizeof *d->wants);
    d->waits = calloc(count, sizeof *d->waits);
    d->begin = calloc(count + 1, sizeof *d->begin);
    return d->ps && d->wants && d->waits && d->begin ? 0 : -ENOMEM;
}

/* Sorts the edges by the task that must end first. */
static int index_edges(dag *d)
{
    d->successors = malloc((d->edges + 1) * sizeof *d->successors);
    if (!d->successors) return -ENOMEM;
    for (size_t i = 0; i < d->edges; i++) d->begin[d->from[i] + 1]++;
    for (uint32_t i = 0; i < d->count; i++) d->begin[i + 1] += d->begin[i];
    for (size_t i = d->edges; i-- > 0;) d->successors[--d->begin[d->from[i] + 1]] = d->to[i];
    /* Each entry is now the beginning of the task before it. */
    memmove(d->begin, d->begin + 1, d->count * sizeof *d->begin);
    d->begin[d->count] = (uint32_t)d->edges;
    free(d->from);
    free(d->to);
    d->from = d->to = NULL;
    return 0;
}

/* The longest path; -EINVAL if not all tasks can run. Uses `waits`. */
static int longest_path(dag *d, int64_t *span)
{
    uint32_t *ready = malloc(d->count * sizeof *ready);
    int64_t *path = calloc(d->count, sizeof *path);
    uint32_t known = 0;
    if (ready && path) {
        memcpy(d->waits, d->wants, d->count * sizeof *d->waits);
        for (uint32_t i = 0; i < d->count; i++) {
            if (d->waits[i] == 0) ready[known++] = i;
        }
        for (uint32_t done = 0; done < known; done++) {
            const uint32_t i = ready[done];
            path[i] += d->ps[i];
            if (path[i] > *span) *span = path[i];
            for (uint32_t e = d->begin[i]; e < d->begin[i + 1]; e++) {
                const uint32_t to = d->successors[e];
                if (path[to] < path[i]) path[to] = path[i];
                if (--d->waits[to] == 0) ready[known++] = to;
            }
        }
    }
    const int result = !ready || !path ? -ENOMEM : known < d->count ? -EINVAL : 0;
    free(ready);
    free(path);
    return result;
}

static void dag_free(void *state)
{
    dag *d = state;
    free(d->ps);
    free(d->wants);
    free(d->waits);
    free(d->begin);
    free(d->successors);
    free(d->from);
    free(d->to);
    free(d);
}

static int dag_begin(void *state, unsigned workers)
{
    (void)workers;
    dag *d = state;
    memcpy(d->waits, d->wants, d->count * sizeof *d->waits);
    return 0;
}

/* word 0: the task's number, word 1: how many of its successors have heard of its end. */
static heist__sim_kind dag_step(void *state, heist__sim_task *t, uint32_t step, const heist__sim_place *place,
                                heist__sim_step *out)
{
    (void)place;
    dag *d = state;
    const uint32_t number = (uint32_t)t->word[0];
    out->ps = d->ps[number];
    if (step == 0) return HEIST__SIM_WORK;
    while (d->begin[number] + t->word[1] < d->begin[number + 1]) {
        const uint32_t to = d->successors[d->begin[number] + t->word[1]++];
        if (--d->waits[to] > 0) continue;
        out->child = (heist__sim_task){{to, 0, 0}};
        return HEIST__SIM_JOB;
    }
    return HEIST__SIM_END;
}

/* The tasks that wait for nothing are on worker 0 from the beginning. */
static int begin_with_sources(heist__sim_program *p, const dag *d)
{
    size_t count = 0;
    for (uint32_t i = 0; i < d->count; i++) count += d->wants[i] == 0;
    p->arrivals = calloc(count, sizeof *p->arrivals);
    if (!p->arrivals) return -ENOMEM;
    for (uint32_t i = d->count; i-- > 0;) { /* the youngest job is the first that the worker takes */
        if (d->wants[i] == 0) p->arrivals[p->arrival_count++].task.word[0] = i;
    }
    return 0;
}

static int read_all(reader *r, heist__sim_program *p, dag *d)
{
    int result = read_head(r, d);
    for (uint32_t i = 0; !result && i < d->count; i++) result = read_task(r, d, i);
    if (!result && next_line(r)) return refuse(r, "more lines than tasks");
    if (!result) result = index_edges(d);
    if (!result) result = longest_path(d, &p->span);
    if (result == -EINVAL && !*r->error) {
        snprintf(r->error, r->room, "%.60s: tasks wait for each other in a circle", r->name);
        heist__one_line(r->error);
    }
    if (!result) result = begin_with_sources(p, d);
    return result;
}

int heist__sim_dag_read(heist__sim_program *p, const char *text, const char *name, char *error, size_t room)
{
    *p = (heist__sim_program){0};
    snprintf(p->name, sizeof p->name, "%.63s", name);
    heist__one_line(p->name);
    dag *d = calloc(1, sizeof *d);
    if (room) *error = '\0';
    reader r = {text, name, 1, error, room};
    p->state = d;
    p->free = dag_free;
    p->step = dag_step;
    p->begin = dag_begin;
    int result = d ? read_all(&r, p, d) : -ENOMEM;
    if (result == -ENOMEM) snprintf(error, room, "%.60s: no memory", name);
    if (result) heist__sim_program_free(p);
    return result;
}
