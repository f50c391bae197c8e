/* heist-fib: what a spawn costs, and how it scales, on four small problems without any cut-off. Each has a serial twin,
 * every run's result is checked, and runs of all configurations are interleaved, so that what disturbs the machine disturbs
 * all of them; the least and the median time of each are shown. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <heist/heist.h>

#define MAX_RUNS 99
#define MAX_CONFIGURATIONS 16

/* ---- the problems ---- */

static __attribute__((noinline)) long fib_serial(int n)
{
    return n < 2 ? n : fib_serial(n - 1) + fib_serial(n - 2);
}

HEIST_TASK(long, fib, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, fib, n - 1);
    long right = HEIST_CALL(fib, n - 2);
    return HEIST_SYNC(left) + right;
}

static long fib_closed(int n)
{
    long a = 0, b = 1;
    while (n-- > 0) {
        long next = a + b;
        a = b;
        b = next;
    }
    return a;
}

/* A tree with ten children for each inner node; gives the number of leaves. */
static __attribute__((noinline)) long tree_serial(int depth)
{
    __asm__ __volatile__(""); /* or clang finds out that it is a power of ten */
    if (depth == 0) return 1;
    long leaves = 0;
    for (int i = 0; i < 10; i++) leaves += tree_serial(depth - 1);
    return leaves;
}

HEIST_TASK(long, tree, int, depth)
{
    if (depth == 0) return 1;
    HEIST_CHILD(tree) children[10];
    for (int i = 0; i < 10; i++) HEIST_SPAWN_AT(&children[i], tree, depth - 1);
    long leaves = 0;
    for (int i = 9; i >= 0; i--) leaves += HEIST_SYNC_AT(&children[i], tree);
    return leaves;
}

static long power_of_ten(int n)
{
    long p = 1;
    while (n-- > 0) p *= 10;
    return p;
}

/* Queens as most programs place them: a row for each column so far, and a new one is checked against all of them. */
typedef struct {
    signed char row[16];
} board;

static bool fits(const board *b, int column, int row)
{
    for (int c = 0; c < column; c++) {
        int d = b->row[c] - row;
        if (d == 0 || d == column - c || d == c - column) return false;
    }
    return true;
}

static __attribute__((noinline)) long queens_serial(board b, int column, int n)
{
    if (column == n) return 1;
    long solutions = 0;
    for (int row = 0; row < n; row++) {
        if (!fits(&b, column, row)) continue;
        b.row[column] = (signed char)row;
        solutions += queens_serial(b, column + 1, n);
    }
    return solutions;
}

HEIST_TASK(long, queens, board, b, int, column, int, n)
{
    if (column == n) return 1;
    HEIST_CHILD(queens) children[16];
    int count = 0;
    for (int row = 0; row < n; row++) {
        if (!fits(&b, column, row)) continue;
        b.row[column] = (signed char)row;
        HEIST_SPAWN_AT(&children[count++], queens, b, column + 1, n);
    }
    long solutions = 0;
    while (count > 0) solutions += HEIST_SYNC_AT(&children[--count], queens);
    return solutions;
}

/* Published counts of solutions, for boards up to 15. */
static long queens_known(int n)
{
    static const long solutions[] = {1, 1, 0, 0, 2, 10, 4, 40, 92, 352, 724, 2680, 14200, 73712, 365596, 2279184};
    return solutions[n];
}

/* Nodes of the queens' search tree but its root: the spawns. */
static long queens_nodes(board b, int column, int n)
{
    long nodes = 0;
    for (int row = 0; column < n && row < n; row++) {
        if (!fits(&b, column, row)) continue;
        b.row[column] = (signed char)row;
        nodes += 1 + queens_nodes(b, column + 1, n);
    }
    return nodes;
}

/* Many tasks from one loop, joined in the order of their spawning. */
HEIST_TASK(long, one, long, i)
{
    return i;
}

typedef HEIST_CHILD(one) one_child;

HEIST_TASK(long, wide, one_child *, children, long, n)
{
    for (long i = 0; i < n; i++) HEIST_SPAWN_AT(&children[i], one, i);
    long sum = 0;
    for (long i = 0; i < n; i++) sum += HEIST_SYNC_AT(&children[i], one);
    return sum;
}

