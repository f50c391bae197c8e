/* inoutset and omp_all_memory, as gcc 13 passes them to GOMP_task: by hand, because older compilers and their libgomp
 * do not have them. Members of an inoutset run in any order and side by side, after the uses before them and before
 * the uses after them. A task that depends on all memory runs after all tasks before it, and before all that come
 * later.
 * only: libgomp
 * expect: 0 0 0 1 */
#include <omp.h>
#include <stdbool.h>
#include <stdio.h>

extern void GOMP_task(void (*)(void *), void *, void (*)(void *, void *), long, long, bool, unsigned, void **, int,
                      void *);
extern void GOMP_taskwait_depend(void **);

enum { DEPEND = 8, INOUTSET = 5, MEMBERS = 9, ROUNDS = 50 };

typedef struct object { /* an omp_depend_t, in which gcc passes what is no in, out or mutexinoutset */
    void *address;
    void *kind;
} object;

typedef struct state {
    int x, y, members, wrong;
    int gate;
    int made, expected[4 * ROUNDS]; /* how many tasks; what those are to find that change all */
} state;

typedef struct argument {
    state *s;
    int number;
} argument;

static void wrong_if(state *s, bool bad)
{
    if (bad) __atomic_add_fetch(&s->wrong, 1, __ATOMIC_RELAXED);
}

static void reset(void *data)
{
    state *s = ((argument *)data)->s;
    wrong_if(s, s->members % MEMBERS != 0);
    s->x = 0;
}

static void member(void *data)
{
    state *s = ((argument *)data)->s;
    __atomic_add_fetch(&s->x, 1, __ATOMIC_RELAXED);
    __atomic_add_fetch(&s->members, 1, __ATOMIC_RELAXED);
}

static void check(void *data)
{
    state *s = ((argument *)data)->s;
    wrong_if(s, s->x != MEMBERS);
}

static void change_all(void *data)
{
    state *s = ((argument *)data)->s;
    wrong_if(s, s->x != s->y || s->x != s->expected[((argument *)data)->number]);
    s->x = s->y = s->x + 1;
}

static void change_x(void *data)
{
    ((argument *)data)->s->x++;
}

static void change_y(void *data)
{
    ((argument *)data)->s->y++;
}

static void open_gate(void *data)
{
    __atomic_store_n(&((argument *)data)->s->gate, 1, __ATOMIC_RELEASE);
}

static void at_gate(void *data)
{
    while (!__atomic_load_n(&((argument *)data)->s->gate, __ATOMIC_ACQUIRE)) {
#pragma omp taskyield
    }
}

static void create(state *s, void (*fn)(void *), void **depend)
{
    argument a = {s, s->made++};
    GOMP_task(fn, &a, NULL, sizeof a, _Alignof(argument), true, DEPEND, depend, 0, NULL);
}

static void create_with(state *s, void (*fn)(void *), void *address, int outs) /* one in, or one out */
{
    void *depend[] = {(void *)1, (void *)(long)outs, address};
    create(s, fn, depend);
}

static void create_member(state *s, void (*fn)(void *))
{
    object o = {&s->x, (void *)INOUTSET};
    void *depend[] = {NULL, (void *)1, NULL, NULL, NULL, &o};
    create(s, fn, depend);
}

static void create_late_member(state *s, void (*fn)(void *)) /* depends on y, too */
{
    object o = {&s->x, (void *)INOUTSET};
    void *depend[] = {NULL, (void *)2, NULL, NULL, (void *)1, &s->y, &o};
    create(s, fn, depend);
}

static int sets(void)
{
    state s = {0};
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; round++) {
        create_with(&s, change_y, &s.y, 1);
        create_with(&s, reset, &s.x, 1);
        for (int i = 1; i < MEMBERS; i++) create_member(&s, member);
        create_late_member(&s, member);
        create_with(&s, check, &s.x, 0);
    }
    return s.wrong;
}

static int everything(void)
{
    state s = {0};
    int x = 0;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; round++) {
        create_with(&s, change_x, &s.x, 1);
        create_with(&s, change_y, &s.y, 1);
        x++;
        for (int i = 0; i < 1 + (round % 3 == 0); i++) { /* one, or one directly after another */
            s.expected[s.made] = x++;
            create_with(&s, change_all, NULL, 1);
        }
    }
    return s.wrong + (s.x != x) + (s.y != x);
}

static int waits(void)
{
    state s = {0};
    int wrong = 0;
#pragma omp parallel
#pragma omp single
    for (int round = 1; round <= ROUNDS; round++) {
        create_with(&s, change_x, &s.x, 1);
        create_with(&s, change_y, &s.y, 1);
        void *depend[] = {(void *)1, (void *)1, NULL};
        GOMP_taskwait_depend(depend);
        wrong += s.x != round || s.y != round;
    }
    return wrong;
}

static int side_by_side(void) /* the first waits for the second */
{
    state s = {0};
#pragma omp parallel
#pragma omp single
    {
        create_member(&s, at_gate);
        create_member(&s, open_gate);
    }
    return s.gate;
}

int main(void)
{
    printf("%d %d %d ", sets(), everything(), waits());
    int threads = 1;
#pragma omp parallel
#pragma omp single
    threads = omp_get_num_threads();
    printf("%d\n",
           threads > 1 ? side_by_side() : 1); /* one thread would wait for ever: a tied task does not yield to it */
    return 0;
}
