#!/usr/bin/env bash
# memory.sh: a program whose memory is at its end computes the same with heist: tasks are run at once, or as a part of
# the task that creates them, regions are left to libgomp.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$(dirname "$0")/programs.sh"
make_scratch
run_case heist_is_there heist_is_there

computes_the_same() # PERIOD WHEN
{
    local wanted got threads failed=0
    wanted=$(without_heist 2 "$scratch/no_memory" "$@" 2> /dev/null) || return 1
    for threads in 1 2 4 8; do
        got=$(with_heist "$threads" "$scratch/no_memory" "$@" 2> "$scratch/refused") ||
            { echo "$threads threads: exit status $?"; cat "$scratch/refused"; failed=1; }
        [ "$got" = "$wanted" ] || { echo "$threads threads: $got, not $wanted"; failed=1; }
        [ "$threads" = 1 ] && [ "$1" = 7 ] && continue # one thread asks for less than that
        grep -q 'refused [1-9]' "$scratch/refused" || { echo "$threads threads: nothing was refused"; failed=1; }
    done
    return "$failed"
}

if [ "${SANITIZE:-none}" = none ]; then # a sanitizer has an allocator of its own
    compile no_memory
    run_case without_any_memory_within_regions computes_the_same 0 0
    run_case without_every_other_piece_of_memory_within_regions computes_the_same 2 0
    run_case without_every_seventh_piece_of_memory_within_regions computes_the_same 7 0
    run_case without_any_memory_but_records_within_regions computes_the_same 0 2
    run_case without_any_memory_from_the_start computes_the_same 0 1
fi
end_cases
