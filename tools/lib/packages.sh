# shellcheck shell=bash disable=SC2154 # common.sh sets install
# packages.sh: finds the missing packages and installs them. Sourced after common.sh.
#
# A need is a line of words: its kind, a Debian package (or several, of which the first that exists is taken), and after
# `:` the command that succeeds if it is met. Without an essential nothing works; without a nicety a part is skipped.
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

# why LOG: the last complaint of apt-get: the file that could not be fetched, if that was the reason.
why()
{
    { grep -E '^[EW]: Failed to fetch' "$1" || grep -E '^E: ' "$1"; } | tail -n 1 | sed -E 's/^[EW]: //; s/  +/: /'
}

apt_install() { as_root apt-get "${patience[@]}" install -y --no-install-recommends "$@"; }

# install_packages LOG PACKAGE...: all at once, or, if one of them is not available, one by one. If the network fails,
# it would fail for each package, after a long wait: then only the essentials are tried once more.
install_packages()
{
    local log=$1 package
    shift
    apt_install "$@" >>"$log" 2>&1 && return 0
    if tail -n 20 "$log" | grep -qE '^E: (Failed|Unable) to fetch'; then
        local indispensable
        mapfile -t indispensable < <(known_packages "$(lacking essential)")
        [ ${#indispensable[@]} -eq 0 ] || apt_install "${indispensable[@]}" >>"$log" 2>&1 || true
        return 0
    fi
    for package in "$@"; do
        apt_install "$package" >>"$log" 2>&1 || true
    done
}

# known_packages NEEDS: the package for each line of NEEDS, one a line.
known_packages()
{
    local line
    while read -r line; do
        # shellcheck disable=SC2086 # the alternatives are words
        [ -z "$line" ] || known_package $line
    done <<<"$1"
}

# install_with_apt LOG NEEDS
install_with_apt()
{
    local log=$1 packages patience=()
    note "installing with apt-get (log: $log)"
    : >"$log"
    # Without Error-Mode the command succeeds even if nothing could be fetched.
    if ! as_root apt-get -o APT::Update::Error-Mode=any update >>"$log" 2>&1; then
        note "apt-get update failed ($(why "$log")); trying with the lists that are here"
        patience=(-o Acquire::Retries=0)
    fi
    mapfile -t packages < <(known_packages "$2")
    install_packages "$log" "${packages[@]}"
    hash -r
}

# first_words TEXT: the first word of each line, in one line.
first_words() { sed 's/ .*//' <<<"$1" | tr '\n' ' ' | sed 's/ $//'; }

# supply LOG: names the missing packages, installs them if that is allowed and possible, and ends the program if an
# essential is still missing.
supply()
{
    local log=$1 missing tried=false
    missing=$(lacking essential; lacking nicety)
    [ -n "$missing" ] || return 0
    missing=$(awk '!seen[$0]++' <<<"$missing") # two needs may want the same package
    note "lacking: $(first_words "$missing")"
    if ! $install; then
        :
    elif ! have apt-get; then
        note 'there is no apt-get here to install it with'
    elif [ "$(id -u)" -ne 0 ] && ! have sudo; then
        note 'not installed: that needs root, or sudo'
    else
        tried=true
        install_with_apt "$log" "$missing"
    fi
    missing=$(lacking essential)
    if [ -z "$missing" ]; then
        return 0
    elif $tried; then
        die "cannot go on: apt-get could not install $(first_words "$missing"): $(why "$log") (log: $log)"
    fi
    die "cannot go on; what it needs, as root: apt-get install $(first_words "$missing")"
}

# --- needs of every build ---------------------------------------------------------------------------------------------

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

# --- further needs of tools/sweep -------------------------------------------------------------------------------------

# The page of a sweep is made by python3, its figures by gnuplot.
report_needs()
{
    essential python3 : have python3
    nicety gnuplot-nox gnuplot : have gnuplot
}

# The runtimes that heist is compared with, where they are available.
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

# --- further needs of tools/check: compilers of other versions, for OpenMP programs -----------------------------------

openmp_clangs=(13 15 16 19)

version_needs()
{
    local n
    nicety gcc-11 : have gcc-11
    for n in "${openmp_clangs[@]}"; do
        nicety "clang-$n" : have "clang-$n"
    done
}

# fetch_libomps DIR: the files of each version's libomp under DIR/N. Debian's packages of them cannot be installed
# beside each other, so they are only unpacked. What cannot be fetched is left out.
fetch_libomps()
{
    local dir=$1 n package
    have apt-get && have dpkg-deb || return 0
    for n in "${openmp_clangs[@]}"; do
        [ ! -f "$dir/$n/complete" ] || continue
        rm -rf -- "${dir:?}/$n"
        mkdir -p "$dir/$n" || return 0
        (cd "$dir/$n" && apt-get download "libomp5-$n" "libomp-$n-dev") >/dev/null 2>&1 || continue
        for package in "$dir/$n"/*.deb; do
            dpkg-deb -x "$package" "$dir/$n" || continue 2
        done
        rm -f -- "$dir/$n"/*.deb
        : >"$dir/$n/complete"
    done
}
