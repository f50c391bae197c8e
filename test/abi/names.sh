#!/usr/bin/env bash
# names.sh SOURCE_INCLUDE BUILD_INCLUDE LIBRARY: the names of tasks, children and loops are the user's. A program that
# has a task, a loop and a child for each identifier of the headers compiles without a warning, as C and as C++, with
# and without optimisation, and gives the right sum.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
source_include=$1 build_include=$2 library=$3
make_scratch

# Every identifier in the text of the headers, macros with arguments included. A macro without arguments is no name:
# the preprocessor replaces it wherever it stands. heist__a_b_c gives c and b_c, too: these would meet it behind the
# prefixes heist__a_b_ and heist__a_.
# Names that begin with two underscores are the compiler's.
identifiers()
{
    local replaced
    replaced=$(echo '#include <heist/heist.h>' | gcc -I "$source_include" -I "$build_include" -dM -E - |
        awk '$1 == "#define" && $2 !~ /\(/ { print $2 }')
    cat "$source_include"/heist/*.h "$source_include"/heist/detail/*.h "$build_include"/heist/version.h |
        gcc -fpreprocessed -dD -E -P - 2> /dev/null | sed 's/"[^"]*"//g' |
        grep -oE '\b[A-Za-z_][A-Za-z0-9_]*\b' | sort -u |
        awk '{ print } /^heist__/ { sub(/^heist__/, ""); while (sub(/^[^_]*_+/, "")) print }' | sort -u |
        grep -v '^__' | grep -vxF -e "$replaced"
}

# program: one task and one loop for each name; one function for each name that has a child of that name; and tasks
# that have thirty such children at once.
program()
{
    local names=() number=0 name first
    mapfile -t names < <(identifiers)
    printf '#include <heist/heist.h>\n#include <stdio.h>\n'
    for name in "${names[@]}"; do
        printf 'HEIST_TASK(long, %s, long, given) { return given + %d; }\n' "$name" $((++number))
        printf 'HEIST_LOOP(%s, at, long *, to) { to[at] += 1; }\n' "$name"
        printf 'static long alone_%d(void) { HEIST_WITH_WORKER; HEIST_SPAWN(%s, %s, 0); return HEIST_SYNC(%s); }\n' \
            $number "$name" "$name" "$name"
    done
    for ((first = 0; first < ${#names[@]}; first += 30)); do
        printf 'HEIST_TASK(long, thirty_%d)\n{\n    long sum = 0, to[2] = {0, 0};\n' "$first"
        for name in "${names[@]:first:30}"; do printf '    HEIST_SPAWN(%s, %s, 0);\n' "$name" "$name"; done
        for name in "${names[@]:first:30}"; do
            printf '    sum += HEIST_SYNC(%s);\n    HEIST_FOR(NULL, %s, heist_upto(2), to);\n' "$name" "$name"
        done
        printf '    return sum + to[0] + to[1];\n}\n'
    done
    printf 'int main(void)\n{\n    long sum = 0;\n'
    for ((first = 0; first < ${#names[@]}; first += 30)); do
        printf '    sum += HEIST_RUN(NULL, thirty_%d);\n' "$first"
    done
    for ((; number > 0; number--)); do printf '    sum += alone_%d();\n' $number; done
    printf '    printf("%%ld %%d\\n", sum, %d);\n    return 0;\n}\n' "${#names[@]}"
}

# all_names LANGUAGE STANDARD OPTIMISATION COMPILER
all_names()
{
    local printed sum count
    "$4" -x "$1" -std="$2" "$3" -Wall -Wextra -Wshadow -Werror -I "$source_include" -I "$build_include" \
        -c "$scratch/names.c" -o "$scratch/names.o" || return 1
    "$4" "$scratch/names.o" -o "$scratch/names" "$library" -Wl,-rpath,"$(dirname "$library")" -pthread || return 1
    printed=$("$scratch/names") || return 1
    read -r sum count <<< "$printed"
    ((count > 300)) || { echo "only $count names"; return 1; }
    ((sum == count * (count + 1) + 2 * count)) || { echo "the sum of $count names is $sum"; return 1; }
}

program > "$scratch/names.c"
for optimisation in -O0 -O1; do # -O2 takes twice as long and knows no more names
    for compiler in gcc clang-14; do
        command -v "$compiler" > /dev/null || continue
        run_case "every_name_in_c_by_$compiler$optimisation" all_names c gnu11 "$optimisation" "$compiler"
    done
    for compiler in g++ clang++-14; do
        command -v "$compiler" > /dev/null || continue
        run_case "every_name_in_c++_by_$compiler$optimisation" all_names c++ c++17 "$optimisation" "$compiler"
    done
done
end_cases
