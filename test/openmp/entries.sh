#!/usr/bin/env bash
# entries.sh: the library shows names of its OpenMP runtime, pthread_create and locks, and no others, none with a
# version. Among them is every entry of the installed runtime that has to do with tasks. OPENMP.md names all other
# entries of the runtime, with the reason why they are left alone.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$(dirname "$0")/programs.sh"
make_scratch
library_here=$(runtime_file)

names_of() # LIBRARY
{
    nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort -u
}

# Entries that create, wait for, or count tasks, start or end a region, hide a barrier, or belong to a task.
set_icv='omp_set_(num_threads|dynamic|nested|max_active_levels|schedule|default_device)_?'
case $RUNTIME in
libgomp)
    ours='^(GOMP_|omp_)'
    touches_tasks='^GOMP_(task.*|critical.*|parallel.*|barrier.*|cancel.*|loop_end(_cancel)?|sections_end(_cancel)?'
    touches_tasks+='|single_copy_.*'
    touches_tasks+='|workshare_task.*|(loop(_ull)?_(ordered_|doacross_)?|sections2_|scope_)start|target_(update_)?ext'
    touches_tasks+='|target_enter_exit_data)$|^omp_(fulfill_event_?|in_final_?|in_explicit_task_?'
    touches_tasks+='|(un)?set(_nest)?_lock_?'
    touches_tasks+="|test(_nest)?_lock_?)\$|^$set_icv(8_)?\$"
    ;;
libomp)
    ours='^(__kmpc_|ompc?_|kmp_get_cancellation_status_?$)'
    touches_tasks='^__kmpc_(omp_.*task.*|omp_wait_deps|.*taskgroup|task.*|.*fork_.*|.*serialized_parallel|.*barrier.*'
    touches_tasks+='|copyprivate.*|reduce|cancel.*|proxy_.*|.*record_task|.*nest_lock.*|.*critical.*|(un)?set_lock'
    touches_tasks+='|test_lock|(dist_)?(dispatch|for_static)_init_.*)$'
    touches_tasks+='|^omp_(fulfill_event|in_final_?|in_explicit_task_?|.*nest_lock.*|((un)?set|test)_lock_?)$'
    touches_tasks+='|^(kmp_get_cancellation_status_?|ompc_set_(num_threads|dynamic|nested|max_active_levels|schedule)'
    touches_tasks+="|$set_icv)\$"
    ;;
esac
# Questions, and tasks of Intel's old work queues, which no compiler calls.
touches_nothing='^__kmpc_(ok_to_fork|invoke_task_func|omp_(has_task_team|get_target_async_handle.*))$'

only_names_of_openmp_threads_and_locks()
{
    ! names_of "$HEIST_LIBRARY" | grep -vE "$ours|^pthread_create\$|^pthread_(mutex|rwlock|spin)_.*lock\$|^mtx_.*lock\$"
}

no_versions()
{
    ! names_of "$HEIST_LIBRARY" | grep @
}

every_entry_is_wrapped()
{
    local missing
    missing=$(comm -23 <(names_of "$library_here" | sed 's/@.*//' | sort -u | grep -E "$touches_tasks" |
        grep -vE "$touches_nothing") \
        <(names_of "$HEIST_LIBRARY"))
    [ -z "$missing" ] || { echo "not wrapped: $missing"; return 1; }
}

# The patterns in that section of OPENMP.md, for this runtime.
left_alone()
{
    # shellcheck disable=SC2016 # backticks they are
    sed -n "/^### Left alone: $RUNTIME/,/^##* /p" "$(dirname "$0")/../../lib/openmp/OPENMP.md" |
        grep -o '`[^`]*`' | tr -d '`'
}

# Whether the runtime is the version that the table was made for: others have entries that it does not know.
is_known_version()
{
    nm -D --defined-only "$library_here" >"$scratch/names"
    case $RUNTIME in
    libgomp) grep -q '@GOMP_5\.1$' "$scratch/names" && ! grep -q '@GOMP_5\.1\.1$' "$scratch/names" ;;
    libomp) grep -q ' __kmpc_error@' "$scratch/names" && ! grep -q ' __kmpc_fork_call_if@' "$scratch/names" ;;
    esac
}

every_entry_was_looked_at()
{
    local name pattern patterns failed=0
    mapfile -t patterns < <(left_alone)
    [ ${#patterns[@]} -gt 10 ] || { echo "the list in OPENMP.md was not found"; return 1; }
    while read -r name; do
        for pattern in "${patterns[@]}"; do
            # shellcheck disable=SC2053 # a pattern it is
            if [[ $name == $pattern ]]; then continue 2; fi
        done
        echo "neither wrapped nor left alone: $name"
        failed=1
    done < <(comm -23 <(names_of "$library_here" | sed 's/@.*//' | sort -u) <(names_of "$HEIST_LIBRARY"))
    return "$failed"
}

# A wrapped entry must not be in that list, or the list would hide it if one day it is not wrapped.
nothing_is_both()
{
    local name pattern failed=0
    while read -r name; do
        while read -r pattern; do
            # shellcheck disable=SC2053 # a pattern it is
            if [[ $name == $pattern ]]; then echo "$name is wrapped, and left alone as $pattern"; failed=1; fi
        done < <(left_alone)
    done < <(names_of "$HEIST_LIBRARY")
    return "$failed"
}

# The library's own locks call the C library directly. A relocation with the name would be a call of its own wrapper,
# which counts the locks of the program.
own_locks_are_not_counted()
{
    ! readelf -rW "$HEIST_LIBRARY" | grep -E 'pthread_mutex_(un)?lock|pthread_rwlock_|mtx_(un)?lock'
}

run_case the_runtime_is_found test -f "$library_here"
run_case it_shows_only_names_of_openmp_threads_and_locks only_names_of_openmp_threads_and_locks
run_case its_names_have_no_version no_versions
run_case every_entry_that_touches_tasks_is_wrapped every_entry_is_wrapped
if is_known_version; then
    run_case every_entry_is_wrapped_or_said_to_be_left_alone every_entry_was_looked_at
else
    ignore_case every_entry_is_wrapped_or_said_to_be_left_alone "another version of $RUNTIME"
fi
run_case nothing_is_wrapped_and_left_alone nothing_is_both
run_case its_own_locks_are_not_counted own_locks_are_not_counted
end_cases
