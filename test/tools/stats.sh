#!/usr/bin/env bash
# stats.sh FAULTY SOURCE_DIR: HEIST_STATS: each piece of advice is given to a program that has the fault, and none to
# one without; the file is written whole, in each format; thresholds are as the documentation says. HWLOC is empty in a
# build without hwloc, SANITIZE is none in one without sanitizers.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
faulty=$1 source_dir=$2
make_scratch
unset "${!HEIST_@}"
cpus=$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))')
# Where there is little CPU, a thief may not come: a few attempts.
attempts=8

rules() { sed -n 's/^advice (\([a-z-]*\)).*/\1/p' "$scratch/said"; }

is_advised() # RULE FAULT [VARIABLE=VALUE...]
{
    local i
    for ((i = 0; i < attempts; i++)); do
        env HEIST_STATS=1 "${@:3}" "$faulty" "$2" >/dev/null 2>"$scratch/said" || return 1
        rules | grep -qx -- "$1" && return 0
    done
    cat "$scratch/said"
    return 1
}

# A task's time is that of the clock: where others have the CPU, small tasks look longer. Such attempts do not count.
# Status 77: there was no other.
tells_of_small_tasks()
{
    local i used fair=0 TIMEFORMAT='%R %U %S'
    for ((i = 0; i < 30 && fair < 3; i++)); do
        used=$({ time HEIST_STATS=1 HEIST_WORKERS=1 "$faulty" small 2>"$scratch/said"; } 2>&1) || return 1
        if rules | grep -qx task-size; then
            has_words task-size '*ns in the mean*cut-off*'
            return
        fi
        awk '{ exit !($2 + $3 >= 0.7 * $1) }' <<<"$used" && fair=$((fair + 1))
    done
    cat "$scratch/said"
    [ "$fair" -gt 0 ] || return 77
    return 1
}

tells() # STATUS: of tells_of_small_tasks
{
    cat "$scratch/verdict"
    return "$1"
}

# The advice has the figure and what to change.
has_words() # RULE PATTERN
{
    # shellcheck disable=SC2053 # a pattern it is
    [[ $(sed -n "s/^advice ($1): //p" "$scratch/said") == $2 ]] || { cat "$scratch/said"; return 1; }
}

is_advised_in_words() # RULE PATTERN FAULT [VARIABLE=VALUE...]
{
    is_advised "$1" "${@:3}" && has_words "$1" "$2"
}

is_silent() # FAULT [VARIABLE=VALUE...]
{
    local i
    for ((i = 0; i < attempts; i++)); do
        env HEIST_STATS=1 "${@:2}" "$faulty" "$1" 2>"$scratch/said" || return 1
        grep -q '^time of the workers' "$scratch/said" || { cat "$scratch/said"; return 1; }
        [ -n "$(rules)" ] || return 0
    done
    cat "$scratch/said"
    return 1
}

has_pools() # NUMBER
{
    python3 - "$1" "$scratch/stats.json" <<'END'
import json, sys
d = json.load(open(sys.argv[2]))
pools = d['pools']
assert len(pools) == int(sys.argv[1]), pools
for pool in pools:
    assert len(pool['worker']) == pool['workers'] == len(pool['stolen_from'])
    for name, value in pool['all'].items():
        parts = [worker[name] for worker in pool['worker']]
        if name in ('slots_most', 'jobs_most'):
            assert value == max(parts), name
        elif name == 'inbox_full':
            assert sum(parts) in (0, value)
        elif isinstance(value, int) and name not in ('working', 'searching', 'asleep'):
            assert value == sum(parts), name
    for name in ('steal_latency', 'wake_latency'):
        assert pool['all'][name]['count'] == sum(pool['all'][name]['bucket'])
    got = [sum(worker['steal_got'].values()) for worker in pool['worker']]
    assert got == [sum(row) for row in pool['stolen_from']]
END
}

writes_json()
{
    HEIST_STATS=$scratch/stats.json "$faulty" "$1" >/dev/null 2>"$scratch/said"
    [ ! -s "$scratch/said" ] || { cat "$scratch/said"; return 1; }
    has_pools "$2"
}

# Every line is a comment or `name{labels} value`; each metric has one TYPE before its values; buckets only grow.
writes_prometheus()
{
    HEIST_STATS=$scratch/stats.prom "$faulty" pools
    python3 - "$scratch/stats.prom" <<'END'
import re, sys
types, series = {}, {}
for line in open(sys.argv[1]):
    if line.startswith('# TYPE '):
        _, _, name, kind = line.split()
        assert name not in types, name
        types[name] = kind
    elif not line.startswith('# HELP '):
        name, labels, value = re.fullmatch(r'(\w+)\{([^}]*)\} ([0-9.]+)\n', line).groups()
        base = re.sub('_(bucket|sum|count)$', '', name)
        assert name in types or types[base] == 'histogram', line
        assert (name, labels) not in series, line
        series[name, labels] = float(value)
        if name.endswith('_bucket') and 'le="0.000000001"' not in labels:
            assert float(value) >= last, line
        last = float(value)
assert sum(v for (n, l), v in series.items() if n == 'heist_tasks_total') == 3 * 89
END
}

