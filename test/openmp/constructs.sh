#!/usr/bin/env bash
# constructs.sh: each program of programs/, one or a few constructs each, prints with heist the same as with its
# OpenMP runtime alone, at 1, 2, 4 and 8 threads. Where the runtime alone fails (gcc 12's libgomp never ends some
# programs, clang 14's libomp never ends some, or crashes) the program says what it has to print, in a line `expect:
# ...`, or `expect with libomp: ...`, of its first comment. A program that calls entries of one runtime says `only:
# libgomp` there.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$(dirname "$0")/programs.sh"
make_scratch
run_case heist_is_there heist_is_there

wanted_of() # NAME SOURCE
{
    local said
    said=$(sed -n "s/.*expect\\( with $RUNTIME\\)\\?: \\(.*[^ ]\\) *\\*\\/\$/\\2/p" "$2")
    if [ -n "$said" ]; then echo "$said"; else without_heist 4 "$scratch/$1"; fi
}

# libgomp alone prints the same at all numbers of threads. (libomp 14 does not always, or aborts, with one.)
agrees_with_itself() # NAME SOURCE WANTED
{
    local threads alone
    if [ "$RUNTIME" != libgomp ] || [ ${#sanitizers[@]} -gt 0 ] ||
        grep -q '\<expect\( with libgomp\)\?: ' "$2"; then return; fi
    for threads in 1 2 8; do
        alone=$(without_heist "$threads" "$scratch/$1") ||
            { echo "libgomp alone, $threads threads: exit status $?"; return 1; }
        [ "$alone" = "$3" ] || { echo "libgomp alone, $threads threads: $alone, not $3"; return 1; }
    done
}

prints_the_same() # NAME SOURCE
{
    local wanted got threads failed=0
    compile "$1" || return 1
    wanted=$(wanted_of "$@") || { echo "$RUNTIME alone: exit status $?"; return 1; }
    agrees_with_itself "$1" "$2" "$wanted" || return 1
    for threads in 1 2 4 8; do
        got=$(with_heist "$threads" "$scratch/$1") || { echo "$threads threads: exit status $?"; failed=1; }
        [ "$got" = "$wanted" ] || { echo "$threads threads: $got, not $wanted"; failed=1; }
    done
    return "$failed"
}

for source in "$programs"/*.c "$programs"/*.cc; do
    name=$(basename "${source%.*}")
    sentence=${name}_prints_the_same_at_1_2_4_and_8_threads
    case $source in
    # These have scripts of their own.
    */graph.c | */no_memory.c | */environment.c | */spread_threads.c | */pinned.c) continue ;;
    *.c) if grep -E '\<only: ' "$source" | grep -v "only: $RUNTIME\>" > /dev/null; then continue; fi ;;
    *.cc)
        if [ -z "$COMPILER_CXX" ]; then
            ignore_case "$sentence" 'no C++ compiler'
            continue
        fi
        ;;
    esac
    run_case "$sentence" prints_the_same "$name" "$source"
done
end_cases
