# shellcheck shell=bash
# common.sh: what the tools share: where things are, how they speak, the options they all take. Sourced.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd -P)
program=$(basename "$0")
install=true
builddir=

note() { printf '%s: %s\n' "$program" "$*" >&2; }
die() { note "$*"; exit 2; }
have() { command -v "$1" >/dev/null 2>&1; }

# cache_dir: a directory of this user's outside the source tree, which may be read-only. The home directory may be too.
cache_dir()
{
    local dir=${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/heist
    if ! mkdir -p "$dir" 2>/dev/null || [ ! -w "$dir" ]; then
        dir=${TMPDIR:-/tmp}/heist-$(id -u)
        mkdir -m 700 "$dir" 2>/dev/null || [ -O "$dir" ] || die "$dir is not yours; set XDG_CACHE_HOME"
    fi
    printf '%s\n' "$dir"
}

unity_cache() { printf '%s/unity-2.5.1\n' "$(cache_dir)"; }

# choose_builddir NAME: sets builddir, unless an option did: in the tree when that can be written, else in the cache,
# where each tree has its own.
choose_builddir()
{
    if [ -z "$builddir" ]; then
        if [ -w "$root" ]; then
            builddir=$root/build/$1
        else
            builddir=$(cache_dir)/$1-$(printf '%s' "$root" | cksum | cut -d ' ' -f 1)
        fi
    fi
    mkdir -p -- "$builddir" 2>/dev/null || die "cannot make $builddir; name another with --builddir"
    builddir=$(cd "$builddir" && pwd -P)
}

# has_value OPTION VALUE...: refuses an option without one, or with the next option in its place.
has_value()
{
    case ${2-} in
        '') die "$1 wants a value" ;;
        -*) die "$1 wants a value, not $2" ;;
    esac
}

# common_option ARGUMENT...: takes one of the options every tool has, and sets `taken` to how many arguments that was.
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

# configure DIR MESON_OPTION...: sets DIR up, or up to date. A directory that was made for another place or by another
# Meson is made anew.
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
