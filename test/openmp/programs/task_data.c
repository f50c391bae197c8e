/* firstprivate, private, shared and default data of tasks; a task's data is what it was when the task was created. */
#include <stdio.h>

int main(void)
{
    int sum = 0, squares[64] = {0};
    char text[16] = "before";
    int seen = 0;
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 64; i++) {
            int local = i;
#pragma omp task shared(squares, sum) firstprivate(i) private(local)
            {
                local = i * i;
                squares[i] = local;
#pragma omp atomic
                sum += local;
            }
        }
#pragma omp task firstprivate(text) shared(seen)
        seen = text[0] == 'b' && text[5] == 'e' && text[6] == 0;
        text[0] = 'X';
#pragma omp taskwait
    }
    printf("%d %d %d %d\n", sum, squares[7], squares[63], seen);
    return 0;
}
