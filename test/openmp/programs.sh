# shellcheck shell=bash
# programs.sh: what the scripts here share: compiling the programs, and running one with libgomp alone or with heist.
# Sourced, not run. GCC, HEIST_GOMP and HEIST_OMP say what to use; SANITIZE is how libheist-gomp.so was compiled.
programs=$(dirname "$0")/programs
sanitizers=()
# By its name alone, and found on the path for libraries: LD_PRELOAD takes a space in a path for the end of it.
preload=$(basename "$HEIST_GOMP")
if [ "${SANITIZE:-none}" != none ]; then
    sanitizers=("-fsanitize=$SANITIZE")
    # ASan's runtime must come before whatever else is preloaded.
    preload=$("$GCC" -print-file-name=libasan.so):$preload
fi
export OMP_CANCELLATION=true OMP_MAX_TASK_PRIORITY=5

compile() # NAME: to $scratch/NAME
{
    # shellcheck disable=SC2154 # make_scratch made it
    "$GCC" -std=gnu11 -O2 -g "${sanitizers[@]}" -fopenmp "$programs/$1.c" -o "$scratch/$1"
}

with_libgomp() # THREADS COMMAND...; libgomp leaks
{
    OMP_NUM_THREADS=$1 ASAN_OPTIONS=detect_leaks=0 timeout 60 "${@:2}"
}

with_heist() # THREADS COMMAND...
{
    LD_LIBRARY_PATH=$(dirname "$HEIST_GOMP") OMP_NUM_THREADS=$1 LD_PRELOAD=$preload timeout 60 "${@:2}"
}

# Without it everything would print the same as with libgomp, which it is.
heist_is_there()
{
    compile taskwait && HEIST_OMP_STATS=1 with_heist 2 "$scratch/taskwait" 2>&1 | grep 'heist.*tasks' || return 1
}
