/* heist/heist.h: all of heist. A fork/join runtime in C: tasks that cost about as much as a call, on one Chase-Lev
 * deque per worker. Start with heist/task.h (typed tasks) or heist/scope.h (plain functions); heist/pool.h has the
 * pools. */
#ifndef HEIST_HEIST_H
#define HEIST_HEIST_H

#include <heist/deque.h>
#include <heist/future.h>
#include <heist/loop.h>
#include <heist/memory.h>
#include <heist/pool.h>
#include <heist/scope.h>
#include <heist/stats.h>
#include <heist/task.h>
#include <heist/version.h>

#endif
