/* soak: draws a pool and a few programs from a seed, runs them together, looks whether every task has run exactly
 * once and every sum is right, and begins again, for as long as it was told. The first failure ends it, with the
 * seed. */
#include <errno.h>
#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../unit/watchdog.h"
#include "soak.h"

enum { MOST_AT_ONCE = 3, PATIENCE_S = 120 };

static struct {
    double seconds;
    uint64_t rounds; /* 0: as many as there is time for */
    uint64_t seed;
    bool seed_given, cases;
    int delays; /* -1: drawn for each round */
    const char *point, *only;
    unsigned point_us;
} asked = {.seconds = 10, .delays = -1, .point_us = 1000};

static volatile sig_atomic_t interrupted;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* ---- a round ---- */

typedef struct {
    const soak_scenario *scenario;
    heist_pool *pool;
    chance chance;
    const char *wrong;
    pthread_t thread;
} performance;

typedef struct {
    uint64_t number, seed;
    heist_options options;
    delay_amount delays;
    unsigned count;
    performance parts[MOST_AT_ONCE];
} soak_round;

static soak_round current; /* also read by the watchdog */

static void draw_options(heist_options *o, chance *c)
{
    static const char *const machines[] = {
        NULL, NULL, NULL, "pack:2 [numa] core:4 pu:2", "[numa] core:2 pu:1", "pack:4 [numa] core:2 pu:2"};
    *o = (heist_options)HEIST_OPTIONS_INIT;
    o->workers = chance_one_in(c, 3) ? 16 : 1 + chance_below(c, 8);
    o->strategy = (heist_strategy)chance_below(c, HEIST_STRATEGY_ADAPTIVE + 1);
    o->amount = (heist_amount)chance_below(c, HEIST_AMOUNT_HALF + 1);
    o->fences = (heist_fences)chance_below(c, HEIST_FENCES_BOTH + 1);
    o->topology = machines[chance_below(c, sizeof machines / sizeof *machines)];
#ifndef HEIST_HAVE_HWLOC
    o->topology = NULL; /* nothing can be described */
#endif
    o->bind = o->topology ? HEIST_BIND_NONE : (heist_bind)chance_below(c, HEIST_BIND_NODE + 1);
    o->spin = 1 + chance_below(c, 40);
    o->seed = chance_draw(c) | 1;
    o->inbox = chance_one_in(c, 2) ? 2 + chance_below(c, 30) : 0;
    o->slots = chance_one_in(c, 2) ? 1024 : 0;
}

static void describe_round(FILE *to)
{
    const heist_options *o = &current.options;
    fprintf(to,
            "round %llu: %u workers, strategy %d, amount %d, fences %d, bind %d, spin %u, inbox %zu, slots %zu, on %s, "
            "delays %d;",
            (unsigned long long)current.number, o->workers, (int)o->strategy, (int)o->amount, (int)o->fences,
            (int)o->bind, o->spin, o->inbox, o->slots, o->topology ? o->topology : "this machine", (int)current.delays);
    for (unsigned i = 0; i < current.count; i++) fprintf(to, " %s", current.parts[i].scenario->name);
    fprintf(to, "\n");
}

static void failed(const char *what)
{
    fprintf(stderr, "\nsoak: %s\nin ", what);
    describe_round(stderr);
    fprintf(stderr, "repeat it with: --seed 0x%llx --rounds 100%s%s\n", (unsigned long long)current.seed,
            asked.only ? " --only " : "", asked.only ? asked.only : "");
}

static void bite(int signal)
{
    long lost_ms, wall_ms;
    (void)signal;
    if (watchdog_waits(&lost_ms, &wall_ms)) return;
    failed("a round has not ended in time"); /* not safe in a handler, but the process is lost anyway */
    abort();
}

static void *perform(void *argument)
{
    performance *p = argument;
    p->wrong = p->scenario->run(p->pool, p->chance);
    return NULL;
}

static const soak_scenario *draw_scenario(chance *c)
{
    const soak_scenario *drawn = &soak_scenarios[chance_below(c, soak_scenario_count)];
    for (unsigned i = 0; asked.only && i < soak_scenario_count; i++) {
        if (strcmp(soak_scenarios[i].name, asked.only) == 0) drawn = &soak_scenarios[i];
    }
    return drawn;
}