is_refused() # PATTERN FILE: one line on stderr, and the program runs
{
    local said
    said=$(HEIST_STATS=$2 "$faulty" pools 2>&1 >/dev/null | sort -u)
    # shellcheck disable=SC2053 # a pattern it is
    [[ $said == $1 && $said != *$'\n'* ]] || { echo "$said"; return 1; }
}

leaves_links_alone()
{
    echo precious >"$scratch/precious"
    ln -s precious "$scratch/link.json"
    is_refused 'heist: HEIST_STATS: *link.json could not be written: *no regular file' "$scratch/link.json" || return 1
    [ "$(cat "$scratch/precious")" = precious ]
}

leaves_nothing_behind()
{
    mkdir "$scratch/empty"
    local said # by a pipe, which the limit does not concern
    said=$(ulimit -f 0; trap '' XFSZ; HEIST_STATS=$scratch/empty/stats.json "$faulty" pools 2>&1) || true
    if [ -n "$(ls "$scratch/empty")" ] || [[ $said != *'could not be written: File too large'* ]]; then
        ls -l "$scratch/empty"
        echo "$said"
        return 1
    fi
}

# Each threshold of lib/observe/report.h is in the table of lib/observe/STATISTICS.md, with its value.
thresholds_are_documented()
{
    local name value missing=0 page=$source_dir/lib/observe/STATISTICS.md
    while read -r name value; do
        grep -qE "^\| \`$name\` \| $value \|" "$page" || { echo "$name $value"; missing=1; }
    done < <(sed -nE 's/^ *HEIST__ADVICE_([A-Z_]+) = ([0-9]+),.*/\1 \2/p' "$source_dir/lib/observe/report.h")
    [ "$missing" -eq 0 ] && [ "$(grep -cE '^\| `[A-Z_]+` \|' "$page")" -eq 16 ]
}

flat=()
[ -z "$HWLOC" ] || flat=(HEIST_TOPOLOGY='core:2 pu:1') # a machine with hardware threads gets advice of its own
if [ "$SANITIZE" = none ]; then
    status=0
    tells_of_small_tasks >"$scratch/verdict" || status=$?
    if [ "$status" -eq 77 ]; then
        ignore_case small_tasks_are_told 'other programs had the CPU in every attempt'
    else
        run_case small_tasks_are_told tells "$status"
    fi
else
    ignore_case small_tasks_are_told 'a sanitizer makes the smallest task large'
fi
run_case few_tasks_are_told is_advised_in_words task-count '1 tasks for 2 workers*at least 16 tasks.' few \
    HEIST_WORKERS=2
run_case bursts_are_told is_advised_in_words asleep 'workers were woken * times*HEIST_SPIN*' bursts HEIST_WORKERS=2
run_case a_full_inbox_is_told is_advised_in_words inbox '* submissions found the inbox full*HEIST_INBOX*' submit \
    HEIST_INBOX=2 HEIST_WORKERS=1
run_case a_lack_of_slots_is_told is_advised_in_words slots '* spawns became calls*HEIST_SLOTS.' wide HEIST_SLOTS=1024
run_case too_many_workers_are_told is_advised_in_words cpu-quota "$((cpus + 1)) workers have $cpus CPUs*" sound \
    HEIST_WORKERS=$((cpus + 1))
if [ "$cpus" -gt 1 ]; then
    run_case one_producer_is_told is_advised_in_words one-producer '*% of * steals were from worker *' producer \
        HEIST_WORKERS=2
    run_case a_search_in_vain_is_told is_advised_in_words steal-success '*% of the tries*HEIST_WORKERS*' few \
        HEIST_WORKERS=2 HEIST_SPIN=1000000
    run_case a_sound_program_is_told_nothing is_silent sound "${flat[@]}" HEIST_WORKERS=2
else
    for name in one_producer_is_told a_search_in_vain_is_told a_sound_program_is_told_nothing; do
        ignore_case $name 'there is one CPU only'
    done
fi
if [ "$cpus" -gt 1 ] && [ -n "$HWLOC" ]; then
    run_case far_steals_are_told is_advised_in_words far-steals '*beyond the NUMA node*HEIST_BIND=numa*' producer \
        HEIST_TOPOLOGY='pack:2 [numa] core:2 pu:1' HEIST_STEAL=random HEIST_WORKERS=4
    run_case shared_cores_are_told is_advised_in_words shared-cores '2 workers on 1 cores*HEIST_WORKERS=1*' sound \
        HEIST_TOPOLOGY='core:1 pu:2' HEIST_WORKERS=2
else
    ignore_case far_steals_are_told 'there is one CPU only, or no hwloc'
    ignore_case shared_cores_are_told 'there is one CPU only, or no hwloc'
fi
run_case a_json_file_has_all_figures writes_json sound 1
run_case a_json_file_has_every_pool writes_json pools 3
run_case a_prometheus_file_is_well_formed writes_prometheus
run_case a_link_is_left_alone leaves_links_alone
run_case a_missing_directory_is_told is_refused 'heist: HEIST_STATS: *could not be written: No such file*' \
    "$scratch/none/stats.json"
run_case a_device_is_left_alone is_refused '*no regular file' /dev/null
run_case a_full_disk_leaves_nothing_behind leaves_nothing_behind
run_case the_thresholds_are_documented thresholds_are_documented
end_cases
