/* detach: fulfilled by the task itself, by another task, by a thread of its own, before and after the body; taskwait,
 * taskgroup, barrier and dependences wait for it; fulfilled by the creator, when very many tasks wait for it.
 * expect: 1 11 1 1 20 5000 */
#include <omp.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static void *later(void *argument)
{
    usleep(2000);
    omp_fulfill_event((omp_event_handle_t)argument);
    return NULL;
}

static void fulfil_later(omp_event_handle_t event)
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, later, (void *)event) == 0) pthread_detach(thread);
}

int main(void)
{
    int x = 0, order = 0, waited = 0, grouped = 0, ended = 0, undeferred = 0, behind = 0;
    omp_event_handle_t event, second;
#pragma omp parallel
#pragma omp single
    {
#pragma omp task detach(event)
        omp_fulfill_event(event);
#pragma omp task detach(event) depend(out : x) shared(x)
        {
            x = 1;
            fulfil_later(event);
        }
#pragma omp task depend(in : x) shared(x, order)
        order = x;
#pragma omp taskwait
#pragma omp task detach(event) shared(waited)
        {
            waited++;
        }
#pragma omp task firstprivate(event) shared(waited)
        {
#pragma omp atomic
            waited += 10;
            omp_fulfill_event(event);
        }
#pragma omp taskwait
#pragma omp taskgroup
        {
#pragma omp task detach(second) shared(grouped)
            {grouped = 1;
        fulfil_later(second);
    }
}
#pragma omp task detach(event) if (0) shared(undeferred)
{
    undeferred = 1;
    fulfil_later(event);
}
#pragma omp task detach(event) depend(out : x) shared(x)
x = 2;
for (int i = 0; i < 5000; i++) {
#pragma omp task depend(in : x) shared(behind)
    {
#pragma omp atomic
        behind++;
    }
}
omp_fulfill_event(event);
for (int i = 0; i < 20; i++) {
    omp_event_handle_t own;
#pragma omp task detach(own) shared(ended)
    {
#pragma omp atomic
        ended++;
        fulfil_later(own);
    }
}
}
printf("%d %d %d %d %d %d\n", order, waited, grouped, undeferred, ended, behind);
return 0;
}
