/* omp_target_memset_async of gcc 16, with a depobj: done when the task before it is complete. Prints the number of
 * wrong bytes. With LIBRARY this is a library that has gcc 16's two functions for libgomps without them: the async one
 * knows nothing of heist's tasks, as libgomp's does not. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void *omp_target_memset(void *to, int value, size_t length, int device);
void *omp_target_memset_async(void *to, int value, size_t length, int device, int count, omp_depend_t *depobjs);

#ifdef LIBRARY
void *omp_target_memset(void *to, int value, size_t length, int device)
{
    (void)device;
    return memset(to, value, length);
}

void *omp_target_memset_async(void *to, int value, size_t length, int device, int count, omp_depend_t *depobjs)
{
    (void)count, (void)depobjs;
    return omp_target_memset(to, value, length, device);
}
#else
int main(void)
{
    int wrong = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
    for (int i = 0; i < 20; i++) {
        char data[8] = {0};
        omp_depend_t after;
#pragma omp depobj(after) depend(inout : data)
#pragma omp task depend(out : data) shared(data)
        {
            usleep(1000);
            memset(data, 1, sizeof data);
        }
        omp_target_memset_async(data, 2, sizeof data, omp_get_initial_device(), 1, &after);
#pragma omp taskwait
        for (int j = 0; j < 8; j++) wrong += data[j] != 2;
#pragma omp depobj(after) destroy
    }
    return printf("%d wrong\n", wrong) < 0;
}
#endif
