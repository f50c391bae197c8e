# shellcheck shell=bash
# commands.sh: what every command promises: bad usage is one line and status 2, --help, the manual page and the
# completion have the same options. Sourced, not run; $scratch exists.

is_told() # PATTERN COMMAND...: it is refused, status 2, in one line of stderr that matches, and nothing on stdout
{
    local said status=0
    "${@:2}" >"$scratch/out" 2>"$scratch/err" || status=$?
    said=$(cat "$scratch/err")
    # shellcheck disable=SC2053 # a pattern it is
    if [ "$status" -ne 2 ] || [ -s "$scratch/out" ] || [[ $said == *$'\n'* || $said != $1 ]]; then
        echo "exit status $status, stdout: $(cat "$scratch/out"), stderr: $said"
        return 1
    fi
}

is_told_by_full_disk() # COMMAND...: its output cannot be written
{
    local said status=0
    [ -w /dev/full ] || return 0
    said=$("$@" 2>&1 >/dev/full) || status=$?
    [ "$status" -eq 2 ] && [[ $said == *'could not be written'* ]] || { echo "exit status $status: $said"; return 1; }
}

options_of_help() # COMMAND...
{
    "$@" --help | grep -oE -- '--[a-z][a-z-]*' | sort -u
}

help_has_every_option() # COMMAND MAN_PAGE: the same options in both
{
    diff <(options_of_help "$1") <(sed 's/\\-/-/g' "$2" | grep -oE -- '--[a-z][a-z-]*' | sort -u)
}

completes_every_option() # COMMAND COMPLETION: the function offers what --help names
{
    local name function
    name=$(basename "$1")
    diff <(options_of_help "$1") <(
        # shellcheck disable=SC1090
        . "$2"
        function=$(complete -p "$name" | sed -E 's/.*-F ([^ ]+).*/\1/')
        COMP_WORDS=("$name" --) COMP_CWORD=1
        "$function"
        printf '%s\n' "${COMPREPLY[@]}" | sort -u
    )
}
