/* Objects with constructors and destructors as private data of tasks: as many are destructed as were constructed, also
 * when the task runs at once, in parts, as part of a taskloop, or is cancelled. */
#include <atomic>
#include <cstdio>
#include <omp.h>

static std::atomic<long> living, made;

struct object {
    long value;
    char more[200];
    explicit object(long v) : value(v)
    {
        count();
    }
    object(const object &o) : value(o.value)
    {
        count();
    }
    object() : value(1)
    {
        count();
    }
    ~object()
    {
        living--;
    }
    object &operator=(const object &o)
    {
        value = o.value;
        return *this;
    }
    void count()
    {
        living++;
        made++;
    }
};

static long tasks()
{
    std::atomic<long> sum{0};
    object o(5);
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < 300; i++) {
#pragma omp task firstprivate(o) shared(sum)
        sum += o.value;
#pragma omp task firstprivate(o) shared(sum) untied
        {
            sum += o.value;
#pragma omp taskyield
            sum += 1;
        }
#pragma omp task firstprivate(o) shared(sum) if (0)
        sum += o.value;
#pragma omp task private(o) shared(sum)
        sum += o.value;
    }
    return sum;
}

static long loops()
{
    std::atomic<long> sum{0};
    object first(3), last(0);
#pragma omp parallel
#pragma omp single
    {
#pragma omp taskloop firstprivate(first) lastprivate(last) shared(sum) grainsize(4)
        for (int i = 0; i < 100; i++) {
            sum += first.value;
            last.value = i;
        }
    }
    return sum * 1000 + last.value;
}

static long cancelled()
{
    std::atomic<long> ran{0};
    object o(2);
#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
    for (int i = 0; i < 200; i++) {
#pragma omp task firstprivate(o, i) shared(ran)
        {
            if (i == 2) {
#pragma omp cancel taskgroup
            }
            ran += o.value > 0;
        }
    }
    return ran < 200;
}

int main()
{
    long t = tasks(), l = loops(), c = cancelled();
    std::printf("%ld %ld %ld %ld %d\n", t, l, c, living.load(), made > 1000);
    return 0;
}