/* Runs the round that is drawn from `seed`. False: something went wrong, and has been told. */
static bool run_round(uint64_t number, uint64_t seed, uint64_t *steals)
{
    chance c = chance_from(seed, 0);
    memset(&current, 0, sizeof current);
    current.number = number;
    current.seed = seed;
    draw_options(&current.options, &c);
    current.delays = asked.delays >= 0 ? (delay_amount)asked.delays : (delay_amount)chance_below(&c, 3);
    current.count = 1 + chance_below(&c, MOST_AT_ONCE);
    for (unsigned i = 0; i < current.count; i++) {
        current.parts[i].scenario = draw_scenario(&c);
        current.parts[i].chance = chance_from(seed, i + 1);
    }
    watchdog_set(PATIENCE_S, bite);
    delay_set(current.delays, seed, asked.point, asked.point_us);
    heist_pool *pool = heist_pool_new(&current.options);
    if (!pool) {
        failed(heist_explain());
        return false;
    }
    unsigned started = 0;
    for (; started < current.count; started++) {
        current.parts[started].pool = pool;
        if (pthread_create(&current.parts[started].thread, NULL, perform, &current.parts[started])) break;
    }
    const char *wrong = started < current.count ? "a thread could not be made" : NULL;
    for (unsigned i = 0; i < started; i++) {
        pthread_join(current.parts[i].thread, NULL);
        if (current.parts[i].wrong) wrong = current.parts[i].wrong;
    }
    heist_stats stats = {.size = sizeof stats};
    heist_stats_read(pool, &stats);
    *steals += stats.leapfrogs;
    for (int level = 0; level < HEIST_LEVELS; level++) *steals += stats.steal_got[level];
    if (heist_pool_free(pool)) wrong = "a pool could not be ended";
    alarm(0);
    if (wrong) failed(wrong);
    return !wrong;
}

/* ---- the soak ---- */

static void progress(double began, uint64_t rounds, uint64_t steals)
{
    static double next;
    double t = now();
    if (!isatty(STDERR_FILENO) || t < next) return;
    next = t + 0.5;
    fprintf(stderr, "\r%6.0f of %.0f s, %llu rounds, %llu tasks, %llu steals ", t - began, asked.seconds,
            (unsigned long long)rounds, (unsigned long long)atomic_load(&soak_tasks), (unsigned long long)steals);
}

static int soak(void)
{
    double began = now();
    uint64_t rounds = 0, steals = 0;
    bool right = true;
    chance seeds = chance_from(asked.seed, 99);
    while (right && !interrupted && (asked.rounds ? rounds < asked.rounds : now() - began < asked.seconds)) {
        /* A seed that was given is that of one round: the others only repeat it, since its threads race anew. */
        right = run_round(rounds, asked.seed_given ? asked.seed : chance_draw(&seeds), &steals);
        progress(began, ++rounds, steals);
    }
    if (isatty(STDERR_FILENO)) fprintf(stderr, "\n");
    printf("soak: %llu rounds, %llu tasks, %llu steals in %.1f s%s; %s\n", (unsigned long long)rounds,
           (unsigned long long)atomic_load(&soak_tasks), (unsigned long long)steals, now() - began,
           interrupted ? ", interrupted" : "", right ? "every task has run once, every sum is right" : "FAILED");
    if (asked.cases)
        printf("soak:nothing_is_lost_doubled_or_torn:%s\n\n-----------------------\n1 Tests %d Failures 0 Ignored\n",
               right ? "PASS" : "FAIL", right ? 0 : 1);
    return right ? 0 : 1;
}

/* ---- the command line ---- */

