#!/usr/bin/env bash
# apart.sh: a thread that shares its CPU with another of its team gets away from there, and may run afterwards where it might before.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$(dirname "$0")/programs.sh"
make_scratch
run_case heist_is_there heist_is_there
compile apart
gcc -O2 -shared -fPIC "$(dirname "$0")/pretend_cpus.c" -o "$scratch/libpretend.so"

leaves() # COUNTS PRETEND THREADS: what programs/apart.c prints, with so many threads on CPUs like that
{
    local got
    got=$(LD_LIBRARY_PATH=$(dirname "$HEIST_LIBRARY"):$scratch LD_PRELOAD=$preload:libpretend.so PRETEND=$2 OMP_NUM_THREADS=$3 timeout 60 \
        "$scratch/apart" "$3") || { echo "exit status $?"; return 1; }
    [ "$got" = "$1" ] || { echo "$got, not $1"; return 1; }
}

if [ "$(nproc)" -ge 2 ] && taskset -pc $$ | grep -q ': 0[-,]'; then # CPU 0 among others
    # First as the thread begins, before the runtime has it wait for its maker, and then as it begins the region.
    run_case who_shares_a_CPU_leaves_it leaves '2 3 4' same 2
    run_case who_has_one_of_its_own_stays leaves '0 0 0' own 2
    run_case where_there_are_more_threads_than_CPUs_they_stay leaves '0 0 0' same $(($(nproc) + 1))
else
    ignore_case who_shares_a_CPU_leaves_it 'CPU 0 and another are needed'
fi
end_cases
