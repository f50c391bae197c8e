/* mutexinoutset: members of a set run in any order, one at a time, after the uses before the set and before the uses
 * after it; also under several addresses, given in any order, and as depobj; mixed with tasks that are not put off.
 * libgomp orders them as if they were inout.
 * expect: 0 1440 21 */
#include <omp.h>
#include <stdio.h>

enum { ROUNDS = 60, MEMBERS = 12 };

static int inside[3]; /* how many tasks are between enter and leave */

static int enter(int i)
{
    int seen = __atomic_add_fetch(&inside[i], 1, __ATOMIC_RELAXED);
    return seen != 1;
}

static void leave(int i)
{
    for (volatile int spin = 0; spin < 200; spin++) continue;
    __atomic_sub_fetch(&inside[i], 1, __ATOMIC_RELAXED);
}

static void note(int *wrong, int bad)
{
    if (!bad) return;
#pragma omp atomic
    ++*wrong;
}

static int one_address(void)
{
    int x = 0, wrong = 0;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; round++) {
#pragma omp task depend(out : x) shared(x, wrong)
        {
            note(&wrong, inside[0] != 0);
            x = 0;
        }
        for (int i = 0; i < MEMBERS; i++) {
#pragma omp task depend(mutexinoutset : x) shared(x, wrong) firstprivate(i) if (i % 5 != 4)
            {
                int old = x;
                note(&wrong, enter(0));
                leave(0);
                x = old + 1;
            }
        }
#pragma omp task depend(in : x) shared(x, wrong)
        note(&wrong, x != MEMBERS || inside[0] != 0);
    }
    return wrong;
}

/* Each task has two of three, in either order: taken one by one without an order, they would wait for each other. */
static int two_of_three(void)
{
    int x[3] = {0}, wrong = 0;
    omp_depend_t d;
#pragma omp depobj(d) depend(mutexinoutset : x[0])
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < MEMBERS; i++) {
            int a = i % 3, b = (i + 1 + i / 3 % 2) % 3;
            int first = a == 0 ? b : a; /* x[0] comes by the object */
            if (a == 0 || b == 0) {
#pragma omp task depend(mutexinoutset : x[first]) depend(depobj : d) shared(x, wrong) firstprivate(a, b)
                {
                    note(&wrong, enter(a) + enter(b));
                    x[a] += 1, x[b] += 1;
                    leave(b), leave(a);
                }
            } else {
#pragma omp task depend(mutexinoutset : x[a], x[b]) shared(x, wrong) firstprivate(a, b)
                {
                    note(&wrong, enter(a) + enter(b));
                    x[a] += 1, x[b] += 1;
                    leave(b), leave(a);
                }
            }
        }
        if (round % 8 == 7) {
#pragma omp taskwait depend(inout : x[1])
            note(&wrong, inside[1] != 0);
        }
    }
#pragma omp depobj(d) destroy
    return wrong * 100000 + x[0] + x[1] + x[2];
}

/* A member that waits for something else does not keep those made after it from running. */
static int any_order(void)
{
    int x = 0;
#pragma omp parallel
#pragma omp single
    {
        int y = 0;
        omp_event_handle_t event;
#pragma omp task depend(out : y) detach(event)
        (void)event;
#pragma omp task depend(in : y) depend(mutexinoutset : x) shared(x)
        x = x * 10 + 1;
#pragma omp task depend(mutexinoutset : x) shared(x)
        __atomic_store_n(&x, x * 10 + 2, __ATOMIC_RELEASE);
        while (__atomic_load_n(&x, __ATOMIC_ACQUIRE) != 2) {
#pragma omp taskyield
        }
        omp_fulfill_event(event);
    }
    return x;
}

int main(void)
{
    printf("%d %d", one_address(), two_of_three());
    printf(" %d\n", any_order());
    return 0;
}
