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

prints_once() # PATTERN COMMAND...
{
    local output
    output=$("${@:2}" 2>&1) || true
    [ "$(grep -c -- "$1" <<<"$output")" -eq 1 ] || { echo "printed: $output"; return 1; }
}

prints_nothing_of() # PATTERN COMMAND...
{
    local output
    output=$("${@:2}" 2>&1) || true
    ! grep -- "$1" <<<"$output"
}

refuses() # STATUS COMMAND...
{
    local status=0
    "${@:2}" || status=$?
    [ "$status" -eq "$1" ] || { echo "exit status $status"; return 1; }
}

is_told() # PATTERN COMMAND...: it is refused, status 2, in one line of stderr that matches
{
    local said status=0
    "${@:2}" >"$scratch/out" 2>"$scratch/err" || status=$?
    said=$(cat "$scratch/err")
    # shellcheck disable=SC2053 # a pattern it is
    if [ "$status" -ne 2 ] || [ -s "$scratch/out" ] || [[ $said == *$'\n'* || $said != $1 ]]; then
        echo "exit status $status, stdout: $(cat "$scratch/out"), stderr: $said"
        return 1
    fi
}

is_one_process() # COMMAND...: it becomes the program, which gets its signals then; the program prints its number
{
    local numbers
    # shellcheck disable=SC2016 # the other shell's
    numbers=$(sh -c 'echo $$; exec "$@"' sh "$@")
    [ "${numbers%%$'\n'*}" = "${numbers##*$'\n'}" ] || { echo "$numbers"; return 1; }
}

compile taskwait
compile without_tasks
compile serial
printf '#!/bin/sh\nexec "%s"\n' "$scratch/taskwait" >"$scratch/script"
chmod +x "$scratch/script"
printf 'int main(void) { return 7; }\n' >"$scratch/plain.c"
gcc "$scratch/plain.c" -o "$scratch/plain"
printf '#!/bin/sh\necho "$@"\n' >"$scratch/echo"
# shellcheck disable=SC2016 # the other shell's
printf '#!/bin/sh\necho $$\n' >"$scratch/number"
chmod +x "$scratch/echo" "$scratch/number"

run_case the_program_runs says '6765 100 100 100' "$HEIST_OMP" "$scratch/taskwait"
run_case stats_are_printed_at_the_end says \
    '*heist-omp: tasks 22090, run at once [0-9]*, stolen [0-9]*, waits that helped [0-9]*, sleeps [0-9]*' \
    "$HEIST_OMP" --stats "$scratch/taskwait"
writes_statistics() # the file of HEIST_STATS has the counts of the line that --stats prints, and stderr has none
{
    rm -f "$scratch/stats.json"
    HEIST_STATS=$scratch/stats.json "$HEIST_OMP" "$scratch/taskwait" >/dev/null 2>"$scratch/err"
    [ ! -s "$scratch/err" ] || { cat "$scratch/err"; return 1; }
    python3 - "$scratch/stats.json" <<'END'
import json, sys
found = json.load(open(sys.argv[1]))['openmp']
assert found['tasks'] == 22090 and 0 <= found['run_at_once'] <= 22090 and found['stolen'] <= 22090, found
END
}
run_case heist_stats_prints_them_too says '*heist-omp: tasks 22090,*' env HEIST_STATS=1 "$HEIST_OMP" "$scratch/taskwait"
run_case heist_stats_writes_them_to_a_file writes_statistics
cat >"$scratch/stolen.c" <<'END'
#include <unistd.h>
int main(void)
{
    /* Each task is moved in a batch, and from there to another thread. */
#pragma omp parallel num_threads(8)
#pragma omp single
    for (int i = 0; i < 2000; i++) {
#pragma omp task
        usleep(20);
    }
    return 0;
}
END
"$COMPILER" -O2 -fopenmp "$scratch/stolen.c" -o "$scratch/stolen" # its sanitizers would not be the library's
steals_at_most_all() # no more tasks are stolen than there are
{
    local said
    said=$("$HEIST_OMP" --stats "$scratch/stolen" 2>&1)
    awk -F'[ ,]+' '/heist-omp: tasks/ { for (i = 1; i < NF; i++) n[$i] = $(i + 1) }
        END { exit !(n["tasks"] == 2000 && n["stolen"] <= n["tasks"]) }' <<<"$said" || { echo "$said"; return 1; }
}
run_case no_more_tasks_are_stolen_than_there_are steals_at_most_all
run_case workers_is_the_number_of_threads says '*, stolen 0,*' "$HEIST_OMP" --stats --workers 1 "$scratch/taskwait"
run_case it_may_be_said_with_an_equals_sign says '*, stolen 0,*' "$HEIST_OMP" --stats --workers=1 "$scratch/taskwait"
run_case what_follows_two_dashes_is_the_program says '6765 100 100 100' "$HEIST_OMP" -- "$scratch/taskwait"
run_case verbose_names_the_runtime says "*uses*runtime, $RUNTIME*entries wrapped*run on heist*" \
    "$HEIST_OMP" --verbose "$scratch/taskwait"
