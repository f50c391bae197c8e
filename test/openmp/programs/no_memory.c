/* Everything that heist needs memory for, while it gets none: libheist-gomp.so's allocations are refused here, all of
 * them or some, from within a region or from the start. no_memory PERIOD WHEN: every PERIOD-th is refused, 0: all;
 * WHEN is 0 within regions, 1 from the start, 2 within regions and when there are records in stock. Prints what came out; how many were refused goes to stderr. */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <omp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static uintptr_t heist_begin, heist_end;
static int refusing, asked, refused, period;

static int find_heist(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(object->dlpi_name, "libheist-gomp")) return 0;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X)) continue;
        heist_begin = object->dlpi_addr + segment->p_vaddr;
        heist_end = heist_begin + segment->p_memsz;
    }
    return 1;
}

static bool refuse(const void *caller)
{
    if ((uintptr_t)caller - heist_begin >= heist_end - heist_begin) return false;
    if (!__atomic_load_n(&refusing, __ATOMIC_RELAXED)) return false;
    int n = __atomic_add_fetch(&asked, 1, __ATOMIC_RELAXED);
    if (period && n % period != 0) return false;
    __atomic_add_fetch(&refused, 1, __ATOMIC_RELAXED);
    errno = ENOMEM;
    return true;
}

#define REFUSED refuse(__builtin_return_address(0))

void *malloc(size_t n)
{
    return REFUSED ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
    return REFUSED ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
    return REFUSED ? NULL : __libc_realloc(p, n);
}

void *aligned_alloc(size_t align, size_t n)
{
    return REFUSED ? NULL : __libc_memalign(align, n);
}

void free(void *p)
{
    __libc_free(p);
}

/* ---- what is done meanwhile ---- */

static int fib(int n)
{
    int a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib(n - 1);
#pragma omp task shared(b)
    b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static int many_and_large(void) /* more than records in stock, with data in blocks of their own */
{
    int sum = 0;
    for (int i = 0; i < 2000; i++) {
        struct {
            int v[100];
        } large = {{i}};
#pragma omp task firstprivate(large) shared(sum)
#pragma omp atomic
        sum += large.v[0] + large.v[99];
    }
#pragma omp taskwait
    return sum;
}

static int tree(int depth)
{
    int sum = 1;
    for (int i = 0; i < 3 && depth; i++) {
#pragma omp task shared(sum)
        {
            int below = tree(depth - 1);
#pragma omp atomic
            sum += below;
        }
    }
#pragma omp taskwait
    return sum;
}

static int dependences(void)
{
    int x = 1, y = 0, a[40] = {0}, z = 0;
    for (int i = 0; i < 200; i++) {
#pragma omp task depend(inout : x) shared(x) firstprivate(i)
        x = (x * 7 + i) % 10007;
#pragma omp task depend(in : x) depend(out : a[i % 40]) shared(x, a) firstprivate(i)
        a[i % 40] = x;
#pragma omp task depend(in : a[i % 40]) depend(inout : y) shared(a, y) firstprivate(i)
        y = (y * 3 + a[i % 40]) % 10007;
#pragma omp task depend(mutexinoutset : z) shared(z)
        z = z + 1;
    }
#pragma omp taskwait
    return x + y + z;
}

static int groups(void)
{
    int n = 0, seen = 0;
    for (int i = 0; i < 20; i++) {
#pragma omp taskgroup
        {
#pragma omp task shared(n)
            {
#pragma omp taskgroup
                {
#pragma omp task shared(n)
#pragma omp atomic
                    n++;
                }
#pragma omp task shared(n)
#pragma omp atomic
                n++;
            }
#pragma omp taskgroup
#pragma omp task shared(n)
#pragma omp atomic
            n++;
        }
        seen += n;
    }
    return seen;
}

static int loops(void)
{
    int sum = 0;
#pragma omp taskloop grainsize(3) shared(sum) if (1)
    for (int i = 0; i < 1000; i++) {
#pragma omp atomic
        sum += i;
    }
    return sum;
}

static int finals(void)
{
    int n = 0;
    for (int i = 0; i < 100; i++) {
#pragma omp task final(i % 2) shared(n) firstprivate(i)
        {
            int final = omp_in_final();
#pragma omp task shared(n) firstprivate(i, final)
            {
#pragma omp atomic
                n += (omp_in_final() != 0) == i % 2 && final == i % 2;
            }
#pragma omp taskwait
        }
    }
#pragma omp taskwait
    return n;
}

int main(int argc, char **argv)
{
    period = argc > 1 ? atoi(argv[1]) : 0;
    int when = argc > 2 ? atoi(argv[2]) : 0;
    bool from_start = when == 1;
    dl_iterate_phdr(find_heist, NULL);
    if (when == 2) {
#pragma omp parallel
        tree(5);
    }
    refusing = from_start;
    for (int round = 0; round < 3; round++) {
        int r[7];
#pragma omp parallel
#pragma omp single
        {
            refusing = 1;
            r[0] = fib(15);
            r[1] = many_and_large();
            r[2] = tree(6);
            r[3] = dependences();
            r[4] = groups();
            r[5] = loops();
            r[6] = finals();
            refusing = from_start;
        }
        for (int i = 0; i < 7; i++) printf("%d ", r[i]);
    }
    printf("\n");
    fprintf(stderr, "refused %d\n", refused);
    return 0;
}
