#!/usr/bin/env bash
# constructs.sh: each program of programs/, one or a few constructs each, prints with heist what it prints with libgomp
# alone, at 1, 2, 4 and 8 threads. A program that libgomp cannot be trusted with (gcc 12's never ends it) says itself
# what it is to print, in a line `expect: ...` of its first comment.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$(dirname "$0")/programs.sh"
make_scratch
run_case heist_is_there heist_is_there

wanted_of() # NAME
{
    local said
    said=$(sed -n 's/.*expect: \(.*[^ ]\) *\*\/$/\1/p' "$programs/$1.c")
    if [ -n "$said" ]; then echo "$said"; else with_libgomp 4 "$scratch/$1"; fi
}

prints_the_same() # NAME
{
    local wanted got threads failed=0
    compile "$1" || return 1
    wanted=$(wanted_of "$1") || { echo "libgomp alone: exit status $?"; return 1; }
    for threads in 1 2 4 8; do
        got=$(with_heist "$threads" "$scratch/$1") || { echo "$threads threads: exit status $?"; failed=1; }
        [ "$got" = "$wanted" ] || { echo "$threads threads: $got, not $wanted"; failed=1; }
    done
    return "$failed"
}

for source in "$programs"/*.c; do
    name=$(basename "$source" .c)
    [ "$name" = graph ] || run_case "${name}_prints_the_same_at_1_2_4_and_8_threads" prints_the_same "$name"
done
end_cases
