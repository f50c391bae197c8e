#!/usr/bin/env bash
# versions.sh: a short set of programs, built once with each compiler that is here, prints with heist the same as with
# the runtime alone: gcc with the libgomp that is installed; each clang with its own libomp; and the programs of the
# oldest clang with the libraries of the newer ones. HEIST_LIBOMPS is a directory with the files of Debian's packages
# libomp5-N and libomp-N-dev in N/, because only one of them can be installed at a time. The last lines are the table
# of doc/openmp-programs.md.
# shellcheck disable=SC2317 # run_case calls the functions
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
# shellcheck source-path=SCRIPTDIR source=programs.sh
. "$(dirname "$0")/programs.sh"
make_scratch
here=$(dirname "$HEIST_LIBRARY")
set=(taskwait depend taskgroup taskloop_many reductions detach cancel task_if_final)
table=()
export OMP_WAIT_POLICY=passive # the runtimes alone take long otherwise, where other programs want the CPUs

# libomp_of N: the directory with libomp N; nothing: there is none.
libomp_of()
{
    local dir
    for dir in "${HEIST_LIBOMPS:-/nonexistent}/$1/usr/lib/llvm-$1/lib" "/usr/lib/llvm-$1/lib"; do
        if [ -f "$dir/libomp.so.5" ]; then
            printf '%s\n' "$dir"
            return
        fi
    done
}

build() # DIRECTORY COMPILER...: all programs of the set
{
    local name
    mkdir -p "$1"
    for name in "${set[@]}"; do
        "${@:2}" -O1 "$programs/$name.c" -o "$1/$name" || { echo "$name is not compiled"; return 1; }
    done
}

wanted_of() # DIRECTORY NAME LIBRARIES
{
    local said
    said=$(sed -n "s/.*expect\\( with $runtime\\)\\?: \\(.*[^ ]\\) *\\*\\/\$/\\2/p" "$programs/$2.c")
    if [ -n "$said" ]; then echo "$said"; else LD_LIBRARY_PATH=$3 OMP_NUM_THREADS=4 timeout 60 "$1/$2"; fi
}

print_the_same() # DIRECTORY LIBRARY LIBRARIES: with heist's library in front of the runtime in LIBRARIES
{
    local name wanted got failed=0
    for name in "${set[@]}"; do
        wanted=$(wanted_of "$1" "$name" "$3") || { echo "$name, $runtime alone: exit status $?"; failed=1; continue; }
        got=$(HEIST_OMP_STATS=1 LD_LIBRARY_PATH="$3:$here" LD_PRELOAD=$2 OMP_NUM_THREADS=4 timeout 60 "$1/$name" \
            2>"$scratch/said") || { echo "$name: exit status $?: $(cat "$scratch/said")"; failed=1; }
        [ "$got" = "$wanted" ] || { echo "$name: $got, not $wanted"; failed=1; }
        grep -q 'heist-omp: tasks [1-9]' "$scratch/said" ||
            { echo "$name was not served: $(cat "$scratch/said")"; failed=1; }
    done
    return "$failed"
}

try() # SENTENCE COMPILER RUNTIME DIRECTORY LIBRARY LIBRARIES: a case, and a line of the table
{
    local before=$cases_failed
    run_case "$1" print_the_same "$4" "$5" "$6"
    if [ "$cases_failed" -eq "$before" ]; then
        table+=("| $2 | $3 | ${#set[@]} of ${#set[@]} |")
    else
        table+=("| $2 | $3 | differ |")
    fi
}

version_of_libgomp() # by the newest of its versions of symbols
{
    case $(nm -D "$(gcc -print-file-name=libgomp.so.1)" 2>/dev/null || true) in
    *' GOMP_5.1.3'*) echo '15 or later' ;;
    *' GOMP_5.1.2'*) echo 14 ;;
    *' GOMP_5.1.1'*) echo 13 ;;
    *' GOMP_5.1'*) echo 12 ;;
    *) echo '11 or earlier' ;;
    esac
}

runtime=libgomp
for n in 11 12 13 14 15; do
    command -v "gcc-$n" >/dev/null || continue
    run_case "gcc_${n}_compiles" build "$scratch/gcc-$n" "gcc-$n" -fopenmp
    try "programs_of_gcc_$n" "gcc $n" "libgomp $(version_of_libgomp)" "$scratch/gcc-$n" libheist-gomp.so "$here"
done
runtime=libomp
oldest=
for n in 13 14 15 16 17 18 19; do
    libomp=$(libomp_of "$n")
    [ -n "$libomp" ] || continue
    if [ -n "$oldest" ] && [ "$oldest" != "$n" ]; then
        try "programs_of_clang_${oldest}_with_libomp_$n" "clang $oldest" "libomp $n" "$scratch/clang-$oldest" \
            libheist-omp.so "$libomp"
    fi
    command -v "clang-$n" >/dev/null || continue
    headers=$(find "$libomp" -name omp.h -printf '%h\n' | head -n 1)
    run_case "clang_${n}_compiles" build "$scratch/clang-$n" "clang-$n" -fopenmp=libomp -L"$libomp" \
        -I"$headers"
    try "programs_of_clang_$n" "clang $n" "libomp $n" "$scratch/clang-$n" libheist-omp.so "$libomp"
    oldest=${oldest:-$n}
done
end=0
end_cases || end=$?
printf '\n| programs of | runtime | programs that print the same |\n|---|---|---|\n'
printf '%s\n' "${table[@]}"
exit "$end"
