#!/usr/bin/env bash
# install.sh SOURCE_DIR BUILD_DIR VERSION COMPILER...: what `meson install` puts into a staging directory serves a user
# who has only pkg-config: the README's example compiles against it and runs, with the shared library and the archive.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
source_dir=$1 build_dir=$2 version=$3
compiler=("${@:4}")
language=(-x c -std=gnu11)
make_scratch
stage=$scratch/stage

installs() { meson install -C "$build_dir" --no-rebuild --destdir "$stage"; }

# pkg-config's own way to look into a staged tree.
staged_pkg_config()
{
    local pc
    pc=$(find "$stage" -name heist.pc)
    PKG_CONFIG_PATH=$(dirname "$pc") PKG_CONFIG_SYSROOT_DIR=$stage pkg-config "$@"
}

pc_has_the_version()
{
    local found
    found=$(staged_pkg_config --modversion heist)
    [ "$found" = "$version" ] || { echo "heist.pc says $found, the project $version"; return 1; }
}

# Every header of include/heist and the generated version.h, and nothing else.
headers_are_there()
{
    diff <(cd "$source_dir/include/heist" && printf '%s\n' *.h version.h | LC_ALL=C sort) \
        <(cd "$(dirname "$(find "$stage" -path '*/heist/version.h')")" && printf '%s\n' * | LC_ALL=C sort)
}

# build PROGRAM FLAGS_TEXT...: pkg-config quotes for the shell, so the shell takes its words apart.
build()
{
    local program=$1 flags
    eval "flags=(${*:2})"
    "${compiler[@]}" "${language[@]}" -O2 -Wall -Wextra -Werror "$scratch/example.c" -x none -o "$program" "${flags[@]}"
}

shared_runs()
{
    local libdir
    build "$scratch/shared" "$(staged_pkg_config --cflags --libs heist)" || return
    libdir=$(dirname "$(find "$stage" -name libheist.so)")
    LD_LIBRARY_PATH=$libdir prints_fib_40 "$scratch/shared"
}

runs_as_cxx()
{
    local compiler=(g++) language=(-x c++ -std=c++17)
    shared_runs
}

# `pkg-config --static` would ask for everything a static hwloc needs, which distributions do not install along with
# it. What a user of libheist.a links beside it is what heist.pc itself names, and the shared libraries it requires.
archive_runs()
{
    local libs name
    libs=$(staged_pkg_config --cflags --libs heist)
    libs="${libs/-lheist/-l:libheist.a} $(sed -n 's/^Libs.private: *//p' "$(find "$stage" -name heist.pc)")"
    # A shared library that is named by its path (liblfds) is found there again.
    libs=$(sed -E 's|(/[^ ]*)/[^/ ]*\.so\b|& -Wl,-rpath,\1|g' <<<"$libs")
    for name in $(staged_pkg_config --print-requires-private heist | awk '{ print $1 }'); do
        libs+=" $(pkg-config --libs "$name")"
    done
    build "$scratch/static" "$libs" || return
    if ldd "$scratch/static" | grep -q libheist; then
        echo 'the program still wants the shared library'
        return 1
    fi
    prints_fib_40 "$scratch/static"
}

readme_example "$source_dir/README.md" >"$scratch/example.c" || true
run_case the_readme_has_its_example test -s "$scratch/example.c"
run_case it_installs installs
run_case every_header_is_installed headers_are_there
run_case pkg_config_knows_the_version pc_has_the_version
run_case the_readme_example_runs_with_the_shared_library shared_runs
run_case the_readme_example_runs_with_the_archive archive_runs
if command -v g++ >/dev/null; then
    run_case the_readme_example_runs_as_c++17 runs_as_cxx
else
    ignore_case the_readme_example_runs_as_c++17 'there is no g++'
fi
end_cases
