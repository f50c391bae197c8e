#!/usr/bin/env bash
# spread_threads.sh: a thread that shares its CPU with another of its team migrates, and may run afterwards where it
# might before.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$(dirname "$0")/programs.sh"
make_scratch
run_case heist_is_there heist_is_there
compile spread_threads
compile pinned
gcc -O2 -shared -fPIC "$(dirname "$0")/pretend_cpus.c" -o "$scratch/libpretend.so"
gcc -O2 -shared -fPIC "$(dirname "$0")/pin_threads.c" -o "$scratch/libpin.so"

# programs/spread_threads.c prints OUTPUT, with so many threads on pretended CPUs.
prints() # OUTPUT PRETEND THREADS [VARIABLE=VALUE]
{
    local got
    got=$(env "${@:4}" LD_LIBRARY_PATH="$(dirname "$HEIST_LIBRARY"):$scratch" LD_PRELOAD="$preload:libpretend.so" \
        PRETEND="$2" \
        OMP_NUM_THREADS="$3" timeout 60 "$scratch/spread_threads" "$3") || { echo "exit status $?"; return 1; }
    [ "$got" = "$1" ] || { echo "$got, not $1"; return 1; }
}

# programs/pinned.c prints 1 each time. (libomp's threads bind themselves, and may be too late.)
stays_pinned() # PRELOAD
{
    local got i
    for i in {1..40}; do
        got=$(LD_LIBRARY_PATH=$(dirname "$HEIST_LIBRARY"):$scratch LD_PRELOAD=$1 timeout 60 "$scratch/pinned") ||
            return 1
        [ "$got" = 1 ] || { echo "run $i: $got CPUs, not 1"; return 1; }
    done
}

if [ "$(nproc)" -ge 2 ] && taskset -pc $$ | grep -q ': 0[-,]'; then # CPU 0 among others
    many=$(($(nproc) + 1))
    run_case a_thread_that_shares_a_CPU_leaves_it prints '1 sent away, left, left, left' same 2
    run_case a_thread_with_a_CPU_of_its_own_stays prints '1 sent away, stayed, stayed, stayed' own 2
    run_case with_more_threads_than_CPUs_they_stay prints '0 sent away, stayed, stayed, stayed' same "$many"
    run_case also_with_a_policy_of_waiting prints '0 sent away, stayed, stayed, stayed' same "$many" \
        OMP_WAIT_POLICY=passive
    if [ "$RUNTIME" = libgomp ]; then # libomp's threads bind themselves, later
        run_case a_thread_that_is_bound_elsewhere_is_not_sent_away prints '0 sent away, stayed, stayed, stayed' own 2 \
            OMP_PROC_BIND=true
        run_case a_thread_that_is_pinned_by_its_maker_stays_so stays_pinned "$preload:libpin.so"
        if [ "${SANITIZE:-none}" = none ]; then # ASan's library comes first
            run_case also_if_the_pinning_library_is_in_front stays_pinned "libpin.so:$preload"
        fi
    fi
else
    ignore_case a_thread_that_shares_a_CPU_leaves_it 'CPU 0 and another are needed'
fi
end_cases
