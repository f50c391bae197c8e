#!/usr/bin/env bash
# openmp_setuid.sh PROGRAM_SOURCE: a setuid OpenMP program that is linked to $HEIST_LIBRARY (nothing can be preloaded
# into one) takes nothing from its caller's environment by heist. COMPILER, RUNTIME and HEIST_LIBRARY are as for
# test/openmp.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR/../abi source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
source=$1
make_scratch
chmod 755 "$scratch"
library_dir=$(dirname "$HEIST_LIBRARY") library_name=$(basename "$HEIST_LIBRARY")

openmp=-fopenmp
[ "$RUNTIME" != libomp ] || openmp=-fopenmp=libomp
"$COMPILER" "$openmp" -O1 "$source" -o "$scratch/program" -Wl,--no-as-needed "-L$library_dir" "-l:$library_name" \
    "-Wl,-rpath,$library_dir"
install -m 4755 "$scratch/program" "$scratch/setuid"

as_caller() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; }
hostile=(HEIST_OMP_VERBOSE=1 HEIST_OMP_STATS=1 "LD_PRELOAD=$HEIST_LIBRARY")

# The control: without other rights heist is there, and the variables are heard.
speaks_in_a_plain_program()
{
    local said
    said=$(env HEIST_OMP_VERBOSE=1 HEIST_OMP_STATS=1 "$scratch/program" 2>&1)
    printf '%s\n' "$said"
    [[ $said == *'they run on heist'* && $said == *'heist-omp: tasks '* && $said == *5050* ]]
}
is_silent_in_a_setuid_program()
{
    local said
    said=$(as_caller env "${hostile[@]}" "$scratch/setuid" 2>&1)
    printf '%s\n' "$said"
    [ "$said" = 5050 ]
}

run_case a_plain_program_hears_the_variables speaks_in_a_plain_program
if [ "$(id -u)" -ne 0 ]; then
    ignore_case a_setuid_program_does_not 'only root can make a setuid program of root'
elif [ "$(as_caller "$scratch/setuid" rights 2>&1)" != 'user 0' ]; then
    ignore_case a_setuid_program_does_not 'setuid programs get no rights here, or there is no setpriv'
else
    run_case a_setuid_program_does_not is_silent_in_a_setuid_program
fi
end_cases
