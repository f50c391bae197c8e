/* Tasks created with locks held that are not OpenMP's, and that the tasks want, too: each waits until its creator has
 * given the lock back.
 * expect: 126 126 126 126 126 126 126 126 126 */
#include <cstdio>
#include <ctime>
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <threads.h>

enum { MUTEX, TRIED, TIMED, CLOCKED, WRITER, SPIN, C11, CXX, CXX_SHARED, KINDS };
static long entered[KINDS];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static mtx_t c11;
static std::mutex cxx;
static std::shared_timed_mutex cxx_shared;
static const timespec for_ever = {1L << 40, 0};

static void lock(int kind)
{
    switch (kind) {
    case MUTEX: pthread_mutex_lock(&mutex); break;
    case TRIED:
        while (pthread_mutex_trylock(&mutex)) continue;
        break;
    case TIMED: pthread_mutex_timedlock(&mutex, &for_ever); break;
    case CLOCKED: pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &for_ever); break;
    case WRITER: pthread_rwlock_wrlock(&rwlock); break;
    case SPIN: pthread_spin_lock(&spin); break;
    case C11: mtx_lock(&c11); break;
    case CXX: cxx.lock(); break;
    default: cxx_shared.lock();
    }
}

static void unlock(int kind)
{
    switch (kind) {
    case WRITER: pthread_rwlock_unlock(&rwlock); break;
    case SPIN: pthread_spin_unlock(&spin); break;
    case C11: mtx_unlock(&c11); break;
    case CXX: cxx.unlock(); break;
    case CXX_SHARED: cxx_shared.unlock(); break;
    default: pthread_mutex_unlock(&mutex);
    }
}

static void visit(int kind, int depth);

static void create(int kind, int depth)
{
    lock(kind);
#pragma omp task firstprivate(kind, depth)
    visit(kind, depth);
    unlock(kind);
}

static void visit(int kind, int depth)
{
    lock(kind);
    entered[kind]++;
    unlock(kind);
    for (int i = 0; i < 2 && depth > 0; i++) create(kind, depth - 1);
}

int main()
{
    pthread_spin_init(&spin, 0);
    mtx_init(&c11, mtx_plain);
#pragma omp parallel
#pragma omp single
    for (int kind = 0; kind < KINDS; kind++) {
        for (int i = 0; i < 2; i++) create(kind, 5);
#pragma omp taskwait
    }
    for (int kind = 0; kind < KINDS; kind++) printf("%ld%c", entered[kind], kind < KINDS - 1 ? ' ' : '\n');
    mtx_destroy(&c11);
    return 0;
}
