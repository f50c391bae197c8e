# shellcheck shell=bash
# common.sh: shared by the tools: directories, messages and common options. Sourced.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
program=$(basename "$0")
install=true
builddir=
cache= # choose_cache_dir sets it

note() { printf '%s: %s\n' "$program" "$*" >&2; }
die() { note "$*"; exit 2; }
have() { command -v "$1" >/dev/null 2>&1; }

# is_own_directory DIR: DIR itself, not the target of a link, is a directory of this user's that is not writable by
# everybody. One call of stat, so that nothing can change between two.
is_own_directory()
{
    local mode user
    read -r mode user < <(stat -c '%f %u' -- "$1" 2>/dev/null) || return 1
    [ "$user" = "$(id -u)" ] && [ $((0x$mode & 0170002)) -eq $((0040000)) ]
}

# choose_cache_dir: sets `cache`: a directory of this user's outside the source tree, which may be read-only. If the
# home directory is read-only, too, the cache is in a directory where other users may have made a file of that name
# before.
choose_cache_dir()
{
    [ -z "$cache" ] || return 0
    local dir=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/heist
    if ! mkdir -p "$dir" 2>/dev/null || [ ! -w "$dir" ]; then
        dir=${TMPDIR:-/tmp}/heist-$(id -u)
        mkdir -m 700 "$dir" 2>/dev/null || true
    fi
    is_own_directory "$dir" || die "$dir is a link, or somebody else's; set XDG_CACHE_HOME to another place"
    cache=$dir
}

unity_cache()
{
    choose_cache_dir
    printf '%s/unity-2.5.1\n' "$cache"
}

# choose_builddir NAME: sets builddir, unless an option did: in the tree if that is writable, else in the cache, where
# each tree has its own.
choose_builddir()
{
    if [ -z "$builddir" ]; then
        if [ -w "$root" ]; then
            builddir=$root/build/$1
        else
            choose_cache_dir
            builddir=$cache/$1-$(printf '%s' "$root" | cksum | cut -d ' ' -f 1)
        fi
    fi
    mkdir -p -- "$builddir" 2>/dev/null || die "cannot make $builddir; name another with --builddir"
    builddir=$(cd "$builddir" && pwd -P)
}

# has_value OPTION VALUE...: refuses an option without a value, or with the next option in its place.
has_value()
{
    case ${2-} in
        '') die "$1 wants a value" ;;
        -*) die "$1 wants a value, not $2" ;;
    esac
}

# common_option ARGUMENT...: takes one of the common options, and sets `taken` to the number of its arguments.
# shellcheck disable=SC2034 # taken and install are for the caller
common_option()
{
    taken=1
    case $1 in
        --help | -h) usage; exit 0 ;;
        --no-install) install=false ;;
        --builddir)
            has_value "$@"
            builddir=$2 taken=2
            ;;
        --builddir=*)
            has_value --builddir "${1#*=}"
            builddir=${1#*=}
            ;;
        *) taken=0 ;;
    esac
}

# configure DIR MESON_OPTION...: sets DIR up, or brings it up to date. A directory that was made for another path or by
# another Meson is made anew.
configure()
{
    local dir=$1
    shift
    if [ "$(cat "$dir/heist-source" 2>/dev/null)" = "$root" ] && meson setup --reconfigure "$@" "$dir" "$root"; then
        return 0
    fi
    if [ -d "$dir/meson-private" ]; then # never remove what Meson did not make
        rm -rf -- "$dir"
    fi
    meson setup "$@" "$dir" "$root" && printf '%s\n' "$root" >"$dir/heist-source"
}
