#!/usr/bin/env bash
# symbols.sh [--update] LIBHEIST_SO: the shared library exports exactly the symbols in symbols.txt.
# With --update it writes that list from the library instead. Look at the diff: a name that goes is a new soversion.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
list=$(dirname "$0")/symbols.txt
update=false
if [ "${1-}" = --update ]; then
    update=true
    shift
fi
[ $# -eq 1 ] || { echo "usage: $0 [--update] LIBHEIST_SO" >&2; exit 2; }
library=$1

# The linker's own names (_init, _end, __bss_start ...) depend on its version, and are nobody's interface.
exported()
{
    nm -D --defined-only "$library" | awk '{ print $3 }' |
        grep -vxE '_init|_fini|_edata|_end|__bss_start(__)?|__end__|_bss_end__|_ftext|_fdata|_fbss' | LC_ALL=C sort -u
}

matches_the_list() { diff -u --label symbols.txt "$list" --label "$(basename "$library")" <(exported); }

only_public_names()
{
    local strangers
    strangers=$(exported | grep -vE '^heist_[a-z]|^heist__' || true)
    [ -z "$strangers" ] || { printf 'not heist_x or heist__x: %s\n' "$strangers"; return 1; }
}

if $update; then
    exported >"$list"
    echo "$(wc -l <"$list") symbols written to $list"
    exit
fi
run_case exported_symbols_are_those_in_symbols_txt matches_the_list
run_case exported_names_have_the_prefix only_public_names
end_cases
