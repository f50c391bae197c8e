# shellcheck shell=bash
# cases.sh: lets a shell script report as a Unity program does: a line per case, then `N Tests N Failures N Ignored`,
# which is what tools/check counts. Sourced, not run.
cases_run=0 cases_failed=0 cases_ignored=0
cases_name=$(basename "$0" .sh)

# run_case SENTENCE COMMAND...: the case passes when the command does; otherwise the output of the command is shown.
run_case()
{
    local sentence=$1 output
    shift
    cases_run=$((cases_run + 1))
    if output=$("$@" 2>&1); then
        printf '%s:%s:PASS\n' "$cases_name" "$sentence"
    else
        cases_failed=$((cases_failed + 1))
        printf '%s:%s:FAIL\n%s\n' "$cases_name" "$sentence" "$output"
    fi
}

ignore_case()
{
    cases_run=$((cases_run + 1)) cases_ignored=$((cases_ignored + 1))
    printf '%s:%s:IGNORE: %s\n' "$cases_name" "$1" "$2"
}

# end_cases: the script's last command; its status is the script's.
end_cases()
{
    printf '\n-----------------------\n%d Tests %d Failures %d Ignored\n' "$cases_run" "$cases_failed" "$cases_ignored"
    [ "$cases_failed" -eq 0 ]
}

# make_scratch: a directory in $scratch that goes with the script.
make_scratch()
{
    scratch=$(mktemp -d "${TMPDIR:-/tmp}/heist-test.XXXXXX")
    trap 'rm -rf -- "$scratch"' EXIT
}

# readme_example README: the C block that follows the line `<!-- example: fib.c -->`.
readme_example()
{
    awk '/^<!-- example: fib\.c -->/ { wanted = 1; next }
         wanted && /^```c$/          { inside = 1; next }
         inside && /^```$/           { found = 1; exit }
         inside                      { print }
         END                         { exit !found }' "$1"
}

# prints_fib_40 PROGRAM...: the README's example prints the right number.
prints_fib_40()
{
    local printed
    printed=$("$@") || { echo "exit status $?"; return 1; }
    [ "$printed" = 102334155 ] || { echo "printed: $printed"; return 1; }
}
