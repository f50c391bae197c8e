#!/usr/bin/env bash
# memory.sh: a program without memory computes the same with heist: tasks run at once, in the reserve of their thread
# or as a part of the task that creates them, and regions are left to the runtime. It ends with a message only where
# memory is needed by nature: with libgomp the event of a task and the copies of a reduction, with libomp more than
# the reserve holds.
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
    wanted=$(without_heist 1 "$scratch/no_memory" "$@" 2> /dev/null) ||
        { echo "$RUNTIME alone: exit status $?"; return 1; }
    for threads in 1 2 4 8; do
        got=$(with_heist "$threads" "$scratch/no_memory" "$@" 2> "$scratch/refused") ||
            { echo "$threads threads: exit status $?"; cat "$scratch/refused"; failed=1; }
        [ "$got" = "$wanted" ] || { echo "$threads threads: $got, not $wanted"; failed=1; }
        [ "$threads" = 1 ] && [ "$1" = 7 ] && continue # one thread asks for less than that
        grep -q 'refused [1-9]' "$scratch/refused" || { echo "$threads threads: nothing was refused"; failed=1; }
    done
    return "$failed"
}

without_each() # THREADS NAME [MESSAGE]: each alone, and each with all that follow
{
    local output mode
    for mode in each from; do
        output=$(with_heist "$1" "$scratch/no_memory" "$mode" "${@:2}" 2>&1) ||
            { echo "$mode, $1 threads: $output"; return 1; }
        [[ $output == *': '[1-9]*' refused'* ]] || { echo "$mode, $1 threads: $output"; return 1; }
        # If a message is expected, some run must have ended with it.
        [ $# -eq 2 ] || [[ $output != *', 0 ends'* ]] || { echo "$mode, $1 threads: no message: $output"; return 1; }
    done
}

without_each_and_alone() # NAME: also with one thread
{
    without_each 1 "$1" && without_each 3 "$1"
}

is_too_much() # ARGUMENTS
{
    local output
    output=$(with_heist 2 "$scratch/no_memory" "$@" 2>&1) || true
    [[ $output == *__kmpc_omp_task_alloc:*reserve* ]] || { echo "$output"; return 1; }
}

deep()
{
    [ "$(with_heist 2 "$scratch/no_memory" deep "$1")" = "$1" ]
}

if [ "${SANITIZE:-none}" = none ]; then # a sanitizer has an allocator of its own
    compile no_memory
    run_case without_any_memory_within_regions computes_the_same 0 0
    run_case without_every_other_piece_of_memory_within_regions computes_the_same 2 0
    run_case without_every_seventh_piece_of_memory_within_regions computes_the_same 7 0
    run_case without_any_memory_but_records_within_regions computes_the_same 0 2
    run_case without_any_memory_from_the_start computes_the_same 0 1
    for what in fib large tree dependences groups loops finals untied regions; do
        run_case "without_each_piece_of_memory_in_turn_$what" without_each_and_alone "$what"
    done
    run_case without_any_memory_deep_in_a_recursion deep 2000
    if [ "$RUNTIME" = libomp ]; then
        # Not with one thread: libomp itself fails then.
        run_case without_each_piece_of_memory_in_turn_events without_each 2 events
        run_case without_each_piece_of_memory_in_turn_reductions without_each_and_alone reductions
        run_case without_each_piece_of_memory_in_turn_reductions_of_a_team without_each 3 team
        run_case more_tasks_than_the_reserve_holds_are_told is_too_much deep 20000
        run_case more_data_than_the_reserve_holds_is_told is_too_much huge
    else
        run_case without_each_piece_of_memory_in_turn_events without_each 2 events 'no memory for a task with an event'
        told='no memory for task reductions'
        run_case without_each_piece_of_memory_in_turn_reductions without_each 2 reductions "$told"
        run_case without_each_piece_of_memory_in_turn_reductions_of_a_team without_each 3 team "$told"
    fi
fi
end_cases
