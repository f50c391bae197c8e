#!/usr/bin/env bash
# gdb.sh SOURCE_DIR BUILD_DIR COMPILER...: tasks have their own names in gdb, with tools/gdb/heist-gdb.py.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
source_dir=$1 build_dir=$2
compiler=("${@:3}")
make_scratch

cat >"$scratch/walk.c" <<'END'
#include <heist/heist.h>
HEIST_TASK(long, walk, int, n)
{
    if (n < 2) return n;
    HEIST_SPAWN(left, walk, n - 1);
    long right = HEIST_CALL(walk, n - 2);
    return HEIST_SYNC(left) + right;
}
int main(void) { return HEIST_RUN(NULL, walk, 12) != 144; }
END

# debug COMMAND...: what gdb says of the program. Under stress nearly every child is stolen.
debug()
{
    local arguments=() command
    for command in "$@"; do arguments+=(-ex "$command"); done
    HEIST_STRESS=1 HEIST_WORKERS=4 LD_LIBRARY_PATH=$build_dir/lib gdb -nx -batch -ex 'set breakpoint pending on' \
        -ex 'set debuginfod enabled off' -ex "source $source_dir/tools/gdb/heist-gdb.py" "${arguments[@]}" \
        "$scratch/walk" 2>&1
}

# says TEXT PATTERN...
says()
{
    local text=$1 pattern
    shift
    for pattern in "$@"; do
        grep -qE -- "$pattern" <<<"$text" || { printf 'not said: %s\n%s\n' "$pattern" "$text"; return 1; }
    done
}

break_finds_the_task()
{
    says "$(debug 'break walk if n == 4' run bt)" '^#0 +walk \(n=4\) at ' 'in walk \(n=[5-9]|in main'
}
heist_break_finds_it() { says "$(debug 'heist break walk if n == 4' run bt)" '^#0 +walk \(n=4\) at '; }
no_such_task() { says "$(debug 'heist break nothing')" 'there is no task nothing'; }
one_frame_a_task()
{
    ! grep -E '(^#[0-9]+ +| in )heist(__|\.)' \
        <<<"$(debug 'heist break walk if n == 4' run bt | sed -n '/^#0/,$p')"
}
workers_are_listed()
{
    says "$(debug 'heist break walk if n == 2' run 'heist workers')" \
        'thread [0-9]+ ".*": walk \(n=2\)' 'tasks on its stack: [1-9]'
}
parents_are_listed()
{
    says "$(debug 'heist break walk if n == 1' run 'heist parents')" \
        '": walk \(n=1\)' 'walk \(n=12\)' 'stolen from thread'
}

"${compiler[@]}" -O0 -g "$scratch/walk.c" -o "$scratch/walk" -I"$source_dir/include" -I"$build_dir/include" \
    -L"$build_dir/lib" -lheist -pthread
if ! command -v gdb >/dev/null ||
    ! says "$(debug 'break main' run 'python print(7)' 2>&1)" 'Breakpoint 1, (0x[0-9a-f]+ in )?main' '^7$' \
        >/dev/null; then
    ignore_case tasks_have_names_in_gdb 'there is no gdb with Python that can run a program'
    end_cases
    exit
fi
run_case break_finds_the_task break_finds_the_task
run_case heist_break_finds_the_task heist_break_finds_it
run_case an_unknown_task_is_told no_such_task
run_case a_backtrace_has_one_frame_a_task one_frame_a_task
run_case heist_workers_shows_tasks workers_are_listed
run_case heist_parents_crosses_steals parents_are_listed
end_cases
