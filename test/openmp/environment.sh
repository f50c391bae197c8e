#!/usr/bin/env bash
# environment.sh: the variables of the environment mean with heist what they mean with the OpenMP runtime alone.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$(dirname "$0")/programs.sh"
make_scratch
unset OMP_CANCELLATION OMP_MAX_TASK_PRIORITY
run_case heist_is_there heist_is_there
compile environment

means_the_same() # PATTERN WHAT [VARIABLE=VALUE...]: and what it prints is like that, so that the value was seen at all
{
    local wanted got settings=("${@:3}")
    wanted=$(env "${settings[@]}" ASAN_OPTIONS=detect_leaks=0 timeout 60 "$scratch/environment" "$2") ||
        { echo "$RUNTIME alone: exit status $?"; return 1; }
    got=$(with_heist 2 env "${settings[@]}" "$scratch/environment" "$2") || { echo "exit status $?"; return 1; }
    [ "$got" = "$wanted" ] || { echo "$got, not $wanted"; return 1; }
    # shellcheck disable=SC2053 # a pattern it is
    [[ $got == $1 ]] || { echo "$got, not $1"; return 1; }
}

waits() # VARIABLE=VALUE...: prints what became of a thread that waits
{
    HEIST_OMP_STATS=1 with_heist 2 env "$@" "$scratch/environment" waiting 2>&1
}

# Whether waiting threads go to sleep. A thread that has no CPU for as long as it would wait does not sleep: on a busy
# machine the program runs again.
sleeps() # some|none VARIABLE=VALUE...
{
    local output tries=1
    [ "$1" = none ] || tries=10
    for ((; tries > 0; tries--)); do
        output=$(waits "${@:2}") || return 1
        case $1 in
        some) [[ $output == *'sleeps '[1-9]* ]] && return ;;
        none) [[ $output == *'sleeps 0'* ]] && return ;;
        esac
    done
    echo "$output"
    return 1
}

run_case OMP_NUM_THREADS_is_the_number_of_threads means_the_same '3 1 6, at most 3,*' threads OMP_NUM_THREADS=3 \
    OMP_MAX_ACTIVE_LEVELS=1
run_case OMP_NUM_THREADS_may_be_a_list means_the_same '3 2 6, at most 3,*' threads OMP_NUM_THREADS=3,2 \
    OMP_MAX_ACTIVE_LEVELS=2
run_case OMP_MAX_ACTIVE_LEVELS_ends_nesting means_the_same '3 1 6*levels 1' threads OMP_NUM_THREADS=3,2 \
    OMP_MAX_ACTIVE_LEVELS=1
# libomp warns that the variable is deprecated.
run_case OMP_NESTED_lets_regions_nest means_the_same '3 3 6*' threads OMP_NUM_THREADS=3 OMP_NESTED=true
run_case without_OMP_NESTED_they_do_not means_the_same '3 1 6*' threads OMP_NUM_THREADS=3 OMP_NESTED=false
run_case OMP_THREAD_LIMIT_limits means_the_same '4 1 4,*limit 4,*' threads OMP_NUM_THREADS=6 OMP_THREAD_LIMIT=4 \
    OMP_MAX_ACTIVE_LEVELS=1
run_case threads_beyond_OMP_THREAD_LIMIT_take_no_memory means_the_same '4 threads, little memory' few_of_many \
    OMP_THREAD_LIMIT=4
if [ "$(nproc)" -ge 2 ]; then
    cpus=$(taskset -pc $$ | sed 's/.*: //; s/[-,].*//')
    run_case OMP_PROC_BIND_and_OMP_PLACES_put_threads_on_CPUs means_the_same \
        'bind [1-9]*, 1 places, 4 threads: 100.1 *' \
        places OMP_PROC_BIND=close "OMP_PLACES={$cpus}"
    run_case OMP_PLACES_of_all_cores means_the_same 'bind [1-9]*4 threads: *' places OMP_PROC_BIND=spread \
        OMP_PLACES=cores
    run_case OMP_PROC_BIND_false_binds_nobody means_the_same 'bind 0,*' places OMP_PROC_BIND=false
fi
if [ "${SANITIZE:-none}" = none ]; then # with a large array on the stack, ASan has other wishes
    run_case OMP_STACKSIZE_is_the_size_of_stacks means_the_same '40 MiB or more' stack OMP_STACKSIZE=40M
fi
run_case OMP_MAX_TASK_PRIORITY_is_the_highest means_the_same 7 priority OMP_MAX_TASK_PRIORITY=7
run_case without_OMP_MAX_TASK_PRIORITY_it_is_0 means_the_same 0 priority
run_case OMP_CANCELLATION_lets_cancel_cancel means_the_same '1 0' cancellation OMP_CANCELLATION=true
run_case without_OMP_CANCELLATION_it_does_not means_the_same '0 110' cancellation OMP_CANCELLATION=false
run_case OMP_DYNAMIC_is_seen means_the_same 1 dynamic OMP_DYNAMIC=true
run_case without_OMP_DYNAMIC_too means_the_same 0 dynamic OMP_DYNAMIC=false
run_case OMP_WAIT_POLICY_passive_sleeps sleeps some OMP_WAIT_POLICY=passive
run_case OMP_WAIT_POLICY_active_does_not sleeps none OMP_WAIT_POLICY=active
case $RUNTIME in
libgomp)
    run_case GOMP_SPINCOUNT_of_0_sleeps sleeps some GOMP_SPINCOUNT=0 OMP_WAIT_POLICY=active
    run_case GOMP_SPINCOUNT_of_many_does_not sleeps none GOMP_SPINCOUNT=30G
    run_case GOMP_SPINCOUNT_infinite_does_not sleeps none GOMP_SPINCOUNT=infinite OMP_WAIT_POLICY=passive
    ;;
libomp)
    run_case KMP_BLOCKTIME_of_0_sleeps sleeps some KMP_BLOCKTIME=0 OMP_WAIT_POLICY=active
    run_case KMP_BLOCKTIME_infinite_does_not sleeps none KMP_BLOCKTIME=infinite
    ;;
esac
end_cases
