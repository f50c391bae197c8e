#!/usr/bin/env bash
# info.sh HEIST_INFO SOURCE_DIR: heist-info as a user meets it, on this machine, on described ones, and with files of
# machines that have a certain fault. HWLOC is empty in a build without hwloc.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=commands.sh
. "$(dirname "$0")/commands.sh"
info=$1 source_dir=$2
make_scratch
unset "${!HEIST_@}"

# json EXPRESSION COMMAND...: the command prints JSON, and the expression of it, called `d`, is true.
json()
{
    "${@:2}" >"$scratch/out.json" || [ $? -eq 1 ]
    python3 - "$1" "$scratch/out.json" <<'END'
import json, sys
d = json.load(open(sys.argv[2]))
if not eval(sys.argv[1]):
    sys.exit('not so: {} in {}'.format(sys.argv[1], json.dumps(d)[:3000]))
END
}

# ---- this machine ----

shows_every_part()
{
    local part
    "$info" >"$scratch/text"
    for part in 'machine   this one: ' 'core 0 ' 'workers   ' 'limited by the ' 'victims   strategy near' 'fences    ' \
        'inbox     ' 'memory    ' "versions  heist $("$info" --version | cut -d' ' -f2), "; do
        grep -qF -- "$part" "$scratch/text" || { echo "missing: $part"; cat "$scratch/text"; return 1; }
    done
}

counts_as_the_mask_does()
{
    local first
    first=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
    json 'd["limits"]["mask"] == 1 and len(d["workers"]) == 1 and d["limits"]["limited_by"] == "affinity mask"' \
        taskset -c "$first" "$info" --json
}

# group_files DIR MAX: a system whose control group has this cpu.max
group_files()
{
    mkdir -p "$1/proc/self" "$1/group"
    echo '0::/' >"$1/proc/self/cgroup"
    echo '30 23 0:26 / /group rw - cgroup2 cgroup2 rw' >"$1/proc/self/mountinfo"
    echo "$2" >"$1/group/cpu.max"
}

binds_as_asked()
{
    json 'all(w["bound"] for w in d["workers"]) and d["settings"]["bind"] == "core"' env HEIST_BIND=core "$info" --json
}

# ---- described machines ----

machine='pack:2 [numa] l3:2 core:2 pu:2'

draws() # LINE: a line of the tree of the described machine
{
    "$info" --topology "$machine" >"$scratch/text"
    grep -qF -- "$1" "$scratch/text" || { cat "$scratch/text"; return 1; }
}

tree_has_each_core_once()
{
    "$info" --topology "$machine" | sed -nE 's/.*─ (core [0-9]+).*/\1/p' >"$scratch/cores"
    diff <(printf 'core %d\n' {0..7}) "$scratch/cores"
}

# Of worker 0, on core 0: worker 8 is on the same core (siblings come last), 1 shares the cache, 2 and 3 the node.
victims_go_outwards()
{
    json '[(r["level"], sorted(r["workers"])) for r in d["workers"][0]["victims"]] == [("core", [8]), ("cache", [1, 9]),
          ("node", [2, 3, 10, 11]), ("far", [4, 5, 6, 7, 12, 13, 14, 15])]' "$info" --topology "$machine" --json
}

reads_every_recorded_machine()
{
    local file
    for file in "$source_dir"/test/topologies/*.xml; do
        "$info" --topology "$file" >"$scratch/text" || { echo "$file"; return 1; }
        "$info" --topology="$file" --json | python3 -c 'import json, sys; json.load(sys.stdin)' || return 1
        # Every CPU is in the tree once.
        local cpus shown
        cpus=$(sed -n 's/^machine .*: \([0-9]*\) CPUs.*/\1/p' "$scratch/text")
        shown=$(sed -nE 's/.*─ core.*CPU ([0-9]+(, [0-9]+)*).*/\1/p' "$scratch/text" | tr ',' '\n' | grep -c .)
        [ "$cpus" = "$shown" ] || { cat "$scratch/text"; return 1; }
    done
}

large_machine_is_cut()
{
    "$info" --topology 'pack:4 [numa] core:32 pu:2' >"$scratch/text"
    [ "$(grep -c '^  worker ' "$scratch/text")" -eq 16 ] || return 1
    grep -q '240 more workers; --all' "$scratch/text" || return 1
    "$info" --topology 'pack:4 [numa] core:32 pu:2' --all >"$scratch/text"
    [ "$(grep -c '^  worker ' "$scratch/text")" -eq 256 ]
}

# ---- checks ----

# A machine without a fault, as far as files tell.
sound_system()
{
    mkdir -p "$1/sys/kernel/mm/transparent_hugepage" "$1/sys/devices/system/clocksource/clocksource0" "$1/proc/self"
    echo 'always [madvise] never' >"$1/sys/kernel/mm/transparent_hugepage/enabled"
    echo tsc >"$1/sys/devices/system/clocksource/clocksource0/current_clocksource"
    echo '0.00 0.00 0.00 1/100 1234' >"$1/proc/loadavg"
    echo 'cpu  100 0 100 100000 0 0 0 5 0 0' >"$1/proc/stat"
}

# The faults of the machine that runs the tests are left out: what is compared is what the files add.
checks_of()
{
    "$info" --check --system "$1" >"$scratch/checks" || [ $? -eq 1 ]
    sed -n 's/^\([a-z-]*\): .*/\1/p' "$scratch/checks" | sort
}

