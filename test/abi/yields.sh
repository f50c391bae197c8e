#!/usr/bin/env bash
# yields.sh SOURCE_ROOT: no wait in the library rests on sched_yield alone. A thread of real-time priority that yields
# lets no thread of lower priority run; a wait yields a bounded number of times and then sleeps. Each call of
# sched_yield is listed here with its bound.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
cd "$1"

# file, calls: what bounds them
allowed='
lib/idle/backoff.h 1: the yields of a back-off are counted; then its caller parks
lib/idle/outside_spin.c 1: two milliseconds, or 10000 rounds should the clock stand still; then its caller sleeps
lib/openmp/preload/pthread_create.c 1: 100, then it sleeps a step at a time
lib/platform/sleep.c 1: the kernel has refused both ways to sleep; there is no third
lib/schedule/inbox_liblfds.c 1: YIELDS_BEFORE_SLEEP, then it sleeps
lib/schedule/stress.c 1: a tenth of a second, or 1000000 rounds should the clock stand still; then it goes on
'

# Comments are no calls: of the lines of a comment, those begin with a star.
calls() { grep -rn --include='*.[ch]' 'sched_yield()' lib include | grep -v ':[0-9]*: \*' || true; }

only_allowed()
{
    diff <(printf '%s' "$allowed" | sed -n 's/^\([^ ]* [0-9]*\):.*/\1/p' | sort) \
        <(calls | cut -d: -f1 | sort | uniq -c | awk '{ print $2, $1 }' | sort) && return
    echo 'left: allowed here. right: in the source.'
    echo 'A new call needs a bound, after which the thread sleeps, and a line in this script.'
    return 1
}

run_case every_yield_is_bounded_and_listed only_allowed
end_cases
