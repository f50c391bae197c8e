#!/usr/bin/env bash
# entries.sh: the library shows names of its OpenMP runtime and no other, none with a version, and among them every entry of
# the runtime that is here which has to do with tasks.
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

# What creates, waits for, or counts tasks, starts or ends a region, or hides a barrier; and what belongs to a task.
set_icv='omp_set_(num_threads|dynamic|nested|max_active_levels|schedule|default_device)_?'
case $RUNTIME in
libgomp)
    ours='^(GOMP_|omp_)'
    touches_tasks='^GOMP_(task.*|parallel.*|barrier.*|cancel.*|loop_end(_cancel)?|sections_end(_cancel)?|single_copy_.*'
    touches_tasks+='|workshare_task.*|(loop(_ull)?_(ordered_|doacross_)?|sections2_|scope_)start|target_(update_)?ext'
    touches_tasks+='|target_enter_exit_data)$|^omp_(fulfill_event_?|in_final_?|in_explicit_task_?|(un)?set_nest_lock_?'
    touches_tasks+="|test_nest_lock_?)\$|^$set_icv(8_)?\$"
    ;;
libomp)
    ours='^(__kmpc_|omp_)'
    touches_tasks='^__kmpc_(omp_.*task.*|omp_wait_deps|.*taskgroup|task.*|.*fork_.*|.*serialized_parallel|.*barrier.*'
    touches_tasks+='|copyprivate.*|reduce|cancel.*|proxy_.*|.*record_task|.*nest_lock.*|(dist_)?(dispatch|for_static)_init_.*)$'
    touches_tasks+='|^omp_(fulfill_event|in_final_?|in_explicit_task_?|.*nest_lock.*)$'
    touches_tasks+="|^$set_icv\$"
    ;;
esac
# Questions, and tasks of Intel's old work queues, which no compiler calls.
touches_nothing='^__kmpc_(ok_to_fork|invoke_task_func|omp_(has_task_team|get_target_async_handle.*))$'

only_names_of_openmp()
{
    ! names_of "$HEIST_LIBRARY" | grep -vE "$ours"
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

run_case the_runtime_is_found test -f "$library_here"
run_case it_shows_only_names_of_openmp only_names_of_openmp
run_case its_names_have_no_version no_versions
run_case every_entry_that_touches_tasks_is_wrapped every_entry_is_wrapped
end_cases