static __attribute__((noinline)) long one_serial(long i)
{
    return i;
}

static one_child *wide_children;

static long run_fib_serial(int n)
{
    return fib_serial(n);
}
static long run_tree_serial(int n)
{
    return tree_serial(n);
}
static long run_queens_serial(int n)
{
    return queens_serial((board){{0}}, 0, n);
}

static long run_wide_serial(int n)
{
    long sum = 0;
    for (long i = 0; i < power_of_ten(n); i++) sum += one_serial(i);
    return sum;
}

static long run_fib(heist_pool *pool, int n)
{
    return HEIST_RUN(pool, fib, n);
}
static long run_tree(heist_pool *pool, int n)
{
    return HEIST_RUN(pool, tree, n);
}
static long run_queens(heist_pool *pool, int n)
{
    return HEIST_RUN(pool, queens, (board){{0}}, 0, n);
}
static long run_wide(heist_pool *pool, int n)
{
    return HEIST_RUN(pool, wide, wide_children, power_of_ten(n));
}

static long fib_spawns(int n)
{
    return fib_closed(n + 1) - 1;
}
static long tree_spawns(int n)
{
    return (power_of_ten(n + 1) - 10) / 9;
}
static long queens_spawns(int n)
{
    return queens_nodes((board){{0}}, 0, n);
}
static long wide_sum(int n)
{
    return power_of_ten(n) * (power_of_ten(n) - 1) / 2;
}

static const struct problem {
    const char *name, *unit;
    int size, least, most;
    long (*serial)(int size);
    long (*heist)(heist_pool *pool, int size);
    long (*expected)(int size);
    long (*spawns)(int size);
} problems[] = {
    {"fib", "fib(n)", 36, 1, 50, run_fib_serial, run_fib, fib_closed, fib_spawns},
    {"tree", "10^n leaves, ten-way", 6, 1, 8, run_tree_serial, run_tree, power_of_ten, tree_spawns},
    {"nqueens", "board of n", 12, 4, 15, run_queens_serial, run_queens, queens_known, queens_spawns},
    {"wide", "10^n tasks from one loop", 6, 1, 7, run_wide_serial, run_wide, wide_sum, power_of_ten},
};

/* ---- measuring ---- */

struct configuration {
    heist_pool *pool; /* NULL: serial */
    unsigned workers;
    double seconds[MAX_RUNS];
};

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool measure_once(const struct problem *p, int size, struct configuration *c, int run)
{
    double start = now();
    long result = c->pool ? p->heist(c->pool, size) : p->serial(size);
    double seconds = now() - start;
    if (run >= 0) c->seconds[run] = seconds;
    if (result == p->expected(size)) return true;
    fprintf(stderr, "heist-fib: %s(%d) gave %ld with %u workers; %ld is right\n", p->name, size, result, c->workers,
            p->expected(size));
    return false;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static bool measure(const struct problem *p, int size, struct configuration *all, int count, int runs)
{
    for (int run = -1; run < runs; run++) { /* the first warms up */
        if (isatty(STDERR_FILENO)) fprintf(stderr, "\r%s: run %d of %d \r", p->name, run + 1, runs);
        for (int i = 0; i < count; i++) {
            if (!measure_once(p, size, &all[i], run)) return false;
        }
    }
    double spawns = (double)p->spawns(size);
    for (int i = 0; i < count; i++) qsort(all[i].seconds, (size_t)runs, sizeof(double), ascending);
    for (int i = 0; i < count; i++) {
        double least = all[i].seconds[0], median = all[i].seconds[runs / 2];
        char who[32] = "serial";
        if (all[i].pool) snprintf(who, sizeof who, "heist, %u worker%s", all[i].workers, all[i].workers > 1 ? "s" : "");
        printf("%-8s %4d  %-18s %10.3f %10.3f %10.2f %10.2f %10.2f\n", p->name, size, who, least * 1e3, median * 1e3,
               least * 1e9 / spawns, all[0].seconds[0] / least, all[1].seconds[0] / least);
    }
    return true;
}

/* ---- the command ---- */

static void usage(FILE *to)
{
    fputs("usage: heist-fib [PROBLEM[=SIZE] ...] [--workers 1,2,...] [--runs K]\n\n"
          "What a spawn costs and how it scales, without any cut-off, beside the serial program. Problems:\n",
          to);
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++)
        fprintf(to, "  %-8s %s, n = %d (%d to %d)\n", problems[i].name, problems[i].unit, problems[i].size,
                problems[i].least, problems[i].most);
    fputs("Without a problem, all of them. Workers: 1 and 2. Runs: 7, interleaved, after one to warm up.\n", to);
}

