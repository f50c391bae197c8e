#!/usr/bin/env bash
# unload.sh UNLOAD LIBHEIST_SO: a program may dlclose the library while it has pools.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
run_case a_library_with_a_live_pool_stays_after_dlclose "$1" "$2"
end_cases
