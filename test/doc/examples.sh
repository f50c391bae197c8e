#!/usr/bin/env bash
# examples.sh SOURCE_DIR PROGRAM...: each example prints the line that its source names after `Prints:`.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
source_dir=$1
shift

prints_what_it_says()
{
    local program=$1 name wanted printed
    name=$(basename "$program") name=${name#example-}
    wanted=$(sed -n 's|^.*Prints: \(.*\) \*/$|\1|p' "$source_dir/$name.c")
    [ -n "$wanted" ] || { echo "$name.c does not say what it prints"; return 1; }
    printed=$("$program") || { echo "exit status $?"; return 1; }
    [ "$printed" = "$wanted" ] || { echo "printed: $printed, wanted: $wanted"; return 1; }
}

for program; do
    name=$(basename "$program")
    run_case "${name#example-}_prints_what_it_says" prints_what_it_says "$program"
    run_case "${name#example-}_does_so_with_one_worker" env HEIST_WORKERS=1 OMP_NUM_THREADS=1 "$program"
done
end_cases
