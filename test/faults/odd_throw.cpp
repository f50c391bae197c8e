/* odd_throw.cpp: exceptions. Inside a task they are as anywhere; an exception that leaves a task is not caught. */
#include <heist/heist.h>
#include <stdexcept>

extern "C" int odd_throw_inside(heist_pool *pool);
extern "C" void odd_throw_out(heist_pool *pool);
extern "C" void odd_throw_out_plainly(heist_pool *pool);

HEIST_TASK(int, careful, int, n)
{
    if (n == 0) throw std::runtime_error("never mind");
    return n;
}

/* A call is part of the task that calls. */
HEIST_TASK(int, catches, int, depth)
{
    if (depth == 0) {
        try {
            return HEIST_CALL(careful, 0);
        } catch (const std::runtime_error &) {
            return 1;
        }
    }
    HEIST_SPAWN(left, catches, depth - 1);
    int right = HEIST_CALL(catches, depth - 1);
    return HEIST_SYNC(left) + right;
}

int odd_throw_inside(heist_pool *pool)
{
    return HEIST_RUN(pool, catches, 8);
}

/* The program would catch it, but the run must not be left: the thread has a seat of the pool. */
void odd_throw_out(heist_pool *pool)
{
    try {
        HEIST_RUN(pool, careful, 0);
    } catch (const std::runtime_error &) {
    }
}

static void throws(void *)
{
    throw std::runtime_error("never mind");
}

void odd_throw_out_plainly(heist_pool *pool)
{
    try {
        heist_run(pool, throws, nullptr);
    } catch (const std::runtime_error &) {
    }
}
