/* In a child forked after a region, regions work in a program without tasks, too. (Not compared with libgomp, whose
 * child waits for ever.)
 * expect: 4950 42 4950 */
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static int work(void)
{
    int sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 100; i++) sum += i;
    return sum;
}

int main(void)
{
    int before = work(), status = 0;
    pid_t child = fork();
    if (child == 0) {
        alarm(30); /* a signal ends it if nothing else does */
        _exit(work() == 4950 && work() == 4950 ? 42 : 1);
    }
    waitpid(child, &status, 0);
    printf("%d %d %d\n", before, WIFEXITED(status) ? WEXITSTATUS(status) : -1, work());
    return 0;
}
