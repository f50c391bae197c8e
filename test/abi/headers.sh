#!/usr/bin/env bash
# headers.sh SOURCE_INCLUDE BUILD_INCLUDE HEADER...: every public header compiles alone, included twice, as C11 and as
# C++17, without a warning, with each compiler that is here; and every header in include/heist is one of those named.
# Tasks that cannot be declared are refused in words.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
source_include=$1 build_include=$2
shift 2
warnings=(-Wall -Wextra -Wpedantic -Wconversion -Werror)

# compiles_alone HEADER LANGUAGE STANDARD COMPILER
compiles_alone()
{
    printf '#include <heist/%s>\n#include <heist/%s>\nextern int something;\n' "$1" "$1" |
        "$4" -x "$2" -std="$3" "${warnings[@]}" -I "$source_include" -I "$build_include" -fsyntax-only -
}

# refuses SENTENCE LANGUAGE STANDARD COMPILER: standard input is not compiled, and the compiler says so in these words.
refuses()
{
    local said
    if said=$("$4" -x "$2" -std="$3" -I "$source_include" -I "$build_include" -fsyntax-only - 2>&1); then
        echo 'it was compiled'
        return 1
    fi
    grep -qF -- "$1" <<< "$said" || { echo "$said"; return 1; }
}

# wrong_lists: a task for each wrong list of arguments and each of the macros that take one: one to nineteen words that
# are no pairs, then ten pairs and up to twenty words more.
wrong_lists()
{
    local macro begin end list count
    echo '#include <heist/task.h>'
    for macro in TASK TASK_DECL TASK_IMPL VOID_TASK VOID_TASK_DECL VOID_TASK_IMPL; do
        begin='long, ' end='{ }' list=
        [ "${macro#VOID}" = "$macro" ] || begin=
        [ "${macro%DECL}" = "$macro" ] || end=';'
        for ((count = 1; count <= 40; count++)); do
            ((count % 2)) && list+=', int' || list+=", a$count"
            ((count % 2 || count > 20)) && echo "HEIST_$macro(${begin}name$list) $end"
        done
    done
}

# told_of_lists LANGUAGE STANDARD COMPILER: each is refused in words.
told_of_lists()
{
    local said pairs many all=-fmax-errors=0
    case $(basename "$3") in clang*) all=-ferror-limit=0 ;; esac
    said=$(wrong_lists | "$3" -x "$1" -std="$2" "$all" -I "$source_include" -I "$build_include" -fsyntax-only - 2>&1) &&
        { echo 'all of it was compiled'; return 1; }
    pairs=$(grep -c 'error: .*come in pairs: type, name' <<< "$said")
    many=$(grep -c 'error: .*at most 10 arguments' <<< "$said")
    [ "$pairs, $many" = '60, 120' ] || { echo "told of $pairs and $many lists, not of 60 and 120"; return 1; }
}

# told_of_types COMPILER: types that a record can hold in C++ compile, as result and as argument; others are refused.
told_of_types()
{
    local type pair
    for type in text given 'int &' 'const int'; do
        for pair in "$type, name, int, a" "int, name, int, a, $type, b"; do
            printf '#include <heist/task.h>\n#include <string>\n%s\n%s\n%s\n' \
                'using text = std::string;' 'struct given { int x = 3; };' \
                "HEIST_TASK_DECL($pair);" | refuses 'are of types that are trivially' c++ c++17 "$1" || return 1
        done
    done
    printf '#include <heist/task.h>\nstruct plain { int x; };\n%s\n' \
        'HEIST_TASK(plain, name, plain, a, const char *, b, void *const *, c) { return b && c ? a : plain{1}; }' |
        "$1" -x c++ -std=c++17 "${warnings[@]}" -I "$source_include" -I "$build_include" -fsyntax-only -
}

is_listed()
{
    local header
    for header in "${@:2}"; do
        [ "$header" != "$1" ] || return 0
    done
    echo "include/heist/$1 is not listed in include/meson.build"
    return 1
}

# The first of each kind that is installed: a compiler's number is in its name where there are several.
first_of()
{
    local name
    for name in "$@"; do
        command -v "$name" && return 0
    done
    return 0
}

for compiler in "$(first_of gcc)" "$(first_of clang-14 clang)"; do
    [ -n "$compiler" ] || continue
    for header in "$@"; do
        run_case "${header}_alone_as_c11_by_$(basename "$compiler")" compiles_alone "$header" c c11 "$compiler"
    done
    run_case "wrong_lists_of_arguments_are_told_in_words_by_$(basename "$compiler")" told_of_lists c c11 "$compiler"
done
cxx_found=false
for compiler in "$(first_of g++)" "$(first_of clang++-14 clang++)"; do
    [ -n "$compiler" ] || continue
    cxx_found=true
    for header in "$@"; do
        run_case "${header}_alone_as_c++17_by_$(basename "$compiler")" compiles_alone "$header" c++ c++17 "$compiler"
    done
    run_case "wrong_lists_of_arguments_are_told_in_words_by_$(basename "$compiler")" told_of_lists c++ c++17 "$compiler"
    run_case "types_that_are_not_trivial_are_told_in_words_by_$(basename "$compiler")" told_of_types "$compiler"
done
$cxx_found || ignore_case headers_compile_as_c++17 'no C++ compiler'

for path in "$source_include"/heist/*.h "$source_include"/heist/detail/*.h; do
    header=${path#"$source_include"/heist/}
    run_case "${header}_is_installed" is_listed "$header" "$@"
done
end_cases
