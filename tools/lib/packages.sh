# shellcheck shell=bash disable=SC2154 # common.sh sets install
# packages.sh: finds out what is lacking on this machine and installs it. Sourced after common.sh.
#
# A need is a line of words: its kind, a Debian package (or several, of which the first that exists is taken), and after
# `:` the command that succeeds when it is met. Without an essential nothing works; without a nicety a part is skipped.
needs=()
essential() { needs+=("essential $*"); }
nicety() { needs+=("nicety $*"); }

# lacking KIND: the packages of the needs of that kind that are not met, one need a line.
lacking()
{
    local need kind packages
    for need in "${needs[@]}"; do
        kind=${need%% *} packages=${need#* } packages=${packages%% : *}
        if [ "$kind" = "$1" ] && ! eval "${need#* : }" >/dev/null 2>&1; then
            printf '%s\n' "$packages"
        fi
    done
}

# The first of several packages that apt knows.
known_package()
{
    local package
    for package in "$@"; do
        if apt-cache show "$package" >/dev/null 2>&1; then
            printf '%s\n' "$package"
            return
        fi
    done
    printf '%s\n' "$1"
}

as_root()
{
    if [ "$(id -u)" -eq 0 ]; then
        env DEBIAN_FRONTEND=noninteractive "$@"
    else
        sudo env DEBIAN_FRONTEND=noninteractive "$@"
    fi
}

# install_packages LOG PACKAGE...: all at once, or, when one of them cannot be had, each for itself.
install_packages()
{
    local log=$1 package
    shift
    as_root apt-get install -y --no-install-recommends "$@" >>"$log" 2>&1 && return 0
    for package in "$@"; do
        as_root apt-get install -y --no-install-recommends "$package" >>"$log" 2>&1 || true
    done
}

# supply LOG: says what is lacking, installs it if that is allowed and possible, and ends the program when an essential
# still is not there.
supply()
{
    local log=$1 missing packages=() line
    missing=$(lacking essential; lacking nicety)
    [ -n "$missing" ] || return 0
    missing=$(awk '!seen[$0]++' <<<"$missing") # two needs may want the same package
    note "lacking: $(printf '%s\n' "$missing" | sed 's/ .*//' | tr '\n' ' ')"
    if ! $install; then
        :
    elif ! have apt-get; then
        note 'there is no apt-get here to install it with'
    elif [ "$(id -u)" -ne 0 ] && ! have sudo; then
        note 'not installed: that needs root, or sudo'
    else
        note "installing it with apt-get (log: $log)"
        as_root apt-get update >>"$log" 2>&1 || note 'apt-get update failed; trying with the lists that are here'
        while read -r line; do
            # shellcheck disable=SC2086 # the alternatives are words
            packages+=("$(known_package $line)")
        done <<<"$missing"
        install_packages "$log" "${packages[@]}"
        hash -r
    fi
    missing=$(lacking essential | sed 's/ .*//' | tr '\n' ' ')
    [ -z "$missing" ] || die "cannot go on; what it needs, as root: apt-get install ${missing% }"
}

# --- what every build needs -------------------------------------------------------------------------------------------

meson_is_new() { [ "$(printf '1.0\n%s\n' "$(meson --version)" | sort -V | head -n 1)" = 1.0 ]; }
has_libc() { echo '#include <pthread.h>' | gcc -fsyntax-only -x c -; }

build_needs()
{
    essential gcc : have gcc
    essential libc6-dev : has_libc
    essential meson : meson_is_new
    essential ninja-build : have ninja
    essential pkg-config : have pkg-config
    nicety libhwloc-dev : pkg-config --exists hwloc
}

# --- what tools/sweep has on top --------------------------------------------------------------------------------------

# The page of a sweep is made by python3, its figures by gnuplot.
report_needs()
{
    essential python3 : have python3
    nicety gnuplot-nox gnuplot : have gnuplot
}

# The runtimes that heist is measured beside, where they can be had.
links_with() { echo 'int main(void) { return 0; }' | gcc -x c -o /dev/null - "-l$1"; }
clang_has_libomp()
{
    local clang
    for clang in clang-14 clang; do
        have "$clang" && echo 'int main(void) { return 0; }' | "$clang" -fopenmp=libomp -x c -o /dev/null - && return
    done
    return 1
}

peer_needs()
{
    nicety g++ : have g++
    nicety libtbb-dev : pkg-config --exists tbb
    nicety clang-14 clang : have clang-14 '||' have clang
    nicety libomp-dev libomp-14-dev : clang_has_libomp
    nicety libopenblas-dev : links_with openblas
    nicety libblis-dev : links_with blis
}
