#!/usr/bin/env bash
# unsteady.sh SOURCE: tools/check repeats a program whose failure may be the machine's, and no other. A project of small
# scripts stands for the tests.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
root=$1
make_scratch
mkdir "$scratch/source"
echo "project('some')" >"$scratch/source/meson.build"

# program NAME: a test whose script is on stdin. $first is true in its first run; `passes` and `fails` print summaries.
program()
{
    {
        cat <<'END'
#!/bin/sh
passes() { echo 'x.c:1:a:PASS'; echo '2 Tests 0 Failures 0 Ignored'; exit 0; }
fails() { echo 'x.c:1:a:FAIL: the reason'; echo '2 Tests 1 Failures 0 Ignored'; exit 1; }
first=true; [ ! -e "$0.ran" ] || first=false; echo run >>"$0.ran"
END
        cat
    } >"$scratch/source/$1"
    chmod +x "$scratch/source/$1"
    printf "test('%s', files('%s'), suite: 'some', timeout: 6)\n" "$1" "$1" >>"$scratch/source/meson.build"
}

# The first run of `hang` and `starved` prints what a watchdog does.
# shellcheck disable=SC2016 # the scripts expand it
{
    program steady <<<'passes'
    program flaky <<<'$first && fails; passes'
    program broken <<<'fails'
    program rare <<<'$first && fails; [ "$(wc -l <"$0.ran")" -eq 3 ] && fails; passes'
    program crash <<<'$first && kill -SEGV $$; passes'
    program crash_within <<<'$first && echo "exit status 139" && fails; passes'
    program race <<<'$first && echo "WARNING: ThreadSanitizer: data race" >&2 && fails; passes'
    program leak <<<'$first && echo "2 Tests 0 Failures 0 Ignored" && exit 99; passes'
    program slow <<<'$first && exec sleep 60; passes'
    program hang <<<'$first && echo ":watchdog:0:hang:FAIL: x (no CPU for 900 of 50000 ms)" && kill -ABRT $$; passes'
    program starved <<<'$first && echo ":watchdog:0:hang:FAIL: x (no CPU for 49000 of 50000 ms)" && kill -ABRT $$
passes'
}

# The project as a configuration of tools/check.
{
    # shellcheck disable=SC2034 # for configurations.sh
    builddir=$scratch/build
    # shellcheck source-path=SCRIPTDIR source=../../tools/lib/configurations.sh
    . "$root/tools/lib/configurations.sh"
    meson setup "$builddir/b" "$scratch/source"
    begin 'some scripts'
    run_tests b b 100 --suite some
    summarise
} >"$scratch/said" 2>&1

says() { grep -qE -- "$1" "$scratch/said" || { cat "$scratch/said"; echo "it does not say: $1"; return 1; }; }
runs() { [ "$(wc -l <"$scratch/source/$1.ran")" -eq "$2" ] || { echo "$1 was not run $2 times"; return 1; }; }
is_unsteady() { runs "$1" 4 && says "^---- UNSTEADY, it passed when it was repeated alone: ([a-z:]+ / )?$1 \\("; }
fails_again() { runs "$1" 4 && says "^---- ([a-z:]+ / )?$1 \\("; }
fails_at_once() { runs "$1" 1 && says "^---- ([a-z:]+ / )?$1 \\("; }
output_of_the_first_run() { awk '/^---- UNSTEADY.* flaky /,/Tests/' "$scratch/said" | grep -q 'FAIL: the reason'; }

run_case a_failure_that_does_not_come_again_is_unsteady is_unsteady flaky
run_case its_first_output_is_shown output_of_the_first_run
run_case a_failure_that_comes_again_is_one fails_again broken
run_case a_failure_that_comes_again_once_is_one fails_again rare
run_case what_passed_is_not_repeated runs steady 1
run_case a_crash_is_a_failure fails_at_once crash
run_case a_crash_within_a_script_is_a_failure fails_at_once crash_within
run_case a_report_of_a_sanitizer_is_a_failure fails_at_once race
run_case a_report_of_valgrind_is_a_failure fails_at_once leak
run_case a_program_that_runs_out_of_time_is_a_failure fails_at_once slow
run_case a_hang_with_cpu_is_a_failure fails_at_once hang
run_case a_hang_without_cpu_is_repeated is_unsteady starved
run_case the_line_of_the_configuration_names_them says '^some scripts +9 passed, 8 failed, 2 UNSTEADY \('
run_case the_summary_names_them says '^UNSTEADY: 2 failed once and passed 3 times'
run_case the_last_line_is_as_ever [ "$(tail -n 1 "$scratch/said")" = '9 passed, 8 failed' ]
end_cases