static void usage(FILE *to)
{
    fputs(
        "usage: soak [--for TIME] [--seed N] [--rounds N] [--delays none|some|many] [--point FILE:LINE[=US]]\n"
        "            [--only PROGRAM] [--cases]\n"
        "Random programs on random pools, with random delays at the atomic accesses of the library. Ends at the first\n"
        "task that was lost, run twice or torn, and says which seed it was.\n\n"
        "  --for TIME       how long: 90, 90s, 10m, 2h (default: 10s)\n"
        "  --rounds N       so many rounds, however long they take\n"
        "  --seed N         the round with this seed, again and again\n"
        "  --delays HOW     none, some, many (default: drawn for each round)\n"
        "  --point F:L=US   hold up every thread that passes this line of the library, e.g. task_deque.c:214=500\n"
        "  --only PROGRAM   only this one:",
        to);
    for (unsigned i = 0; i < soak_scenario_count; i++) fprintf(to, " %s", soak_scenarios[i].name);
    fputs("\n  --cases          end with a summary as Unity's\n", to);
}

static int wrong_use(const char *what, const char *text)
{
    fprintf(stderr, "soak: %s: %s\n", what, text);
    return 2;
}

static bool read_time(const char *text, double *seconds)
{
    char *end;
    *seconds = strtod(text, &end);
    if (end == text || !(*seconds > 0)) return false;
    if (*end == 'm') *seconds *= 60;
    if (*end == 'h') *seconds *= 3600;
    return *end == '\0' || (strchr("smh", *end) && end[1] == '\0');
}

static bool read_number(const char *text, uint64_t *number)
{
    char *end;
    errno = 0;
    *number = strtoull(text, &end, 0);
    return end != text && *end == '\0' && errno == 0 && *text != '-';
}

static bool read_point(char *text)
{
    char *equals = strchr(text, '=');
    uint64_t us = asked.point_us;
    if (equals) {
        *equals = '\0';
        if (!read_number(equals + 1, &us) || us > 900000) return false;
    }
    asked.point = text;
    asked.point_us = (unsigned)us;
    return strchr(text, ':') != NULL;
}

static bool known_scenario(const char *name)
{
    for (unsigned i = 0; i < soak_scenario_count; i++) {
        if (strcmp(soak_scenarios[i].name, name) == 0) return true;
    }
    return false;
}

static int read_arguments(int count, char **arguments)
{
    static const struct option options[] = {{"for", 1, NULL, 'f'},    {"seed", 1, NULL, 's'},  {"rounds", 1, NULL, 'r'},
                                            {"delays", 1, NULL, 'd'}, {"point", 1, NULL, 'p'}, {"only", 1, NULL, 'o'},
                                            {"cases", 0, NULL, 'c'},  {"help", 0, NULL, 'h'},  {NULL, 0, NULL, 0}};
    static const char *const amounts[] = {"none", "some", "many"};
    for (int option; (option = getopt_long(count, arguments, "h", options, NULL)) != -1;) {
        switch (option) {
        case 'f':
            if (!read_time(optarg, &asked.seconds)) return wrong_use("not a time", optarg);
            break;
        case 's':
            if (!read_number(optarg, &asked.seed)) return wrong_use("not a seed", optarg);
            asked.seed_given = true;
            break;
        case 'r':
            if (!read_number(optarg, &asked.rounds) || !asked.rounds)
                return wrong_use("not a number of rounds", optarg);
            break;
        case 'd':
            for (int i = 0; i < 3; i++) {
                if (strcmp(optarg, amounts[i]) == 0) asked.delays = i;
            }
            if (asked.delays < 0) return wrong_use("delays are none, some or many, not", optarg);
            break;
        case 'p':
            if (!read_point(optarg)) return wrong_use("not a point as task_deque.c:214=500", optarg);
            break;
        case 'o':
            if (!known_scenario(optarg)) return wrong_use("no such program", optarg);
            asked.only = optarg;
            break;
        case 'c': asked.cases = true; break;
        case 'h': usage(stdout); exit(0);
        default: usage(stderr); return 2;
        }
    }
    return optind == count ? 0 : wrong_use("unknown argument", arguments[optind]);
}

static void interrupt(int signal)
{
    (void)signal;
    interrupted = 1;
}

int main(int count, char **arguments)
{
    int error = read_arguments(count, arguments);
    if (error) return error;
    if (!asked.seed_given) asked.seed = (uint64_t)time(NULL) * 1000003 + (uint64_t)getpid();
    signal(SIGINT, interrupt);
    return soak();
}
