/* held_up: a thread is descheduled at each atomic access of the library in turn; the others must go on. While one
 * stands still those that wait for what it has (a join of the child that it runs, the end of a scope that its task
 * is in) wait by design; the rest has to get on with other work, about as fast as before. And it has to go on
 * stealing, in every way there is: a lock around a steal stops only thieves. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../unit/canary.h"
#include "held_up.h"

static const char usage[] = "usage: held_up [--hold 30ms|1s] [--only PART-OF-NAME] [--table] [--priorities]\n"
                            "  --hold    how long a thread stands still (30ms)\n"
                            "  --only    only points in functions or files with this in their name\n"
                            "  --table   a line for each point, not only for each function\n"
                            "  --priorities   only threads that wait for one of lower priority\n";

typedef struct {
    unsigned hold_ms;
    const char *only;
    bool table, priorities;
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
        } else if (strcmp(argv[i], "--priorities") == 0) {
            s->priorities = true;
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

static const char *const deed_names[DEEDS] = {
    [DID_TASK] = "run tasks",
    [DID_STEAL] = "steal",
    [DID_CHILD] = "run others' children",
    [DID_LOOSE] = "run others' detached tasks",
    [DID_LEAP] = "steal back from a child's thief",
    [DID_SUBMITTED] = "run what was submitted",
    [DID_SUBMIT] = "submit",
};

/* The deeds of all workers in a millisecond while no thread is held up. */
typedef struct {
    double of[DEEDS];
} rates;

static uint64_t sum_of(const deeds *d, deed which)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < work_workers(); i++) sum += d->of[which][i];
    return sum;
}

static void usual_rates(unsigned ms, rates *r)
{
    deeds before, after;
    double begin = now_ms();
    work_done(&before);
    do {
        sleep_ms(ms);
        work_done(&after);
    } while (sum_of(&after, DID_TASK) == sum_of(&before, DID_TASK)); /* a busy machine */
    double passed = now_ms() - begin;
    for (unsigned which = 0; which < DEEDS; which++)
        r->of[which] = (double)(sum_of(&after, which) - sum_of(&before, which)) / passed;
}

/* Shares of a usual rate, of all points of a function. */
typedef struct {
    double least, sum;
    unsigned count;
} shares;

static void add_share(shares *s, double share)
{
    if (s->count == 0 || share < s->least) s->least = share;
    s->sum += share;
    s->count++;
}

static void show_shares(const shares *s)
{
    if (s->count)
        printf(" %7.0f%% %7.0f%%", 100 * s->least, 100 * s->sum / s->count);
    else
        printf(" %8s %8s", "-", "-");
}

/* All points of a function together. */
typedef struct {
    const point *first;
    unsigned held, outside, stood;
    shares tasks, steals;
} summary;

static void show(const summary *s)
{
    if (s->held == 0) return;
    printf("%-18s %-30s %6u %8u %6.1f", base_name(s->first->file), s->first->function, s->held, s->outside,
           (double)s->stood / s->held);
    show_shares(&s->tasks);
    show_shares(&s->steals);
    putchar('\n');
}

static bool same_function(const point *a, const point *b)
{
    return strcmp(a->file, b->file) == 0 && strcmp(a->function, b->function) == 0;
}

/* Of what the others did, as a share of what all did before; below 0: that was nothing. */
static double share_of(const holding *h, const rates *usual, deed which)
{
    return usual->of[which] > 0 ? (double)h->others[which] / h->ms / usual->of[which] : -1;
}

/* Returns what too few of the others did, or DEEDS. How fast is only shown: a machine has other things to do. */
static deed hold_at(const settings *s, unsigned number, unsigned most_ms, const rates *usual, summary *sum)
{
    const point *p = points_at(number);
    holding h;
    if (!points_hold(number, s->hold_ms, most_ms, &h)) return DEEDS;
    double tasks = share_of(&h, usual, DID_TASK), steals = share_of(&h, usual, DID_STEAL);
    sum->held++;
    sum->outside += h.worker < 0;
    sum->stood += h.stood;
    add_share(&sum->tasks, tasks);
    if (steals >= 0) add_share(&sum->steals, steals);
    if (s->table)
        printf("%s:%d %s: %s held for %.0f ms; of the others %u did nothing, the rest %.0f%% of the usual tasks and "
               "%.0f%% of the steals (%llu)%s%s\n",
               base_name(p->file), p->line, p->function, h.worker < 0 ? "an outsider" : "a worker", h.ms, h.stood,
               100 * tasks, 100 * steals, (unsigned long long)h.others[DID_STEAL],
               h.lacking == DEEDS ? "" : "; too few: ", h.lacking == DEEDS ? "" : deed_names[h.lacking]);
    return h.lacking;
}

