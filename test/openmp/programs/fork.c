/* In a child forked after a region, regions and tasks work. (Not compared with libgomp, whose child waits for ever.)
 * expect: 4950 42 4950 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int work(void)
{
    int sum = 0;
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 100; i++) {
#pragma omp task shared(sum) firstprivate(i)
#pragma omp atomic
        sum += i;
    }
    return sum;
}

int main(void)
{
    int before = work(), status = 0;
    pid_t child = fork();
    if (child == 0) _exit(work() == 4950 && work() == 4950 ? 42 : 1);
    waitpid(child, &status, 0);
    printf("%d %d %d\n", before, WIFEXITED(status) ? WEXITSTATUS(status) : -1, work());
    return 0;
}
