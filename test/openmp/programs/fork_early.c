/* A child forked before any region, or after a region of one thread, is as any other process: its first thread is the
 * first thread of its regions, and has its own variables. So is the child of such a child. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int mine;
#pragma omp threadprivate(mine)
static __thread int local;

static int is_first_in_regions(void)
{
    pthread_t caller = pthread_self();
    int same = 0, sum = 0;
    mine = 42;
    local = 43;
#pragma omp parallel
    {
#pragma omp master
        {
            same = pthread_equal(caller, pthread_self()) && mine == 42 && local == 43;
            mine = 44;
        }
#pragma omp single
        for (int i = 0; i < 100; i++) {
#pragma omp task shared(sum)
#pragma omp atomic
            sum++;
        }
    }
    return same && mine == 44 && sum == 100;
}

/* What `forks` generations of children say, the last of which has regions. */
static int say(int forks)
{
    int status = 0;
    if (forks == 0) return is_first_in_regions();
    pid_t child = fork();
    if (child == 0) _exit(say(forks - 1));
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int main(void)
{
    int child = say(1), grandchild = say(2), one = 0;
#pragma omp parallel num_threads(1)
    one = 1;
    printf("%d %d %d %d\n", child, grandchild, one, say(1));
    return 0;
}