finds_only() # CHECK DIRECTORY
{
    local without with
    without=$(checks_of "$scratch/sound")
    with=$(checks_of "$2")
    diff <(printf '%s\n%s\n' "$without" "$1" | grep . | sort) <(printf '%s\n' "$with") || return 1
    grep -A 1 "^$1: " "$scratch/checks" | grep -q '^  remedy: .' || { cat "$scratch/checks"; return 1; }
}

faulty() # CHECK: makes the directory
{
    local to=$scratch/$1 cpu
    sound_system "$to"
    case $1 in
    huge-pages) echo 'always madvise [never]' >"$to/sys/kernel/mm/transparent_hugepage/enabled" ;;
    clock) echo hpet >"$to/sys/devices/system/clocksource/clocksource0/current_clocksource" ;;
    load) echo '1.70 0.00 0.00 1/100 1234' >"$to/proc/loadavg" ;;
    virtual-machine) echo 'cpu  100 0 100 1000 0 0 0 500 0 0' >"$to/proc/stat" ;;
    governor)
        for cpu in $(seq 0 "$(nproc --all)"); do
            mkdir -p "$to/sys/devices/system/cpu/cpu$cpu/cpufreq"
            echo powersave >"$to/sys/devices/system/cpu/cpu$cpu/cpufreq/scaling_governor"
        done
        ;;
    esac
}

status_says_whether_there_is_something()
{
    local status=0
    "$info" --check --system "$scratch/load" >/dev/null || status=$?
    [ "$status" -eq 1 ]
}

# The mask of the process decides; with one CPU, two workers are one too many.
tells_of_too_many_workers()
{
    local first
    first=$(python3 -c 'import os; print(min(os.sched_getaffinity(0)))')
    json 'any(c["check"] == "workers" and "HEIST_WORKERS=1" in c["remedy"] for c in d["costs"])' \
        env HEIST_WORKERS=2 taskset -c "$first" "$info" --check --json
}

quota_is_shown()
{
    group_files "$scratch/group-files" '50000 100000'
    json 'd["limits"]["quota"] == 1' "$info" --json --system "$scratch/group-files"
}

quota_is_checked()
{
    sound_system "$scratch/quota"
    group_files "$scratch/quota" '50000 100000'
    finds_only quota "$scratch/quota"
}

run_case this_machine_has_every_part shows_every_part
run_case json_is_json json 'd["machine"]["cpus"] >= 1 and len(d["workers"]) >= 1' "$info" --json
run_case the_mask_limits_the_workers counts_as_the_mask_does
run_case the_variable_limits_the_workers \
    json 'len(d["workers"]) == 3 and d["limits"]["limited_by"] == "HEIST_WORKERS"' \
    env HEIST_WORKERS=3 "$info" --json
run_case the_quota_is_shown quota_is_shown
run_case workers_are_bound_as_asked binds_as_asked
run_case fences_are_told_with_the_reason \
    json 'd["settings"]["fences"] == "both" and "HEIST_FENCES" in d["settings"]["fences_because"]' \
    env HEIST_FENCES=both "$info" --json
if [ -n "$HWLOC" ]; then
    run_case the_tree_has_nodes draws '├─ node 0 (NUMA node 0)'
    run_case the_tree_has_caches draws '│  ├─ cache 0'
    run_case the_tree_has_cores_with_CPUs_and_workers draws '└─ core 1    CPU 2, 3      worker 1, 9'
    run_case the_tree_has_each_core_once tree_has_each_core_once
    run_case victims_go_outwards victims_go_outwards
    run_case every_recorded_machine_is_read reads_every_recorded_machine
    run_case victims_of_a_large_machine_are_cut large_machine_is_cut
    run_case a_description_that_is_none_is_told is_told 'heist-info: *' "$info" --topology 'no such machine'
else
    run_case a_description_is_refused_without_hwloc is_told 'heist-info: *without hwloc*' "$info" --topology "$machine"
fi
faulty sound
for check in huge-pages clock load virtual-machine governor; do
    faulty "$check"
    run_case "check_finds_${check}_and_nothing_else" finds_only "$check" "$scratch/$check"
done
if [ "$(python3 -c 'import os; print(len(os.sched_getaffinity(0)))')" -gt 1 ]; then
    run_case check_finds_the_quota quota_is_checked
else
    ignore_case check_finds_the_quota 'there is one CPU only'
fi
run_case check_finds_too_many_workers tells_of_too_many_workers
run_case the_status_of_check_is_1_if_there_is_something status_says_whether_there_is_something
run_case an_unknown_option_is_told is_told 'heist-info: unknown option --what; see heist-info --help' "$info" --what
run_case an_argument_is_told is_told 'heist-info: unexpected argument what; see heist-info --help' "$info" what
run_case a_missing_value_is_told \
    is_told 'heist-info: --topology needs a value; see heist-info --help' "$info" --topology
run_case a_system_that_is_not_there_is_told \
    is_told 'heist-info: --system: *missing is no directory; see heist-info --help' \
    "$info" --check --system "$scratch/missing"
run_case check_of_another_machine_is_told is_told 'heist-info: --check is *' "$info" --check --topology "$machine"
run_case a_full_disk_is_told is_told_by_full_disk "$info"
run_case help_has_every_option help_has_every_option "$info" "$source_dir/tools/man/heist-info.1"
run_case the_completion_has_every_option completes_every_option "$info" "$source_dir/tools/completion/heist-info"
end_cases
