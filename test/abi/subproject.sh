#!/usr/bin/env bash
# subproject.sh SOURCE_DIR: a Meson project that has heist under subprojects/ builds and runs the README's example, and
# gets none of heist's tests.
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

readme_example "$source_dir/README.md" >"$project/user.c" || true
run_case it_builds_as_a_subproject builds
run_case the_readme_example_runs prints_fib_40 "$scratch/build/user"
run_case it_brings_no_tests has_no_tests
end_cases
