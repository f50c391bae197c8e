#!/usr/bin/env bash
# subproject.sh SOURCE_DIR: a Meson project that has heist under subprojects/ builds and runs the README's example, and
# gets none of heist's tests, and none of its OpenMP libraries. Meson says when the build type does not optimise.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
source_dir=$1
make_scratch
project=$scratch/project
mkdir -p "$project/subprojects"
ln -s "$source_dir" "$project/subprojects/heist"
cat >"$project/meson.build" <<'END'
project('user', 'c', meson_version: '>= 1.0', default_options: 'buildtype=debugoptimized')
executable('user', 'user.c', dependencies: dependency('heist', fallback: 'heist'))
END

builds()
{
    meson setup --force-fallback-for=heist "$scratch/build" "$project" && meson compile -C "$scratch/build"
}

has_no_tests()
{
    local tests
    tests=$(meson test -C "$scratch/build" --no-rebuild --list 2>&1)
    [[ $tests == *'No tests defined.'* ]] || { echo "$tests"; return 1; }
}

has_no_openmp()
{
    local found
    found=$(find "$scratch/build" -name 'libheist-gomp*' -o -name 'libheist-omp*')
    [ -z "$found" ] || { echo "$found"; return 1; }
}

told='not optimised (buildtype'
unoptimised_is_told()
{
    local said
    said=$(meson setup --force-fallback-for=heist --buildtype=debug "$scratch/debug" "$project") ||
        { echo "$said"; return 1; }
    [ "$(grep -cF "$told" <<<"$said")" -eq 1 ] || { echo "$said"; return 1; }
}

optimised_is_silent() { ! grep -F "$told" "$scratch/build/meson-logs/meson-log.txt"; }

readme_example "$source_dir/README.md" >"$project/user.c" || true
run_case it_builds_as_a_subproject builds
run_case the_readme_example_runs prints_fib_40 "$scratch/build/user"
run_case it_brings_no_tests has_no_tests
run_case it_brings_no_openmp has_no_openmp
run_case a_build_type_that_does_not_optimise_is_told unoptimised_is_told
run_case one_that_does_is_not_told optimised_is_silent
end_cases