run_case without_tasks_regions_stay_the_runtimes says "*nothing loaded creates tasks*$RUNTIME's*495000" \
    "$HEIST_OMP" --verbose "$scratch/without_tasks"
run_case the_library_is_found_by_the_runtime says "*$RUNTIME: $(basename "$HEIST_LIBRARY") is preloaded*6765 *" \
    env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --verbose "$scratch/taskwait"
if [ "$SANITIZE" = none ]; then
    run_case without_a_runtime_one_of_both_says_so prints_once 'no OpenMP runtime is loaded: nothing to serve' \
        env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --verbose "$scratch/plain"
else
    ignore_case without_a_runtime_one_of_both_says_so 'both libraries speak when they are built with a sanitizer'
fi
run_case with_both_preloaded_the_right_one_serves says '*is a script*run on heist*6765*' \
    env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --verbose "$scratch/script"
# Both are preloaded there, and one is to speak.
run_case with_both_preloaded_one_prints_stats prints_once 'heist-omp: tasks' \
    env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --stats "$scratch/script"
run_case with_both_preloaded_nobody_lacks_the_other_runtime prints_nothing_of 'no libo*g*omp is loaded' \
    env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --verbose "$scratch/script"
run_case with_both_preloaded_one_knows_the_runtime prints_once 'entries wrapped' \
    env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --verbose "$scratch/script"
run_case without_a_runtime_no_stats_are_printed prints_nothing_of 'heist-omp: tasks' \
    env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --stats "$scratch/plain"
# A program that asks by weak references whether there is OpenMP finds the preloaded library.
cat >"$scratch/weak.c" <<'END'
#include <dlfcn.h>
#include <stdio.h>
extern void omp_set_num_threads(int) __attribute__((weak));
extern void omp_set_schedule(int, int) __attribute__((weak));
extern int omp_in_final(void) __attribute__((weak));
extern void omp_set_lock(void *) __attribute__((weak)), omp_unset_lock(void *) __attribute__((weak));
extern int omp_test_lock(void *) __attribute__((weak));
int main(int argc, char **argv)
{
    if (omp_set_num_threads) omp_set_num_threads(3);
    if (omp_set_schedule) omp_set_schedule(1, 1);
    void *lock = 0;
    if (omp_set_lock) omp_set_lock(&lock);
    if (omp_unset_lock) omp_unset_lock(&lock);
    if (omp_test_lock && !omp_test_lock(&lock)) return 1;
    int final = omp_in_final ? omp_in_final() : 0;
    if (argc == 1) return printf("%d\n", final) < 0;
    /* And once a runtime has come along, the same call reaches that. */
    void *runtime = dlopen(argv[1], RTLD_LAZY | RTLD_LOCAL);
    int (*most)(void) = runtime ? (int (*)(void))dlsym(runtime, "omp_get_max_threads") : 0;
    if (!most || !omp_set_num_threads) return 1;
    omp_set_num_threads(5);
    return printf("%d\n", most()) < 0;
}
END
gcc "$scratch/weak.c" -o "$scratch/weak" -ldl
run_case without_a_runtime_settings_are_ignored says '*plugins that it loads are served
0' env -u HEIST_OMP_LIBRARY "$HEIST_OMP" "$scratch/weak"
run_case and_reach_one_that_comes_later says '*
5' env -u HEIST_OMP_LIBRARY "$HEIST_OMP" "$scratch/weak" "$(runtime_file)"
run_case a_script_passes_it_on says '*is a script*6765*' "$HEIST_OMP" --verbose "$scratch/script"
run_case a_program_without_openmp_is_told says '*not linked to an OpenMP runtime*' "$HEIST_OMP" "$scratch/plain"
run_case the_exit_status_is_the_programs refuses 7 "$HEIST_OMP" "$scratch/plain"
run_case it_becomes_the_program is_one_process "$HEIST_OMP" "$scratch/number"
run_case its_arguments_are_passed_on says '--stats a  b' "$HEIST_OMP" "$scratch/echo" --stats 'a  b'
run_case no_program_is_a_wrong_use is_told 'heist-omp: which program? see *' "$HEIST_OMP" --stats
run_case an_unknown_option_is_a_wrong_use is_told 'heist-omp: unknown option --worker; see *' \
    "$HEIST_OMP" --worker 2 "$scratch/taskwait"