static int fail(const char *what, const char *about)
{
    fprintf(stderr, "heist-fib: %s: %s\n", about, what);
    return 2;
}

static bool number(const char *text, long least, long most, long *value, char end)
{
    char *rest;
    errno = 0;
    *value = strtol(text, &rest, 10);
    return rest != text && (*rest == '\0' || *rest == end) && errno == 0 && *value >= least && *value <= most;
}

static int read_workers(const char *text, struct configuration *all, int *count)
{
    *count = 1;
    for (; text; text = strchr(text, ',') ? strchr(text, ',') + 1 : NULL) {
        long workers;
        if (*count == MAX_CONFIGURATIONS || !number(text, 1, HEIST_MAX_WORKERS, &workers, ','))
            return fail("is no list of numbers of workers", text);
        all[(*count)++].workers = (unsigned)workers;
    }
    return 0;
}

static int read_problem(const char *text, int sizes[])
{
    size_t length = strcspn(text, "=");
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const struct problem *p = &problems[i];
        long size = p->size;
        if (strlen(p->name) != length || strncmp(p->name, text, length) != 0) continue;
        if (text[length] && !number(text + length + 1, p->least, p->most, &size, '\0'))
            return fail("is no possible size", text);
        sizes[i] = (int)size;
        return 0;
    }
    return fail("is no problem; --help lists them", text);
}

static int read_arguments(int argc, char **argv, int sizes[], struct configuration *all, int *count, long *runs)
{
    bool chosen = false;
    int error = read_workers("1,2", all, count);
    for (int i = 1; i < argc && !error; i++) {
        bool value = i + 1 < argc;
        if (strcmp(argv[i], "--workers") == 0 && value) {
            error = read_workers(argv[++i], all, count);
        } else if (strcmp(argv[i], "--runs") == 0 && value) {
            if (!number(argv[++i], 1, MAX_RUNS, runs, '\0')) error = fail("is no possible number of runs", argv[i]);
        } else if (argv[i][0] == '-') {
            error = fail("is no option, or wants a value; --help lists them", argv[i]);
        } else {
            error = read_problem(argv[i], sizes);
            chosen = true;
        }
    }
    for (size_t i = 0; !chosen && i < sizeof problems / sizeof *problems; i++) sizes[i] = problems[i].size;
    return error;
}

int main(int argc, char **argv)
{
    static struct configuration all[MAX_CONFIGURATIONS];
    int sizes[sizeof problems / sizeof *problems] = {0}, count;
    long runs = 7;
    if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
        usage(stdout);
        return 0;
    }
    int error = read_arguments(argc, argv, sizes, all, &count, &runs);
    if (error) return error;
    wide_children = malloc((size_t)power_of_ten(sizes[3] ? sizes[3] : 1) * sizeof *wide_children);
    if (!wide_children) return fail("no memory", "wide");
    for (int i = 1; i < count; i++) {
        heist_options options = HEIST_OPTIONS_INIT;
        options.workers = all[i].workers;
        all[i].pool = heist_pool_new(&options);
        if (!all[i].pool) return fail(heist_explain(), "no pool");
    }
    printf("%-8s %4s  %-18s %10s %10s %10s %10s %10s\n", "problem", "n", "", "least ms", "median ms", "ns/spawn",
           "vs serial", "vs first");
    for (size_t i = 0; i < sizeof problems / sizeof *problems && !error; i++) {
        if (sizes[i] && !measure(&problems[i], sizes[i], all, count, (int)runs)) error = 1;
    }
    for (int i = 1; i < count; i++) heist_pool_free(all[i].pool);
    free(wide_children);
    return error;
}
