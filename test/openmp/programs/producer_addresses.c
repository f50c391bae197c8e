/* One task that names ever new addresses in depend clauses does not need memory for all of them. Each round's tasks
 * wait for an event, so that all of them are put off.
 * expect: 50000 small */
#include <omp.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { ROUNDS = 100, TASKS = 500, EACH = 16, APART = 64 };

int main(void)
{
    long sum = 0;
    char gate = 0;
    size_t bytes = (size_t)ROUNDS * TASKS * EACH * APART;
    /* Never touched: only the addresses matter. */
    char *next = mmap(NULL, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (next == MAP_FAILED) return 1;
#pragma omp parallel
#pragma omp single
    for (int round = 0; round < ROUNDS; round++) {
        omp_event_handle_t event;
#pragma omp task detach(event) depend(out : gate)
        {
        }
        for (int i = 0; i < TASKS; i++) {
#pragma omp task depend(in : gate) depend(iterator(k = 0 : EACH), out : next[k * APART]) shared(sum)
#pragma omp atomic
            sum++;
            next += EACH * APART;
        }
        omp_fulfill_event(event);
#pragma omp taskwait
    }
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%ld %s\n", sum, usage.ru_maxrss < 60 * 1024 ? "small" : "large");
    (void)gate;
    return 0;
}
