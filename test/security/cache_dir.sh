#!/usr/bin/env bash
# cache_dir.sh TOOLS: the tools put what they fetch and build only where nobody else could have put something first.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR/../abi source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
tools=$1
make_scratch
unset XDG_CACHE_HOME cache
shared=$scratch/shared # as /tmp is
mkdir -m 1777 "$shared"
mine=$shared/heist-$(id -u)

# chooses SHELL_TEXT: runs it after common.sh, with a home directory that cannot be made.
chooses()
{
    HOME=/proc/none TMPDIR=$shared bash -c "set -euo pipefail; . '$tools/lib/common.sh'; . '$tools/lib/machine.sh'; $1"
}

is_made_for_this_user_alone()
{
    local said
    rm -rf "$mine"
    said=$(chooses unity_cache)
    printf '%s\n' "$said"
    [ "$said" = "$mine/unity-2.5.1" ] && [ "$(stat -c '%a %u' "$mine")" = "700 $(id -u)" ]
}
is_taken_again() { [ "$(chooses 'unity_cache')" = "$mine/unity-2.5.1" ]; }

# is_refused SHELL_TEXT...: each ends with a sentence, and names no place.
is_refused()
{
    local text said
    for text in "$@"; do
        if said=$(chooses "$text" 2>"$scratch/stderr"); then
            printf 'not refused: %s: %s\n' "$text" "$said"
            return 1
        fi
        [ -z "$said" ] || { printf 'a place in spite of it: %s\n' "$said"; return 1; }
        grep -q 'set XDG_CACHE_HOME' "$scratch/stderr" || { cat "$scratch/stderr"; return 1; }
    done
}
every_use=('unity_cache' 'kernel' 'install=false; root=/proc/none; choose_builddir x')

# Somebody put a link to a directory of this user's, which would be filled.
link_is_refused()
{
    rm -rf "$mine"
    mkdir -p "$scratch/precious"
    ln -s "$scratch/precious" "$mine"
    is_refused "${every_use[@]}" || return 1
    [ -z "$(ls -A "$scratch/precious")" ]
}
link_in_the_home_is_refused()
{
    mkdir -p "$scratch/precious" "$scratch/cache"
    ln -sfn "$scratch/precious" "$scratch/cache/heist"
    XDG_CACHE_HOME=$scratch/cache is_refused unity_cache
}
file_is_refused() { rm -rf "$mine" && touch "$mine" && is_refused unity_cache; }
directory_for_all_is_refused() { rm -rf "$mine" && mkdir "$mine" && chmod 777 "$mine" && is_refused unity_cache; }
others_directory_is_refused()
{
    rm -rf "$mine" && mkdir "$mine" && chown 65534 "$mine" && is_refused "${every_use[@]}"
}

run_case a_new_one_is_for_this_user_alone is_made_for_this_user_alone
run_case one_of_this_users_is_taken_again is_taken_again
run_case a_link_in_a_shared_directory_is_refused link_is_refused
run_case a_link_in_the_users_own_is_refused link_in_the_home_is_refused
run_case a_file_of_that_name_is_refused file_is_refused
run_case one_that_everybody_may_write_to_is_refused directory_for_all_is_refused
if [ "$(id -u)" -eq 0 ]; then
    run_case one_of_another_user_is_refused others_directory_is_refused
else
    ignore_case one_of_another_user_is_refused 'only root can make one'
fi
end_cases
