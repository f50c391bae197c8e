#!/usr/bin/env bash
# entries.sh: libheist-gomp.so shows libgomp's names and no other, none with a version, and among them every entry of
# the libgomp that is here which has to do with tasks.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
libgomp=$("$GCC" -print-file-name=libgomp.so.1)
[ -f "$libgomp" ] || libgomp=$("$GCC" -print-file-name=libgomp.so)

names_of() # LIBRARY
{
    nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort -u
}

# What creates, waits for, or counts tasks, starts or ends a region, or hides a barrier.
touches_tasks='^GOMP_(task.*|parallel.*|barrier.*|cancel.*|loop_end(_cancel)?|sections_end(_cancel)?|single_copy_.*'
touches_tasks+='|workshare_task.*|(loop(_ull)?_(ordered_|doacross_)?|sections2_|scope_)start|target_(update_)?ext'
touches_tasks+='|target_enter_exit_data)$|^omp_(fulfill_event_?|in_final_?|in_explicit_task_?|(un)?set_nest_lock_?'
touches_tasks+='|test_nest_lock_?|set_(num_threads|dynamic|nested|max_active_levels|schedule|default_device)(_|_8_)?)$'

only_names_of_openmp()
{
    ! names_of "$HEIST_GOMP" | grep -vE '^(GOMP_|omp_)'
}

no_versions()
{
    ! names_of "$HEIST_GOMP" | grep @
}

every_entry_is_wrapped()
{
    local missing
    missing=$(comm -23 <(names_of "$libgomp" | sed 's/@.*//' | sort -u | grep -E "$touches_tasks") \
        <(names_of "$HEIST_GOMP"))
    [ -z "$missing" ] || { echo "not wrapped: $missing"; return 1; }
}

run_case it_shows_only_names_of_openmp only_names_of_openmp
run_case its_names_have_no_version no_versions
run_case every_entry_that_touches_tasks_is_wrapped every_entry_is_wrapped
end_cases