static bool chosen(const settings *s, const point *p)
{
    return !s->only || strstr(p->function, s->only) || strstr(base_name(p->file), s->only);
}

#define CHANCES 9
#define STARVED_CHANCES 20

static unsigned starved; /* points of which nothing can be said, for want of CPU */

/* More than one chance: that all others wait for the one thread by design is rare, but not impossible, and on a busy
 * machine some may not have had a CPU. Where there was none, the chance does not count. */
static bool others_go_on(const settings *s, unsigned number, const rates *usual, summary *sum)
{
    const point *p = points_at(number);
    deed lacking = DEEDS;
    for (unsigned chance = 0, no_cpu = 0; chance < CHANCES;) {
        canary_mark began = canary_now();
        lacking = hold_at(s, number, s->hold_ms << chance, usual, sum);
        if (lacking == DEEDS) return true;
        if (!canary_starved_since(began)) {
            chance++;
        } else if (++no_cpu == STARVED_CHANCES) {
            printf("%s:%d %s: no CPU\n", base_name(p->file), p->line, p->function);
            starved++;
            return true;
        }
    }
    printf("%s:%d %s: held up for up to %u ms, and the others do not %s\n", base_name(p->file), p->line, p->function,
           s->hold_ms << (CHANCES - 1), deed_names[lacking]);
    return false;
}

static const struct {
    work_kind kind;
    const char *name;
    bool new_only; /* only points where no thread has been held up before */
} kinds[] = {
    {WORK_MIXED, "work of every kind", false},
    {WORK_STOLEN, "work to be stolen", false},
    {WORK_SLEEPERS, "work for some, while others sleep", true},
    {WORK_BESIDE, "a worker that sleeps beside one that works", false},
    {WORK_OUTSIDE, "a worker that sleeps until something is submitted", false},
};
#define KINDS (sizeof kinds / sizeof *kinds)

/* A lock has many points within it, and each takes all its chances to be found wanting: so many say enough. */
#define MOST_FAILURES 5

/* Holds a thread up at each point of this kind of work. Returns at how many of them the others stood still. */
static unsigned hold_at_each(const settings *s, unsigned which, unsigned *held)
{
    work_begin(kinds[which].kind);
    unsigned count = points_list(500), failed = 0;
    printf("%s: %u points are passed; one thread is held up for %u ms at each%s\n", kinds[which].name, count,
           s->hold_ms, kinds[which].new_only ? " new one" : "");
    printf("%-18s %-30s %6s %8s %6s %8s %8s %8s %8s\n", "file", "function", "held", "outside", "stood", "least", "mean",
           "steals", "mean");
    summary sum = {0};
    rates usual = {{0}};
    for (unsigned i = 0; i < count && failed < MOST_FAILURES; i++) {
        const point *p = points_at(i);
        if (!chosen(s, p) || (kinds[which].new_only && p->held)) continue;
        if (sum.first && !same_function(sum.first, p)) {
            show(&sum);
            sum = (summary){0};
        }
        if (!sum.first) {
            sum.first = p;
            usual_rates(s->hold_ms, &usual);
        }
        unsigned before = sum.held;
        failed += !others_go_on(s, i, &usual, &sum);
        *held += sum.held > before;
    }
    show(&sum);
    work_end();
    return failed;
}

/* Returns how many cases failed; adds to *tests how many there are, and to *ignored how many had no CPU. */
static unsigned points(const settings *s, unsigned *tests, unsigned *ignored)
{
    unsigned held = 0, failed = 0;
    for (unsigned i = 0; i < KINDS; i++) failed += hold_at_each(s, i, &held);
    const char *trouble = work_trouble();
    printf("a thread was held up at %u points; at %u of them the others stood still, too\n", held, failed);
    bool stood = failed || held == 0, tested = stood || !starved;
    printf("held_up:the_others_go_on:%s\n", stood ? "FAIL" : tested ? "PASS" : "IGNORE: no CPU at some of them");
    printf("held_up:every_result_is_right:%s%s\n", trouble ? "FAIL: " : "PASS", trouble ? trouble : "");
    *tests += 2;
    *ignored += !tested;
    return (unsigned)stood + (trouble != NULL);
}

int main(int argc, char **argv)
{
    settings s = {.hold_ms = 30};
    if (!read_arguments(argc, argv, &s)) {
        fputs(usage, stderr);
        return 2;
    }
    setvbuf(stdout, NULL, _IOLBF, 0);
    canary_begin();
    unsigned tests = 0, failed = 0, ignored = 0;
    if (!s.only) failed += priorities(&tests, &ignored);
    if (!s.priorities) failed += points(&s, &tests, &ignored);
    printf("\n-----------------------\n%u Tests %u Failures %u Ignored\n", tests, failed, ignored);
    return failed > 0;
}
