# shellcheck shell=bash disable=SC2154 # the caller sets full, cores, workers and used_cores
# plan.sh: the measurements of tools/sweep. Sourced. plan calls `step NAME WORKLOAD OPTION...` for each; heist-perf
# writes NAME.json. The long sweep has more runs, larger problems and more settings.
#
# Peers without a cut-off take a hundred times as long for a task as heist: the sizes are small enough for them.

plan()
{
    local runs=5 few=5 fib=32 tasks=1000000 queens=11 sort=1000000 strassen=512 tree=T3S trees='' threads=1
    local sizes=1000,2000 blas=serial,openblas,blis bits=20,24 batches=100,200,500,1000,5000,20000
    local submitted=50000 wakes=200 steals=2000 there=none pieces=100
    if $full; then
        runs=11 few=3 queens=12 sort=1000000,10000000 strassen=512,1024 tree=T3 trees=T1,T2,T4,T5 threads=1,2
        sizes=500,1000,2000,3000 blas=all bits=16,20,24,26 batches=100,200,500,1000,2000,5000,10000,20000,50000
        submitted=200000 wakes=1000 steals=20000 there=all pieces=400
    fi
    local all=(--workers "$workers" --against all --runs "$runs")
    local modes=static,shared,steal,hybrid,auto more name

    # Tasks that do little: where workers share cores, some peers take seconds for what heist does in milliseconds. They
    # are left out there, or run a few times.
    more=$(beyond "$cores" "$workers")
    for name in "fib $fib" "tree $tasks" "wide $tasks"; do
        # shellcheck disable=SC2086 # two words
        set -- $name
        step "$1" "$1" --size "$2" --workers "$used_cores" --against all --runs "$runs"
        [ -z "$more" ] || step "$1-beyond" "$1" --size "$2" --workers "$more" --against "$there" --runs "$few"
    done
    step nqueens nqueens --size "$queens" "${all[@]}"
    step for for --schedule auto "${all[@]}"
    step sort sort --size "$sort" "${all[@]}"
    step strassen strassen --size "$strassen" "${all[@]}"
    # Only one of the large trees with the peers: libomp takes a minute for a run of T4 or T5, heist 0.2 s.
    step uts uts --size "$tree" --workers "$used_cores" --against all --runs "$few"
    [ -z "$more" ] || step uts-beyond uts --size "$tree" --workers "$more" --against all --runs "$few"
    [ -z "$trees" ] || step uts-trees uts --size "$trees" --workers "$workers" --against serial --runs "$few"
    step gemm gemm --size "$sizes" --type double,single --workers "$used_cores" --against "$blas" --runs "$runs"
    more=$(beyond "$cores" 1,2,4,8,16) # the other rows of the seeds' table
    [ -z "$more" ] || step gemm-beyond gemm --size 1000 --workers "$more" --against none --runs "$runs"
    step lfsr lfsr --size "$bits" --mode "$modes" --workers "$workers" --against serial --runs "$runs"
    step lfsr-batches lfsr --size 24 --mode "$modes" --batch-size "$batches" --workers "${used_cores##*,}" \
        --against serial --runs "$runs"
    step submit submit --size "$submitted" --threads "$threads" --to pool "${all[@]}"
    # At least two workers. Calls inside a task are measured without pauses, which take long.
    more=${used_cores##*,}
    local entered=(--workers "$((more > 2 ? more : 2))" --against all --runs "$runs")
    step enter enter --size "$(printf "%s:$pieces," run loop-{3,12,30,42,209} callers)spawned:$pieces" \
        --from outside "${entered[@]}"
    step enter-inside enter --size "$(printf "%s:$pieces," run loop-{3,12,30,42})loop-209:$pieces" \
        --from inside --state hot "${entered[@]}"
    step wake wake --size "$wakes" --runs "$runs"
    step steal steal --size "$steals" --runs "$runs"
}

# worker_counts CORES: powers of two up to 8 at least and up to CORES, and CORES itself, with commas.
worker_counts()
{
    local count=1 list=
    while [ "$count" -le 8 ] || [ "$count" -le "$1" ]; do
        list+=$count,
        if [ "$count" -lt "$1" ] && [ $((count * 2)) -gt "$1" ]; then
            list+=$1,
        fi
        count=$((count * 2))
    done
    printf '%s\n' "${list%,}"
}

# allowed LIMIT BUDGET SPENT: the seconds that a step may take: LIMIT, or the rest of BUDGET if that is less, but at
# least a few, so that each step has some result.
allowed()
{
    local left=$(($2 - $3))
    if [ "$left" -gt "$1" ]; then
        left=$1
    fi
    printf '%d\n' $((left > 5 ? left : 5))
}

# within CORES LIST, beyond CORES LIST: the counts of LIST that have a core each, and those that have not.
within() { tr ',' '\n' <<<"$2" | awk -v cores="$1" '$1 <= cores' | paste -s -d ','; }
beyond() { tr ',' '\n' <<<"$2" | awk -v cores="$1" '$1 > cores' | paste -s -d ','; }
