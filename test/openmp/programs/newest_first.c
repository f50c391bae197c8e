/* A task that creates tasks in several places and then waits: the newest runs first, as with libgomp and libomp.
 * Programs that search and leave out branches that cannot be better than the best so far are written for that: here
 * such a search visits a small part of the nodes that it visits in the order of creation, on any number of threads.
 * expect: two 21, three 321, after a wait 214365, in a group 321, within 4231, fewer nodes */
#include <stdio.h>
#include <stdlib.h>

/* ---- the order, with one thread ---- */

static char order[64];
static int ended;

static void note(char what)
{
    order[ended++] = what;
    order[ended] = 0;
}

static void print(const char *name)
{
    printf("%s %s, ", name, order);
    ended = 0;
}

static void two(char first, char second)
{
#pragma omp task
    note(first);
#pragma omp task
    note(second);
#pragma omp taskwait
}

static void three(void)
{
#pragma omp task
    note('1');
#pragma omp task
    note('2');
#pragma omp task
    note('3');
#pragma omp taskwait
}

static void after_a_wait(void)
{
    two('1', '2');
    two('3', '4');
    two('5', '6');
}

static void in_a_group(void)
{
#pragma omp taskgroup
    {
#pragma omp task
        note('1');
#pragma omp task
        note('2');
#pragma omp task
        note('3');
    }
}

static void within(void)
{
#pragma omp task
    note('1');
#pragma omp task
    {
#pragma omp task
        note('3');
#pragma omp task
        note('2');
#pragma omp taskwait
    }
#pragma omp task
    note('4');
#pragma omp taskwait
}

/* Twice: the first time it may be learned what is to come. */
static void twice(const char *name, void (*run)(void))
{
    for (int i = 0; i < 2; i++) {
        ended = 0;
        run();
    }
    print(name);
}

static void two_of_them(void)
{
    two('1', '2');
}

static void orders(void)
{
#pragma omp parallel num_threads(1)
#pragma omp single
#pragma omp task
#pragma omp task
#pragma omp task
    {
        twice("two", two_of_them);
        twice("three", three);
        twice("after a wait", after_a_wait);
        twice("in a group", in_a_group);
        twice("within", within);
    }
}

/* ---- a search ---- */

enum { ITEMS = 24 };

static int value[ITEMS], weight[ITEMS];
static int best;
static long nodes;

static int best_so_far(void)
{
    int now;
#pragma omp atomic read
    now = best;
    return now;
}

static void found(int total)
{
#pragma omp critical
    if (total > best) {
#pragma omp atomic write
        best = total;
    }
}

/* Not worth going on: full, at the end, or even with all that is left no better, however well that fits. */
static int is_over(int item, int room, int total)
{
#pragma omp atomic
    nodes++;
    if (room < 0) return 1;
    if (item == ITEMS || room == 0) {
        found(total);
        return 1;
    }
    return total + room * value[item] / weight[item] <= best_so_far();
}

static void search(int item, int room, int total)
{
    if (is_over(item, room, total)) return;
#pragma omp task
    search(item + 1, room, total);
#pragma omp task
    search(item + 1, room - weight[item], total + value[item]);
#pragma omp taskwait
}

static void search_in_order(int item, int room, int total)
{
    if (is_over(item, room, total)) return;
    search_in_order(item + 1, room, total);
    search_in_order(item + 1, room - weight[item], total + value[item]);
}

static long visited(void)
{
    long visited = nodes;
    nodes = 0;
    best = 0;
    return visited;
}

static int by_worth(const void *a, const void *b)
{
    int i = *(const int *)a, j = *(const int *)b;
    return value[j] * weight[i] - value[i] * weight[j];
}

static void make_items(void)
{
    unsigned seed = 12345;
    int items[ITEMS], values[ITEMS], weights[ITEMS];
    for (int i = 0; i < ITEMS; i++) {
        seed = seed * 1103515245 + 12345;
        value[i] = 20 + (int)(seed >> 16) % 100;
        seed = seed * 1103515245 + 12345;
        weight[i] = 20 + (int)(seed >> 16) % 100;
        items[i] = i;
    }
    qsort(items, ITEMS, sizeof *items, by_worth);
    for (int i = 0; i < ITEMS; i++) {
        values[i] = value[items[i]];
        weights[i] = weight[items[i]];
    }
    for (int i = 0; i < ITEMS; i++) {
        value[i] = values[i];
        weight[i] = weights[i];
    }
}

int main(void)
{
    orders();
    make_items();
    int room = 0;
    for (int i = 0; i < ITEMS; i++) room += weight[i];
    room /= 2;
    search_in_order(0, room, 0);
    int best_in_order = best;
    long in_order = visited();
#pragma omp parallel
#pragma omp single
#pragma omp task
    search(0, room, 0);
    int best_found = best;
    long newest_first = visited();
    if (best_found != best_in_order) printf("the best is %d, not %d, ", best_found, best_in_order);
    if (getenv("VERBOSE")) printf("%ld of %ld, ", newest_first, in_order);
    puts(newest_first < in_order / 4 ? "fewer nodes" : "too many nodes");
    return 0;
}
