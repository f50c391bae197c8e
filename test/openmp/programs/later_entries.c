/* Entries that only compilers after clang 14 call, or none: by hand. inoutset and omp_all_memory, taskwait with
 * depend and nowait, a task without a function, a taskloop with strict, regions with if, copyprivate in one step, the
 * barriers with a master.
 * only: libomp
 * expect with libomp: 0 0 40 1 7 11 7 0 */
#include <dlfcn.h>
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct task {
    void *shareds;
    int (*routine)(int, struct task *);
    int part;
    void *data1, *data2;
    uint64_t lower, upper; /* of a taskloop */
    int number;
} task;
typedef struct {
    void *address;
    size_t length;
    unsigned char kind;
} depend;
enum { IN = 1, OUT = 2, SET = 8, ALL = 0x80 };

static struct {
    int a, flags, b, c;
    const char *where;
} loc = {0, 2, 0, 0, ";later_entries.c;main;1;1;;"};

extern task *__kmpc_omp_task_alloc(void *, int, int, size_t, size_t, int (*)(int, task *));
extern int __kmpc_omp_task_with_deps(void *, int, task *, int, depend *, int, depend *);
extern int __kmpc_barrier_master(void *, int), __kmpc_barrier_master_nowait(void *, int);
extern void __kmpc_end_barrier_master(void *, int), __kmpc_barrier(void *, int);
extern int __kmpc_global_thread_num(void *);

static int stage, wrong_order, set_members;

static int member(int gtid, task *t)
{
    (void)gtid;
    int seen;
    usleep(2000); /* so that others come before it, if they may */
#pragma omp atomic read
    seen = stage;
#pragma omp atomic
    wrong_order += seen != t->number;
#pragma omp atomic
    set_members++;
    return 0;
}

static int next_stage(int gtid, task *t)
{
    (void)gtid;
    int seen;
#pragma omp atomic read
    seen = set_members;
#pragma omp atomic
    wrong_order += seen != t->number;
#pragma omp atomic
    stage++;
    return 0;
}

static void create(int gtid, int (*routine)(int, task *), int number, void *address, unsigned char kind)
{
    task *t = __kmpc_omp_task_alloc(&loc, gtid, 1, sizeof *t, 0, routine);
    t->number = number;
    depend d = {address, sizeof(int), kind};
    __kmpc_omp_task_with_deps(&loc, gtid, t, 1, &d, 0, NULL);
}

/* Ten of a set, a reader, ten of a set, one that depends on all memory, and readers of something else; one that
 * depends on all memory, said otherwise, one without a function, and what comes after that one. */
static void sets(int gtid)
{
    static int x, y, z;
    for (int i = 0; i < 10; i++) create(gtid, member, 0, &x, SET);
    create(gtid, next_stage, 10, &x, IN);
    for (int i = 0; i < 10; i++) create(gtid, member, 1, &x, SET);
    create(gtid, next_stage, 20, NULL, ALL);
    for (int i = 0; i < 10; i++) create(gtid, member, 2, &y, IN);
    create(gtid, next_stage, 30, (void *)UINTPTR_MAX, OUT);
    create(gtid, NULL, 0, &z, OUT);
    for (int i = 0; i < 10; i++) create(gtid, member, 3, &z, IN);
}

static int parts, shorter;

static int part(int gtid, task *t)
{
    (void)gtid;
#pragma omp atomic
    parts++;
    if (t->upper - t->lower != 9) {
#pragma omp atomic
        shorter += (int)(t->upper - t->lower) + 1;
    }
    return 0;
}

static int in_region, alone;

static void region(int *gtid, int *tid, int *argument)
{
    (void)gtid, (void)tid;
#pragma omp task firstprivate(argument)
#pragma omp atomic
    in_region += *argument;
#pragma omp atomic
    alone += omp_get_num_threads() == 1 && *argument == 5;
}

int main(void)
{
    void (*fork_if)(void *, int, void (*)(int *, int *, int *), int, void *);
    void (*wait_deps)(void *, int, int, depend *, int, depend *, int);
    void *(*light)(void *, int, void *);
    void (*taskloop)(void *, int, task *, int, uint64_t *, uint64_t *, int64_t, int, int, uint64_t, int, void *);
    *(void **)&fork_if = dlsym(RTLD_DEFAULT, "__kmpc_fork_call_if");
    *(void **)&wait_deps = dlsym(RTLD_DEFAULT, "__kmpc_omp_taskwait_deps_51");
    *(void **)&light = dlsym(RTLD_DEFAULT, "__kmpc_copyprivate_light");
    *(void **)&taskloop = dlsym(RTLD_DEFAULT, "__kmpc_taskloop_5");
    int not_over = 0, masters = 0, light_wrong = 0, five = 5, one = 1, x = 0;
    if (!fork_if || !wait_deps || !light || !taskloop) return 1;
#pragma omp parallel num_threads(3)
    {
        int gtid = __kmpc_global_thread_num(&loc), left = 42;
#pragma omp single
        {
            sets(gtid);
#pragma omp task depend(out : x) shared(x)
            x = 1;
            depend d = {&x, sizeof x, IN | OUT};
            wait_deps(&loc, gtid, 1, &d, 0, NULL, 1);
            wait_deps(&loc, gtid, 1, &d, 0, NULL, 0);
            not_over += x != 1;
            task *t = __kmpc_omp_task_alloc(&loc, gtid, 1, sizeof *t, 0, part);
            t->lower = 0;
            t->upper = 104;
            taskloop(&loc, gtid, t, 1, &t->lower, &t->upper, 1, 0, 1, 10, 1, NULL);
        }
        int *from = light(&loc, gtid, omp_get_thread_num() == 1 ? &left : NULL);
        if (!from || *from != 42) {
#pragma omp atomic
            light_wrong++;
        }
        __kmpc_barrier(&loc, gtid);
        if (__kmpc_barrier_master(&loc, gtid)) {
            masters++;
            __kmpc_end_barrier_master(&loc, gtid);
        }
        if (__kmpc_barrier_master_nowait(&loc, gtid)) masters += 2;
    }
    fork_if(&loc, 1, region, 0, &five);
#pragma omp parallel num_threads(2)
#pragma omp single
    fork_if(&loc, 1, region, 0, &one);
    fork_if(&loc, 1, region, 1, &one);
    printf("%d %d %d %d %d %d %d %d\n", wrong_order, not_over, set_members, alone, masters + 4, parts,
           (in_region > 6) + 6, light_wrong + shorter - 5);
    return 0;
}
