/* What every problem does with TBB: an arena of so many workers. */
#ifndef HEIST_PERF_ARENA_HPP
#define HEIST_PERF_ARENA_HPP

#include <cerrno>
#include <cstdio>
#include <exception>
#include <memory>

#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "harness/app.h"

struct perf_arena {
    explicit perf_arena(unsigned workers)
        : most(tbb::global_control::max_allowed_parallelism, workers), arena(static_cast<int>(workers))
    {
    }
    tbb::global_control most;
    tbb::task_arena arena;
};

/* 0, or a negative errno and a sentence. */
inline int perf_arena_open(std::unique_ptr<perf_arena> &arena, unsigned workers, char *error, size_t room)
{
    try {
        arena = std::make_unique<perf_arena>(workers);
        return 0;
    } catch (const std::exception &e) {
        std::snprintf(error, room, "TBB: %s", e.what());
        return -ENOMEM;
    }
}

#endif
