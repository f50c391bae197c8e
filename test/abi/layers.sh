#!/usr/bin/env bash
# layers.sh SOURCE: dependencies between the library's modules point downward. Each module includes only headers of
# modules that are named here for it, the loops know the scheduler by one header, and the futures by three. A module
# that is not named here is complained of.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
lib=$1/lib

declare -A below=(
    [platform]=''
    [deque]='platform'
    [depend]='platform memory'
    [idle]='platform'
    [memory]='platform'
    [topology]='platform'
    [observe]='platform topology'
    [quiescence]='platform idle'
    [schedule]='platform deque idle memory observe quiescence topology'
    [loop]='platform idle schedule/inside.h'
    [async]='platform idle memory schedule/await.h schedule/run.h schedule/spawn.h'
    [storage]='platform memory topology schedule/inside.h'
    [openmp]='platform deque depend idle memory observe/json.h'
    [simulate]='platform deque idle loop schedule topology apps/uts/grow.h'
)

# may_include MODULE HEADER: HEADER is "module/name.h", or "module/room/name.h".
may_include()
{
    local allowed
    for allowed in "$1" ${below[$1]}; do
        case $2 in "$allowed" | "$allowed"/*) return 0 ;; esac
    done
    return 1
}

includes_only_what_lies_below()
{
    local module=$1 file header bad=0
    while IFS=: read -r file header; do
        may_include "$module" "$header" && continue
        echo "${file#"$lib"/} includes $header"
        bad=1
    done < <(grep -rHoE '^#include "[^"]+/[^"]+"' --include='*.c' --include='*.h' "$lib/$module" |
        sed -E 's/:#include "(.*)"/:\1/')
    return "$bad"
}

is_named()
{
    [ -n "${below[$1]+named}" ] || { echo "lib/$1 is not named in test/abi/layers.sh"; return 1; }
}

for path in "$lib"/*/; do
    module=$(basename "$path")
    run_case "lib_${module}_is_named" is_named "$module"
    [ -n "${below[$module]+named}" ] || continue
    run_case "lib_${module}_includes_only_what_lies_below" includes_only_what_lies_below "$module"
done
end_cases
