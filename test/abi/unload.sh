#!/usr/bin/env bash
# unload.sh UNLOAD LIBHEIST_SO PLUGIN_SO: a program may dlclose the library while it has pools, and a plugin with the
# static library inside while threads live on that have used it.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
run_case a_library_with_a_live_pool_stays_after_dlclose "$1" "$2"
run_case a_thread_ends_well_after_a_plugin_with_the_library_inside_has_gone "$1" "$3" plugin
end_cases