run_case its_version_is_told says 'heist-omp [0-9]*.[0-9]*.[0-9]*' sh -c '"$0" --version 2>/dev/null' "$HEIST_OMP"
run_case an_unknown_program_is_refused is_told 'heist-omp: no-such-program: not found' "$HEIST_OMP" no-such-program
mkdir "$scratch/path"
for name in test say; do
    cp "$scratch/taskwait" "$scratch/path/$name"
    run_case "${name}_is_a_program_and_not_the_shells_own" says '6765 100 100 100' \
        env PATH="$scratch/path:$PATH" "$HEIST_OMP" "$name"
done
run_case a_missing_file_is_told is_told 'heist-omp: ./no/such: there is no such file' "$HEIST_OMP" ./no/such
run_case a_command_that_starts_a_program_is_told_what_is_served says '*programs that it starts*6765 *' \
    env -u HEIST_OMP_LIBRARY "$HEIST_OMP" env "$scratch/taskwait"
archive=$(gcc -print-file-name=libgomp.a)
if [ "$RUNTIME" = libgomp ] && [ -f "$archive" ] && [ ${#sanitizers[@]} -eq 0 ] &&
    gcc -fopenmp -c "$programs/taskwait.c" -o "$scratch/inside.o" &&
    gcc "$scratch/inside.o" "$archive" -o "$scratch/inside" -lpthread -ldl; then
    run_case a_program_with_libgomp_inside_is_told says '*has an OpenMP runtime inside*6765 *' \
        "$HEIST_OMP" "$scratch/inside"
fi
run_case a_directory_is_refused is_told "heist-omp: $scratch: cannot be executed" "$HEIST_OMP" "$scratch"
run_case what_is_no_program_is_refused is_told "heist-omp: $scratch/plain.c: cannot be executed" \
    "$HEIST_OMP" "$scratch/plain.c"
for number in 0 '' two 2x -1 1000000; do
    run_case "${number:-nothing}_is_no_number_of_workers" is_told \
        "heist-omp: --workers: $number is not a number of threads" "$HEIST_OMP" --workers "$number" "$scratch/taskwait"
done
run_case workers_without_a_number_are_refused is_told 'heist-omp: --workers needs a number' "$HEIST_OMP" --workers
sed 's,^installed_in=.*,installed_in=/nonexistent,' "$HEIST_OMP" >"$scratch/alone"
run_case without_its_library_it_says_what_to_say is_told \
    "heist-omp: $(basename "$HEIST_LIBRARY") was not found; say where it is with HEIST_OMP_LIBRARY" \
    env -u HEIST_OMP_LIBRARY sh "$scratch/alone" "$scratch/taskwait"
run_case a_library_that_is_named_must_be_there is_told 'heist-omp: HEIST_OMP_LIBRARY: there is no file /no/such' \
    env HEIST_OMP_LIBRARY=/no/such "$HEIST_OMP" "$scratch/taskwait"
mkdir "$scratch/a:b" "$scratch/a b"
ln -s "$HEIST_LIBRARY" "$scratch/a:b/lib.so"
ln -s "$HEIST_LIBRARY" "$scratch/a b/lib.so"
run_case a_colon_in_its_path_is_refused is_told \
    '*lib.so: the loader cannot preload a library with a colon in its path' \
    env HEIST_OMP_LIBRARY="$scratch/a:b/lib.so" "$HEIST_OMP" "$scratch/taskwait"
run_case a_space_in_its_path_does_no_harm says '*tasks 22090, *' \
    env HEIST_OMP_LIBRARY="$scratch/a b/lib.so" "$HEIST_OMP" --stats "$scratch/taskwait"
run_case a_library_of_the_working_directory_may_be_named_alone says '*tasks 22090, *' \
    env -C "$scratch/a b" HEIST_OMP_LIBRARY=lib.so "$HEIST_OMP" --stats "$scratch/taskwait"
cp "$scratch/plain" "$scratch/setuid"
chmod u+s "$scratch/setuid"
run_case a_setuid_program_is_told says '*setuid is setuid or setgid: nothing can be preloaded*' \
    "$HEIST_OMP" "$scratch/setuid"
# shellcheck disable=SC2016 # the other shell's
run_case help_is_printed_where_it_was_asked_for says 'usage: heist-omp*--workers N*' \
    sh -c '"$0" --help 2>/dev/null' "$HEIST_OMP"
# shellcheck disable=SC2016 # the other shell's
run_case so_it_is_for_the_short_option says 'usage: heist-omp*' sh -c '"$0" -h 2>/dev/null' "$HEIST_OMP"
run_case which_is_no_wrong_use refuses 0 "$HEIST_OMP" -h
if [ "$RUNTIME" = libomp ]; then
    compile old_entries
    run_case code_for_the_other_runtime_is_told says '*GOMP_ entries*left alone*100 200 206' \
        "$HEIST_OMP" "$scratch/old_entries"
    run_case and_nothing_of_it_is_served says '*tasks 0, *' "$HEIST_OMP" --stats "$scratch/old_entries"
    run_case without_throttling_all_tasks_are_put_off says '*tasks 22090, run at once 0, *' \
        env KMP_ENABLE_TASK_THROTTLING=0 "$HEIST_OMP" --stats --workers 2 "$scratch/taskwait"
    run_case throttling_may_be_off_in_words says '*tasks 22090, run at once 0, *' \
        env KMP_ENABLE_TASK_THROTTLING=FALSE "$HEIST_OMP" --stats --workers 2 "$scratch/taskwait"
    run_case with_throttling_they_are_not says '*tasks 22090, run at once [1-9]*' \
        env KMP_ENABLE_TASK_THROTTLING=1 "$HEIST_OMP" --stats --workers 2 "$scratch/taskwait"
    gcc -fopenmp -c "$programs/taskwait.c" -o "$scratch/of_gcc.o"
    gcc "$scratch/of_gcc.o" "$(runtime_file)" -o "$scratch/of_gcc"
    run_case tasks_of_gcc_on_libomp_are_told says '*GOMP_ entries*left alone*tasks 0, *6765*' \
        "$HEIST_OMP" --stats "$scratch/of_gcc"
    printf '#!/bin/sh\nexec "%s"\n' "$scratch/of_gcc" >"$scratch/script_of_gcc"
    chmod +x "$scratch/script_of_gcc"
    run_case so_they_are_with_both_preloaded says '*GOMP_ entries*left alone*tasks 0, *6765*' \
        env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --stats "$scratch/script_of_gcc"
    run_case and_nobody_says_otherwise prints_nothing_of 'run on heist' \
        env -u HEIST_OMP_LIBRARY "$HEIST_OMP" --verbose "$scratch/script_of_gcc"
    gcc -fopenmp "$scratch/of_gcc.o" -o "$scratch/of_libgomp"
    mkdir "$scratch/as_libgomp"
    ln -s "$(runtime_file)" "$scratch/as_libgomp/libgomp.so.1"
    run_case libomp_under_libgomps_name_is_told says '*is not libgomp*left alone*tasks 0, *6765*' \
        env -u HEIST_OMP_LIBRARY LD_LIBRARY_PATH="$scratch/as_libgomp" "$HEIST_OMP" --stats "$scratch/of_libgomp"
    # Entries of tasks that are not served: the program is libomp's as a whole. A call that comes by dlsym ends it with
    # a sentence.
    for entry in __kmpc_task_get_successors __kmpc_start_record_task __kmpc_task_of_tomorrow; do
        cat >"$scratch/calls.c" <<END
#include <stdio.h>
extern void $entry(void) __attribute__((weak));
int main(int argc, char **argv)
{
    (void)argv;
    int done = 0;
    if (argc > 5) $entry();
#pragma omp parallel
#pragma omp single
#pragma omp task shared(done)
    done = 1;
    return printf("%d\\n", done) < 0;
}
END
        "$COMPILER" -fopenmp "$scratch/calls.c" -o "$scratch/calls"
        run_case "a_program_that_calls_${entry#__kmpc_}_is_left_to_libomp" says \
            "*calls $entry, which is not served: it is left to libomp*tasks 0, *" "$HEIST_OMP" --stats "$scratch/calls"
        run_case "and_ends_well_without_${entry#__kmpc_}" says "*
1" "$HEIST_OMP" "$scratch/calls"
    done
    cat >"$scratch/asks.c" <<'END'
#include <dlfcn.h>
#include <stddef.h>
extern void *__kmpc_omp_task_alloc(void *, int, int, size_t, size_t, void *);
int main(void)
{
    void *(*get)(void *) = (void *(*)(void *))dlsym(RTLD_DEFAULT, "__kmpc_task_get_successors");
#pragma omp parallel num_threads(2)
#pragma omp single
    get(__kmpc_omp_task_alloc(NULL, 0, 1, 64, 0, NULL));
    return 0;
}
END
    "$COMPILER" -fopenmp "$scratch/asks.c" -o "$scratch/asks" -ldl
    run_case an_entry_that_is_not_served_ends_the_program_with_a_sentence says \
        '*heist-omp: __kmpc_task_get_successors: nodes of dependences are not served*' "$HEIST_OMP" "$scratch/asks"
    compile nest_lock
    gcc -fopenmp "$programs/nest_lock.c" -o "$scratch/other"
    run_case locks_of_the_other_runtime_are_its_own says '3 0 100' with_heist 4 "$scratch/other"
fi
if [ "$RUNTIME" = libgomp ] && [ ${#sanitizers[@]} -eq 0 ]; then
    gcc -fopenmp -fPIC -shared -DLIBRARY "$programs/later/target_memset.c" -o "$scratch/libmemset.so"
    gcc -fopenmp "$programs/later/target_memset.c" -o "$scratch/target_memset" -L"$scratch" -lmemset \
        -Wl,-rpath,"$scratch"
    run_case a_memset_of_gcc_16_waits_for_the_task_before_it says '0 wrong' "$HEIST_OMP" "$scratch/target_memset"
fi
if gcc -static "$scratch/plain.c" -o "$scratch/static" 2>/dev/null; then
    run_case a_static_program_is_told says '*statically linked*' "$HEIST_OMP" "$scratch/static"
else
    ignore_case a_static_program_is_told 'no static C library'
fi
if gcc -static-pie "$scratch/plain.c" -o "$scratch/static_pie" 2>/dev/null; then
    run_case a_static_pie_program_is_told says '*statically linked*' "$HEIST_OMP" "$scratch/static_pie"
else
    ignore_case a_static_pie_program_is_told 'no static C library'
fi
# gcc's AddressSanitizer must be preloaded first, and ends the program otherwise.
if [ "$RUNTIME" = libgomp ] && [ ${#sanitizers[@]} -eq 0 ] &&
    gcc -fsanitize=address -fopenmp "$programs/taskwait.c" -o "$scratch/asan" 2>/dev/null; then
    run_case a_program_with_asan_is_served says '*tasks 22090, *6765 100 100 100' "$HEIST_OMP" --stats "$scratch/asan"
    run_case also_where_asan_is_preloaded_already says '*tasks 22090, *6765 100 100 100' \
        env LD_PRELOAD="$(gcc -print-file-name=libasan.so)" "$HEIST_OMP" --stats "$scratch/asan"
fi
end_cases
