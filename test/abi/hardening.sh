#!/usr/bin/env bash
# hardening.sh LIBHEIST_SO COUNT_WORKERS: the shared library is built as it is told to be, and a program with another's
# rights takes nothing from the environment. COUNT_WORKERS prints the number of workers of a pool made without options.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
library=$1 program=$2

relocations_are_read_only()
{
    readelf -lW "$library" | grep GNU_RELRO >/dev/null &&
        readelf -dW "$library" | grep -E 'BIND_NOW|Flags:.* NOW' >/dev/null
}
stays_after_dlclose() { readelf -dW "$library" | grep -E 'Flags:.* NODELETE' >/dev/null; }
stack_is_not_executable() { readelf -lW "$library" | grep GNU_STACK | grep ' RW ' >/dev/null; }
nothing_is_writable_and_executable() { ! readelf -lW "$library" | grep LOAD | grep ' RWE ' >/dev/null; }
stacks_are_protected() { nm -D "$library" | grep __stack_chk_fail >/dev/null; }
calls_are_fortified() { nm -D "$library" | grep -E '_chk(@|$)' >/dev/null; }

run_case relocations_are_read_only_after_loading relocations_are_read_only
run_case the_library_stays_after_dlclose stays_after_dlclose
run_case the_stack_is_not_executable stack_is_not_executable
run_case no_segment_is_writable_and_executable nothing_is_writable_and_executable
run_case the_library_has_stack_protectors stacks_are_protected
if [ "${FORTIFIED-1}" = 1 ]; then
    run_case the_library_calls_the_checking_functions calls_are_fortified
else
    ignore_case the_library_calls_the_checking_functions 'this build is not optimised'
fi

# A program that runs as another user than its caller.
make_scratch
chmod 755 "$scratch"
cp "$program" "$scratch/count"
honours_the_environment() { [ "$(HEIST_WORKERS=7 "$scratch/count")" = 7 ]; }
ignores_the_environment()
{
    local plain asked
    plain=$("$scratch/count")
    asked=$(HEIST_WORKERS=7 HEIST_STATS=1 HEIST_TOPOLOGY='core:1 pu:1' HEIST_BIND=rubbish "$scratch/count" 2>&1)
    [ "$asked" = "$plain" ] || { printf 'with the environment: %s; without: %s\n' "$asked" "$plain"; return 1; }
}
run_case a_plain_program_honours_the_environment honours_the_environment
if chown nobody "$scratch/count" 2>/dev/null && chmod u+s "$scratch/count" &&
    [ "$("$scratch/count" --user)" != "$(id -u)" ]; then
    run_case a_setuid_program_ignores_the_environment ignores_the_environment
else
    ignore_case a_setuid_program_ignores_the_environment 'making such a program needs root, and a place that allows it'
fi
end_cases
