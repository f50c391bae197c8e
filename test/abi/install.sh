#!/usr/bin/env bash
# install.sh SOURCE_DIR BUILD_DIR VERSION COMPILER...: what `meson install` puts into a staging directory serves a user
# who has only pkg-config: the README's example compiles against it and runs, with the shared library and the archive.
# The same for a user of CMake, and for a user who follows the README into a directory of their own.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
source_dir=$1 build_dir=$2 version=$3
compiler=("${@:4}")
language=(-x c -std=gnu11)
make_scratch
stage=$scratch/stage
unset LD_LIBRARY_PATH # Meson sets it for tests, and programs would find the library without our help

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
    diff <(cd "$source_dir/include/heist" && printf '%s\n' *.h detail/*.h version.h | LC_ALL=C sort) \
        <(cd "$(dirname "$(find "$stage" -path '*/heist/version.h')")" && find . -type f -printf '%P\n' | LC_ALL=C sort)
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

# A CMake project finds the package, also after the installation was moved, and in the right version only.
cmake_project()
{
    mkdir -p "$scratch/cmake"
    cp "$scratch/example.c" "$scratch/cmake/"
    cat >"$scratch/cmake/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.13)
project(user C)
find_package(heist $1 REQUIRED)
add_executable(user example.c)
target_link_libraries(user PRIVATE heist::heist)
END
    rm -rf "$scratch/cmake-build"
    cmake -S "$scratch/cmake" -B "$scratch/cmake-build" -DCMAKE_PREFIX_PATH="$scratch/moved" -DCMAKE_BUILD_TYPE=Release
}

cmake_finds_it()
{
    local config
    config=$(find "$stage" -name heistConfig.cmake)
    mv "${config%%/lib*/cmake/heist/heistConfig.cmake}" "$scratch/moved" || return
    cmake_project "$version" && cmake --build "$scratch/cmake-build" && prints_fib_40 "$scratch/cmake-build/user"
}

cmake_refuses_a_later_version()
{
    local said
    if said=$(cmake_project 999.0 2>&1); then
        echo 'version 999 was found'
        return 1
    fi
    [[ $said == *'considered but not accepted'*"version: $version"* ]] || { echo "$said"; return 1; }
}

manual_pages_are_there()
{
    local page
    for page in man1/heist-info.1 man1/heist-omp.1 man1/heist-perf.1 man1/heist-scale.1 man1/heist-sim.1 \
        man3/heist_task.3 man3/heist_loop.3 \
        man3/heist_scope.3 man3/heist_pool.3 man3/heist_stats.3 man3/heist_deque.3 man7/heist.7; do
        [ -n "$(find "$stage" -path "*/$page*")" ] || { echo "missing: $page"; return 1; }
    done
    # Every public function and macro has a page, which leads to one that names it.
    local name target
    for name in $(grep -E "^heist_[a-z]" "$source_dir/test/abi/symbols.txt") HEIST_SPAWN HEIST_FOR; do
        page=$(find "$stage" -path "*/man3/$name.3*")
        [ -n "$page" ] || { echo "no page for $name"; return 1; }
        target=$(sed -n 's/^\.so //p' "$page")
        grep -qw "$name" "$(dirname "$(dirname "$page")")/${target:-man3/$name.3}" ||
            { echo "$name: $target"; return 1; }
    done
    # Every command that is installed has a page. Those of heist-perf's peers are of no use by hand.
    for page in $(find "$stage" -path '*/bin/*' -printf '%f\n' | grep -vE '^heist-perf-'); do
        [ -n "$(find "$stage" -path "*/man1/$page.1*")" ] || { echo "no page for $page"; return 1; }
    done
}

# The README's second list of commands, with its own prefix, in a home directory of its own.
readme_prefix_works()
{
    local commands
    commands=$(sed -n '/^Into a directory of your own/,/^With CMake/p' "$source_dir/README.md" | sed -n 's/^    //p')
    [ "$(wc -l <<<"$commands")" -ge 4 ] || { echo "the commands were not found: $commands"; return 1; }
    mkdir -p "$scratch/home" "$scratch/work"
    cp "$scratch/example.c" "$scratch/work/fib.c"
    find "$source_dir" -mindepth 1 -maxdepth 1 ! -name 'build*' ! -name .git -exec ln -s {} "$scratch/work/" \;
    (cd "$scratch/work" && HOME=$scratch/home bash -euc "$commands") >"$scratch/readme.log" 2>&1 ||
        { cat "$scratch/readme.log"; return 1; }
    [ "$(tail -n 1 "$scratch/readme.log")" = 102334155 ] || { tail -n 3 "$scratch/readme.log"; return 1; }
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
run_case every_manual_page_is_installed manual_pages_are_there
run_case the_readme_commands_install_into_a_prefix readme_prefix_works
if command -v cmake >/dev/null; then
    run_case cmake_finds_it_also_when_it_was_moved cmake_finds_it
    run_case cmake_refuses_a_later_version cmake_refuses_a_later_version
else
    ignore_case cmake_finds_it_also_when_it_was_moved 'there is no cmake'
    ignore_case cmake_refuses_a_later_version 'there is no cmake'
fi
end_cases
