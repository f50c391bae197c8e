#!/usr/bin/env bash
# command.sh: heist-omp as a user meets it.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$(dirname "$0")/programs.sh"
make_scratch
export HEIST_OMP_LIBRARY=$HEIST_LIBRARY
# The sanitizer's runtime comes first, see programs.sh; shells and compilers leak.
export ASAN_OPTIONS=detect_leaks=0
[ ${#sanitizers[@]} -eq 0 ] || export LD_PRELOAD=${preload%%:*}

says() # PATTERN COMMAND...: what it prints matches
{
    local output
    output=$("${@:2}" 2>&1) || true
    # shellcheck disable=SC2053 # a pattern it is
    [[ $output == $1 ]] || { echo "printed: $output"; return 1; }
}

refuses() # STATUS COMMAND...
{
    local status=0
    "${@:2}" || status=$?
    [ "$status" -eq "$1" ] || { echo "exit status $status"; return 1; }
}

compile taskwait
compile without_tasks
compile serial
printf '#!/bin/sh\nexec "%s"\n' "$scratch/taskwait" >"$scratch/script"
chmod +x "$scratch/script"
printf 'int main(void) { return 7; }\n' >"$scratch/plain.c"
gcc "$scratch/plain.c" -o "$scratch/plain"

run_case the_program_runs says '6765 100 100 100' "$HEIST_OMP" "$scratch/taskwait"
run_case stats_are_printed_at_the_end says '*heist-omp: tasks 22090, run at once *, stolen*' \
    "$HEIST_OMP" --stats "$scratch/taskwait"
run_case workers_is_the_number_of_threads says '*, stolen 0,*' "$HEIST_OMP" --stats --workers 1 "$scratch/taskwait"
run_case verbose_names_the_runtime says "*uses*runtime, $RUNTIME*entries wrapped*run on heist*" \
    "$HEIST_OMP" --verbose "$scratch/taskwait"
run_case without_tasks_regions_stay_the_runtimes says "*nothing loaded creates tasks*$RUNTIME's*495000" \
    "$HEIST_OMP" --verbose "$scratch/without_tasks"
run_case the_library_is_found_by_the_runtime says "*$RUNTIME: $(basename "$HEIST_LIBRARY") is preloaded*6765 *" \
    env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --verbose "$scratch/taskwait"
run_case without_a_runtime_both_are_preloaded says '*no lib* is loaded: nothing to serve*no lib* is loaded: nothing*' \
    env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --verbose "$scratch/plain"
run_case with_both_preloaded_the_right_one_serves says '*is a script*run on heist*6765*' \
    env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --verbose "$scratch/script"
run_case a_script_passes_it_on says '*is a script*6765*' "$HEIST_OMP" --verbose "$scratch/script"
run_case a_program_without_openmp_is_told says '*not linked to an OpenMP runtime*' "$HEIST_OMP" "$scratch/plain"
run_case the_exit_status_is_the_programs refuses 7 "$HEIST_OMP" "$scratch/plain"
run_case no_program_is_a_wrong_use refuses 2 "$HEIST_OMP" --stats
run_case an_unknown_program_is_refused says '*not found*' "$HEIST_OMP" no-such-program
run_case zero_workers_are_refused says '*not a number of threads*' "$HEIST_OMP" --workers 0 "$scratch/taskwait"
run_case help_is_printed says 'usage: heist-omp*' "$HEIST_OMP" --help
if [ "$RUNTIME" = libomp ]; then
    compile old_entries
    run_case code_for_the_other_runtime_is_told says '*GOMP_ entries*left alone*100 200 206' \
        "$HEIST_OMP" "$scratch/old_entries"
    run_case and_nothing_of_it_is_served says '*tasks 0, *' "$HEIST_OMP" --stats "$scratch/old_entries"
    run_case without_throttling_all_tasks_are_put_off says '*tasks 22090, run at once 0, *' \
        env KMP_ENABLE_TASK_THROTTLING=0 "$HEIST_OMP" --stats --workers 2 "$scratch/taskwait"
    gcc -fopenmp -c "$programs/taskwait.c" -o "$scratch/of_gcc.o"
    gcc "$scratch/of_gcc.o" "$(runtime_file)" -o "$scratch/of_gcc"
    run_case tasks_of_gcc_on_libomp_are_told says '*GOMP_ entries*left alone*tasks 0, *6765*' \
        "$HEIST_OMP" --stats "$scratch/of_gcc"
    gcc -fopenmp "$scratch/of_gcc.o" -o "$scratch/of_libgomp"
    mkdir "$scratch/as_libgomp"
    ln -s "$(runtime_file)" "$scratch/as_libgomp/libgomp.so.1"
    run_case libomp_under_libgomps_name_is_told says '*is not libgomp*left alone*tasks 0, *6765*' \
        env -u HEIST_OMP_LIBRARY LD_LIBRARY_PATH="$scratch/as_libgomp" "$HEIST_OMP" --stats "$scratch/of_libgomp"
    compile nest_lock
    gcc -fopenmp "$programs/nest_lock.c" -o "$scratch/other"
    run_case locks_of_the_other_runtime_are_its_own says '3 0 100' with_heist 4 "$scratch/other"
fi
if gcc -static "$scratch/plain.c" -o "$scratch/static" 2>/dev/null; then
    run_case a_static_program_is_told says '*statically linked*' "$HEIST_OMP" "$scratch/static"
else
    ignore_case a_static_program_is_told 'no static C library'
fi
end_cases
