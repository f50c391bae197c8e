/* In a child forked after a region, regions and tasks work, with one first thread for all of them. (Not compared with
 * libgomp, whose child waits for ever.)
 * expect: 4950 42 4950 */
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static long first; /* the first thread of the last region */

static int work(void)
{
    int sum = 0;
#pragma omp parallel
    {
#pragma omp master
        first = syscall(SYS_gettid);
#pragma omp single
        for (int i = 0; i < 100; i++) {
#pragma omp task shared(sum) firstprivate(i)
#pragma omp atomic
            sum += i;
        }
    }
    return sum;
}

static int works_in_child(void)
{
    if (work() != 4950) return 1;
    long before = first;
    for (int i = 0; i < 20; i++) {
        if (work() != 4950) return 1;
        if (first != before) return 2;
    }
    return 42;
}

int main(void)
{
    int before = work(), status = 0;
    pid_t child = fork();
    if (child == 0) _exit(works_in_child());
    waitpid(child, &status, 0);
    printf("%d %d %d\n", before, WIFEXITED(status) ? WEXITSTATUS(status) : -1, work());
    return 0;
}
