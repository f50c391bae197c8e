/* Everything that heist needs memory for, while it gets none: the library's allocations are refused here.
 *
 * no_memory PERIOD WHEN: every PERIOD-th allocation is refused, 0: all. WHEN is 0 within regions, 1 from the start, 2
 *     within regions when there are records in stock. Prints the results; how many were refused goes to stderr.
 * no_memory deep LEVELS: all are refused, in a recursion so deep. no_memory huge: all are, for a task with much data.
 * no_memory each NAME [MESSAGE]: the test of that name runs again and again, each time in a new process, in which the
 *     first allocation is refused, the second, and so on to the last. The result must be the same each time; or, if a
 *     MESSAGE is given, the process must end with it.
 * no_memory from NAME [MESSAGE]: the same, and all later allocations are refused, too. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <omp.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

static uintptr_t heist_begin, heist_end;
static int refusing, asked, refused, period;
static int only;        /* the one that is refused, if not 0 */
static bool and_others; /* and all that follow */

static int find_heist(struct dl_phdr_info *object, size_t size, void *unused)
{
    (void)size, (void)unused;
    if (!strstr(object->dlpi_name, "libheist-")) return 0;
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
    if (only ? n < only || (n > only && !and_others) : period && n % period != 0) return false;
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

static int scale = 20; /* how many tasks, about: 1 is few */

static int fib_of(int n)
{
    int a, b;
    if (n < 2) return n;
#pragma omp task shared(a)
    a = fib_of(n - 1);
#pragma omp task shared(b)
    b = fib_of(n - 2);
#pragma omp taskwait
    return a + b;
}

static int fib(void)
{
    return fib_of(scale > 1 ? 15 : 7);
}

static int many_and_large(void) /* more than records in stock, with data in blocks of their own */
{
    int sum = 0;
    for (int i = 0; i < (scale > 1 ? 2000 : 12); i++) {
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

static int tree_of(int depth)
{
    int sum = 1;
    for (int i = 0; i < 3 && depth; i++) {
#pragma omp task shared(sum)
        {
            int below = tree_of(depth - 1);
#pragma omp atomic
            sum += below;
        }
    }
#pragma omp taskwait
    return sum;
}

static int tree(void)
{
    return tree_of(scale > 1 ? 6 : 3);
}

static int dependences(void)
{
    int x = 1, y = 0, a[40] = {0}, z = 0;
    for (int i = 0; i < (scale > 1 ? 200 : 3); i++) {
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
    for (int i = 0; i < scale; i++) {
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
    int sum = 0, last = 0;
#pragma omp taskloop grainsize(3) shared(sum) if (1)
    for (int i = 0; i < 50 * scale; i++) {
#pragma omp atomic
        sum += i;
    }
#pragma omp taskloop num_tasks(5) lastprivate(last)
    for (int i = 0; i < scale; i++) last = i * 3;
    return sum + last;
}

static int finals(void)
{
    int n = 0;
    for (int i = 0; i < 5 * scale; i++) {
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

static int untied(void)
{
    int n = 0;
    for (int i = 0; i < 5 * scale; i++) {
#pragma omp task untied shared(n)
        {
#pragma omp task untied shared(n)
#pragma omp atomic
            n++;
#pragma omp taskyield
#pragma omp taskwait
#pragma omp atomic
            n++;
        }
    }
#pragma omp taskwait
    return n;
}

static int regions(void) /* within tasks: of two threads, and of one, which clang calls without a team of libomp's */
{
    int n = 0;
    for (int i = 0; i < 1 + scale / 4; i++) {
#pragma omp task shared(n)
        {
            int here = 0;
#pragma omp parallel num_threads(2)
#pragma omp single
            {
#pragma omp task shared(n)
#pragma omp atomic
                n++;
            }
#pragma omp parallel if (0)
            {
#pragma omp single
                {
#pragma omp task shared(here)
#pragma omp atomic
                    here++;
#pragma omp parallel if (0)
#pragma omp task shared(here)
#pragma omp atomic
                    here++;
                }
#pragma omp taskwait
#pragma omp atomic
                n += here;
            }
#pragma omp task shared(n)
#pragma omp atomic
            n++;
#pragma omp taskwait
        }
    }
#pragma omp taskwait
    return n;
}

/* ---- whose memory is needed by their nature, with gcc or with both ---- */

static int sum;

static void count_in(int i) /* here the compiler does not see which reduction it is */
{
#pragma omp task in_reduction(+ : sum) firstprivate(i)
    sum += i;
}

static int reductions(void)
{
    int all = 0;
    for (int i = 0; i < scale; i++) {
#pragma omp taskgroup task_reduction(+ : sum)
        {
            for (int j = 0; j < 5; j++) {
#pragma omp task in_reduction(+ : sum) firstprivate(j)
                {
                    sum += j;
#pragma omp task in_reduction(+ : sum)
                    sum += 2;
                    int product = 1;
#pragma omp taskgroup task_reduction(* : product)
                    {
#pragma omp task in_reduction(* : product)
                        product *= 3;
                    }
                    sum += product;
                }
            }
            count_in(10);
        }
#pragma omp taskloop reduction(+ : all) grainsize(2)
        for (int j = 0; j < 10; j++) all += j;
    }
    return sum + all;
}

static int of_the_team; /* reduction(task, ...) belongs to a region, a loop or sections: not within single */

static void team_reductions(void)
{
    int inner = 0;
#pragma omp parallel reduction(task, + : sum)
    {
        for (int i = 0; i < 3; i++) {
#pragma omp task in_reduction(+ : sum)
            sum += 1;
        }
        for (int round = 0; round < 2; round++) {
#pragma omp for reduction(task, + : inner)
            for (int i = 0; i < 4; i++) {
#pragma omp task in_reduction(+ : inner) firstprivate(i)
                inner += i;
            }
        }
    }
    of_the_team = 1000 * inner + sum;
}

static int events(void)
{
    int n = 0, x = 0;
    for (int i = 0; i < 2 * scale; i++) {
        omp_event_handle_t event = 0;
#pragma omp task detach(event) shared(n)
#pragma omp atomic
        n++;
        omp_fulfill_event(event);
#pragma omp task detach(event) depend(inout : x) shared(x)
        x = x * 2 % 1009 + 1;
        omp_fulfill_event(event);
    }
#pragma omp taskwait
    return n + x;
}

/* ---- all of it, or some ---- */

typedef int scenario(void);
static scenario *const scenarios[] = {fib, many_and_large, tree, dependences, groups, loops, finals, untied, regions};
enum { SCENARIOS = sizeof scenarios / sizeof *scenarios };

static void all_of_it(bool from_start)
{
    int r[SCENARIOS];
#pragma omp parallel
#pragma omp single
    {
        refusing = 1;
        for (int i = 0; i < SCENARIOS; i++) r[i] = scenarios[i]();
        refusing = from_start;
    }
    for (int i = 0; i < SCENARIOS; i++) printf("%d ", r[i]);
}

static int below(int levels)
{
    int n = 0;
    if (levels == 0) return 0;
#pragma omp task shared(n)
    n = 1 + below(levels - 1);
#pragma omp taskwait
    return n;
}

static void so_deep(int levels)
{
#pragma omp parallel
#pragma omp single
    {
        refusing = 1;
        printf("%d\n", below(levels));
        refusing = 0;
    }
}

static void so_huge(void)
{
    static struct {
        char v[1 << 20];
    } huge = {{1}};
#pragma omp parallel
#pragma omp single
    {
        refusing = 1;
#pragma omp task firstprivate(huge)
        printf("%d\n", huge.v[0]);
#pragma omp taskwait
        refusing = 0;
    }
}

/* ---- each ---- */

static struct {
    int asked, result;
} * said; /* the words of the process of a round, in memory that both have */

static scenario *scenario_called(const char *name)
{
    static const struct {
        const char *name;
        scenario *run;
    } known[] = {{"fib", fib},         {"large", many_and_large},  {"tree", tree},     {"dependences", dependences},
                 {"groups", groups},   {"loops", loops},           {"finals", finals}, {"untied", untied},
                 {"regions", regions}, {"reductions", reductions}, {"events", events}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (strcmp(known[i].name, name) == 0) return known[i].run;
    }
    return NULL; /* the one that is not within single */
}

static void *do_it(void *what)
{
    scenario *run = scenario_called(what);
    refusing = 1;
    if (run) {
#pragma omp parallel
#pragma omp single
        said->result = run();
    } else {
        team_reductions();
        said->result = of_the_team;
    }
    refusing = 0;
    said->asked = asked;
    return NULL;
}

/* In a thread of its own: for OpenMP it is as if this had been the first process. Returns its exit status. */
static int do_it_in_a_process(char *name, int which, FILE *errors)
{
    pid_t child = fork();
    if (child == 0) {
        pthread_t thread;
        only = which;
        dup2(fileno(errors), STDERR_FILENO);
        alarm(30);
        if (pthread_create(&thread, NULL, do_it, name) != 0) _exit(2);
        pthread_join(thread, NULL);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

static bool contains(FILE *errors, const char *message)
{
    char text[1000];
    rewind(errors);
    size_t length = fread(text, 1, sizeof text - 1, errors);
    text[length] = '\0';
    if (message && strstr(text, message)) return true;
    fputs(text, stderr);
    return false;
}

static int each(char *name, const char *message)
{
    int ended = 0, which = 1, wanted = 0;
    scale = 1;
    said = mmap(NULL, sizeof *said, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    for (;; which++) {
        FILE *errors = tmpfile();
        memset(said, 0, sizeof *said);
        int status = do_it_in_a_process(name, which == 1 ? INT_MAX : which - 1, errors); /* the first time, none */
        bool told = status != 0 && contains(errors, message);
        fclose(errors);
        if (which == 1) wanted = said->result;
        if ((status != 0 && !told) || (status == 0 && said->result != wanted)) {
            fprintf(stderr, "allocation %d: status %x, %d and not %d\n", which - 1, status, said->result, wanted);
            return 1;
        }
        ended += told;
        if (which > 1 && status == 0 && said->asked < which - 1) break;
    }
    printf("%d: %d refused, %d ends with a message\n", wanted, which - 2, ended);
    return 0;
}

int main(int argc, char **argv)
{
    dl_iterate_phdr(find_heist, NULL);
    and_others = argc > 2 && strcmp(argv[1], "from") == 0;
    if (and_others || (argc > 2 && strcmp(argv[1], "each") == 0)) return each(argv[2], argc > 3 ? argv[3] : NULL);
    if (argc > 1 && strcmp(argv[1], "huge") == 0) {
        so_huge();
        return 0;
    }
    if (argc > 2 && strcmp(argv[1], "deep") == 0) {
        so_deep(atoi(argv[2]));
        return 0;
    }
    period = argc > 1 ? atoi(argv[1]) : 0;
    int when = argc > 2 ? atoi(argv[2]) : 0;
    if (when == 2) {
#pragma omp parallel
        tree_of(5);
    }
    refusing = when == 1;
    if (when == 1) scale = 1; /* all of it is the runtime's */
    for (int round = 0; round < 3; round++) all_of_it(when == 1);
    printf("\n");
    fprintf(stderr, "refused %d\n", refused);
    return 0;
}
