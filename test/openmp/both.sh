#!/usr/bin/env bash
# both.sh: a process with both OpenMP runtimes, each with code of its compiler: the program links to the halves of
# programs/both in either order, or loads them as plugins; the halves run in turn, within each other's regions, and
# within each other's tasks. With both of heist's libraries preloaded, in either order, and with one.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$(dirname "$0")/programs.sh"
make_scratch
here=$(dirname "$HEIST_LIBRARY")
sources=$programs/both
first=()
[ ${#sanitizers[@]} -eq 0 ] || first=("$(gcc -print-file-name=libasan.so)")
export ASAN_OPTIONS=detect_leaks=0

build()
{
    gcc -O2 -fopenmp -fPIC -shared -DPART=part_of_gcc "$sources/part.c" -o "$scratch/libof_gcc.so" &&
        "$COMPILER" -O2 -fopenmp=libomp -fPIC -shared -DPART=part_of_clang "$sources/part.c" \
            -o "$scratch/libof_clang.so" &&
        gcc -O2 -DLINKED "$sources/main.c" -o "$scratch/gcc_first" -Wl,--no-as-needed -L"$scratch" -lof_gcc \
            -lof_clang -Wl,-rpath,"$scratch" &&
        gcc -O2 -DLINKED "$sources/main.c" -o "$scratch/clang_first" -Wl,--no-as-needed -L"$scratch" -lof_clang \
            -lof_gcc -Wl,-rpath,"$scratch" &&
        gcc -O2 -fopenmp -DLINKED -DPART=part_of_gcc "$sources/main.c" "$sources/part.c" -o "$scratch/gcc_program" \
            -L"$scratch" -lof_clang -Wl,-rpath,"$scratch" &&
        "$COMPILER" -O2 -fopenmp=libomp -DLINKED -DPART=part_of_clang "$sources/main.c" "$sources/part.c" \
            -o "$scratch/clang_program" -L"$scratch" -lof_gcc -Wl,-rpath,"$scratch" &&
        gcc -O2 "$sources/main.c" -o "$scratch/plugins" -ldl
}

is_right() # COMMAND...: it prints `right`, several times, with as many threads
{
    local threads got
    for threads in 1 2 4; do
        got=$(OMP_NUM_THREADS=$threads timeout 30 "$@" 2>"$scratch/said") ||
            { echo "$threads threads: exit status $?: $got $(cat "$scratch/said")"; return 1; }
        [ "$got" = right ] || { echo "$threads threads: $got $(cat "$scratch/said")"; return 1; }
    done
}

# With these of heist's libraries preloaded, in this order.
is_right_with() # LIBRARIES COMMAND...
{
    local preload
    printf -v preload '%s:' "${first[@]}" "${@:2:$1}"
    is_right env LD_LIBRARY_PATH="$here" LD_PRELOAD="$preload" "${@:$1+2}"
}

serves() # TIMES COMMAND...: so many libraries count tasks of the program
{
    local got
    got=$(OMP_NUM_THREADS=4 timeout 30 "$HEIST_OMP" --stats "${@:2}" 2>&1) || { echo "exit status $?: $got"; return 1; }
    [ "$(grep -c 'heist-omp: tasks [1-9]' <<<"$got")" -eq "$1" ] || { echo "$got"; return 1; }
}

build
printf '#!/bin/sh\n"$@"\n' >"$scratch/script"
chmod +x "$scratch/script"
unset HEIST_OMP_LIBRARY
[ ${#first[@]} -eq 0 ] || export LD_PRELOAD=${first[0]}
for program in gcc_program clang_program gcc_first clang_first; do
    run_case "${program}_alone" is_right "$scratch/$program"
    run_case "${program}_directly" is_right "$HEIST_OMP" "$scratch/$program"
    run_case "${program}_by_script" is_right "$HEIST_OMP" "$scratch/script" "$scratch/$program"
    run_case "${program}_by_env" is_right "$HEIST_OMP" env "$scratch/$program"
    run_case "${program}_in_the_other_order" is_right_with 2 libheist-omp.so libheist-gomp.so "$scratch/$program"
    run_case "${program}_with_one_library" is_right_with 1 libheist-gomp.so "$scratch/$program"
    run_case "${program}_with_the_other_library" is_right_with 1 libheist-omp.so "$scratch/$program"
done
for how in local global; do
    plugins=("$scratch/plugins" "$how" "$scratch/libof_gcc.so" "$scratch/libof_clang.so")
    run_case "plugins_${how}_alone" is_right "${plugins[@]}"
    run_case "plugins_${how}_directly" is_right "$HEIST_OMP" "${plugins[@]}"
    run_case "plugins_${how}_by_script" is_right "$HEIST_OMP" "$scratch/script" "${plugins[@]}"
    run_case "plugins_${how}_in_the_other_order" is_right_with 2 libheist-omp.so libheist-gomp.so "${plugins[@]}"
done
# Where libgomp comes first each runtime has its own code. Where libomp does, it gets all calls, and is left alone.
run_case both_runtimes_are_served serves 2 "$scratch/gcc_program"
run_case also_by_script serves 2 "$scratch/script" "$scratch/gcc_program"
run_case also_those_of_plugins serves 2 "$scratch/plugins" local "$scratch/libof_gcc.so" "$scratch/libof_clang.so"
end_cases
