# shellcheck shell=bash
# programs.sh: shared by the scripts here: compiling the programs, and running one with its OpenMP runtime alone or
# with heist. Sourced, not run. COMPILER compiles them for RUNTIME, libgomp or libomp; HEIST_LIBRARY is the library in
# front of the runtime, compiled with SANITIZE, and HEIST_OMP the command.
programs=$(dirname "$0")/programs
sanitizers=()
# By its name alone, found on the path for libraries: LD_PRELOAD takes a space in a path for its end.
preload=$(basename "$HEIST_LIBRARY")
if [ "${SANITIZE:-none}" != none ]; then
    sanitizers=("-fsanitize=$SANITIZE")
    # clang itself does not align private data as it declares it.
    [ "$RUNTIME" = libgomp ] || sanitizers+=(-fno-sanitize=alignment)
    # ASan's runtime must be preloaded first.
    preload=$(gcc -print-file-name=libasan.so):$preload
fi
export OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=5
# Both runtimes use memory that they have not filled in: also alone, they crash now and then when malloc fills it with
# rubbish (libgomp 12 in target nowait outside of regions, libomp 14 in nested regions).
unset MALLOC_PERTURB_

# runtime_file: where RUNTIME is, as a program that is linked to it finds it.
runtime_file()
{
    # shellcheck disable=SC2154 # make_scratch made it
    "$COMPILER" -fopenmp "$programs/without_tasks.c" -o "$scratch/linked" && ldd "$scratch/linked" |
        awk -v name="$RUNTIME" 'index($1, name ".so") == 1 { print $3; found = 1 } END { exit !found }'
}

# compile NAME: to $scratch/NAME. The library's sanitizers are gcc's: clang's programs are linked by gcc then.
compile()
{
    local source=$programs/$1.c program=$scratch/$1 chosen=$COMPILER
    if [ ! -f "$source" ]; then
        source=$programs/$1.cc chosen=$COMPILER_CXX
    fi
    set -- -O2 -g "${sanitizers[@]}" -fopenmp
    if [ "$RUNTIME" = libgomp ] || [ ${#sanitizers[@]} -eq 0 ]; then
        "$chosen" "$@" "$source" -o "$program"
    else
        "$chosen" "$@" -c "$source" -o "$program.o" &&
            g++ "${sanitizers[@]}" "$program.o" -o "$program" "$(runtime_file)"
    fi
}

without_heist() # THREADS COMMAND...; libgomp leaks
{
    OMP_NUM_THREADS=$1 ASAN_OPTIONS=detect_leaks=0 timeout 60 "${@:2}"
}

with_heist() # THREADS COMMAND...; some look at how much memory they use, of which ASan keeps what was freed
{
    ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}quarantine_size_mb=8 \
        LD_LIBRARY_PATH=$(dirname "$HEIST_LIBRARY") OMP_NUM_THREADS=$1 LD_PRELOAD=$preload timeout 60 "${@:2}"
}

# Without the library every program would print the same as with the runtime alone, and every case would pass.
heist_is_there()
{
    compile taskwait && HEIST_OMP_STATS=1 with_heist 2 "$scratch/taskwait" 2>&1 | grep 'heist.*tasks' || return 1
}
