/* held_up: a thread is descheduled at each atomic access of the library in turn; the others must go on. While one stands still
 * those that wait for what it has (a join of the child that it runs, the end of a scope that its task is in) wait by design;
 * the rest has to get on with other work, about as fast as before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "held_up.h"

static const char usage[] = "usage: held_up [--hold 30ms|1s] [--only PART-OF-NAME] [--table]\n"
                            "  --hold    how long a thread stands still (30ms)\n"
                            "  --only    only points in functions or files with this in their name\n"
                            "  --table   a line for each point, not only for each function\n";

typedef struct {
    unsigned hold_ms;
    const char *only;
    bool table;
} settings;

static unsigned duration_ms(const char *text)
{
    char *unit;
    unsigned long n = strtoul(text, &unit, 10);
    if (n == 0 || n > 100000) return 0;
    if (strcmp(unit, "ms") == 0) return (unsigned)n;
    return strcmp(unit, "s") == 0 ? (unsigned)n * 1000 : 0;
}

static bool read_arguments(int argc, char **argv, settings *s)
{
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--table") == 0) {
            s->table = true;
        } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
            s->only = argv[++i];
        } else if (strcmp(argv[i], "--hold") == 0 && i + 1 < argc) {
            s->hold_ms = duration_ms(argv[++i]);
            if (s->hold_ms == 0) return false;
        } else {
            return false;
        }
    }
    return true;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Tasks per millisecond of all workers while nobody is held up. */
static double usual_rate(unsigned ms)
{
    uint64_t each[MOST_WORKERS], before = work_done(each), after;
    double begin = now_ms();
    do {
        sleep_ms(ms);
        after = work_done(each);
    } while (after == before); /* a busy machine */
    return (double)(after - before) / (now_ms() - begin);
}

/* All points of a function together. */
typedef struct {
    const point *first;
    unsigned points, held, outside, stood;
    double least, sum; /* of the others' rate over the usual one */
} summary;

static void show(const summary *s)
{
    if (s->held == 0) return;
    printf("%-18s %-30s %6u %8u %7.0f%% %7.0f%% %6.1f\n", base_name(s->first->file), s->first->function, s->held,
           s->outside, 100 * s->least, 100 * s->sum / s->held, (double)s->stood / s->held);
}

static bool same_function(const point *a, const point *b)
{
    return strcmp(a->file, b->file) == 0 && strcmp(a->function, b->function) == 0;
}

/* Returns whether enough of the others went on. How fast is only shown: a machine has other things to do. */
static bool hold_at(const settings *s, unsigned number, unsigned ms, double usual, summary *sum)
{
    const point *p = points_at(number);
    holding h;
    if (!points_hold(number, ms, &h)) return true;
    double rate = (double)h.others / h.ms / usual;
    sum->held++;
    sum->outside += h.worker < 0;
    sum->stood += h.stood;
    sum->sum += rate;
    if (sum->held == 1 || rate < sum->least) sum->least = rate;
    if (s->table)
        printf("%s:%d %s: held for %.0f ms (%s): the others did %llu tasks, %.0f%% of the usual rate; %u did none\n",
               base_name(p->file), p->line, p->function, h.ms, h.worker < 0 ? "outside" : "worker",
               (unsigned long long)h.others, 100 * rate, h.stood);
    return work_workers() - (h.worker >= 0 ? 1u : 0u) - h.stood >= work_moving();
}

static bool chosen(const settings *s, const point *p)
{
    return !s->only || strstr(p->function, s->only) || strstr(base_name(p->file), s->only);
}

#define CHANCES 9

/* More than one chance: that all others wait for the one thread by design is rare, but not impossible, and on a busy machine some
 * may not have had a CPU. */
static bool others_go_on(const settings *s, unsigned number, double usual, summary *sum)
{
    for (unsigned chance = 0; chance < CHANCES; chance++) {
        if (hold_at(s, number, s->hold_ms << chance, usual, sum)) return true;
    }
    const point *p = points_at(number);
    printf("%s:%d %s: held up for up to %u ms, and the others do not go on\n", base_name(p->file), p->line, p->function,
           s->hold_ms << (CHANCES - 1));
    return false;
}

/* Holds a thread up at each point of this kind of work. Returns at how many of them the others stood still. */
static unsigned hold_at_each(const settings *s, work_kind kind, unsigned *held)
{
    work_begin(kind);
    unsigned count = points_list(500), failed = 0;
    printf("%s: %u points are passed; one thread is held up for %u ms at each\n",
           kind == WORK_MIXED ? "work of every kind" : "work inside the pool", count, s->hold_ms);
    printf("%-18s %-30s %6s %8s %8s %8s %6s\n", "file", "function", "held", "outside", "least", "mean", "stood");
    summary sum = {0};
    double usual = 0;
    for (unsigned i = 0; i < count; i++) {
        const point *p = points_at(i);
        if (!chosen(s, p)) continue;
        if (sum.first && !same_function(sum.first, p)) {
            show(&sum);
            sum = (summary){0};
        }
        if (!sum.first) {
            sum.first = p;
            usual = usual_rate(s->hold_ms);
        }
        unsigned before = sum.held;
        failed += !others_go_on(s, i, usual, &sum);
        *held += sum.held > before;
    }
    show(&sum);
    work_end();
    return failed;
}

int main(int argc, char **argv)
{
    settings s = {.hold_ms = 30};
    if (!read_arguments(argc, argv, &s)) {
        fputs(usage, stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    unsigned held = 0, failed = hold_at_each(&s, WORK_MIXED, &held);
    failed += hold_at_each(&s, WORK_INSIDE, &held);
    const char *trouble = work_trouble();
    printf("a thread was held up at %u points; at %u of them the others stood still, too\n", held, failed);
    bool stood = failed || held == 0;
    printf("held_up:the_others_go_on:%s\n", stood ? "FAIL" : "PASS");
    printf("held_up:every_result_is_right:%s%s\n", trouble ? "FAIL: " : "PASS", trouble ? trouble : "");
    printf("\n-----------------------\n2 Tests %d Failures 0 Ignored\n", stood + (trouble != NULL));
    return stood || trouble;
}
