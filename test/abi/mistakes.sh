#!/usr/bin/env bash
# mistakes.sh SOURCE_INCLUDE BUILD_INCLUDE: what a compiler says of common mistakes with heist/task.h. Each is
# compiled, is refused, and the sentence is in a line that says "error"; the same program without the mistake compiles
# without a warning.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=cases.sh
. "$(dirname "$0")/cases.sh"
source_include=$1 build_include=$2

# compile LANGUAGE COMPILER: standard input, behind some declarations.
compile()
{
    local standard=c11
    [ "$1" = c ] || standard=c++17
    { printf '#include <heist/heist.h>\n'
      [ "$1" = c ] || printf '#include <map>\n'
      printf 'HEIST_TASK(long, fib, int, n) { return n; }\nHEIST_VOID_TASK(quiet) { }\n'
      cat; } |
        LC_ALL=C "$2" -x "$1" -std="$standard" -Wall -Wextra -Wpedantic -Werror -I "$source_include" \
            -I "$build_include" -fsyntax-only -
}

# told SENTENCE WRONG RIGHT LANGUAGE COMPILER
told()
{
    local said
    compile "${@:4}" <<< "$3" || { echo 'the right program is refused'; return 1; }
    if said=$(compile "${@:4}" <<< "$2" 2>&1); then
        echo 'the wrong program is compiled'
        return 1
    fi
    grep 'error:' <<< "$said" | grep -qF -- "$1" || { echo "$said"; return 1; }
}

no_worker='this function is no task, so it has no worker: write HEIST_WITH_WORKER'
spawns='HEIST_SPAWN(left, fib, 3); return (int)HEIST_SYNC(left);'
array='HEIST_CHILD(fib) one[1]; HEIST_SPAWN_AT(&one[0], fib, 3); return (int)HEIST_SYNC_AT(&one[0], fib);'
right_type='HEIST_VOID_TASK(walk, int *, m) { *m = 1; }'

# in_each NAME SENTENCE WRONG RIGHT COMPILER...
in_each()
{
    local name=$1 language compiler
    for compiler in "${@:5}"; do
        command -v "$compiler" > /dev/null || continue
        language=c
        case $compiler in *++*) language=c++ ;; esac
        run_case "${name}_by_$compiler" told "$2" "$3" "$4" "$language" "$compiler"
    done
}

all=(gcc clang-14 g++ clang++-14)
in_each a_spawn_in_main "$no_worker" "int main(void) { $spawns }" \
    "int main(void) { HEIST_WITH_WORKER; $spawns }" "${all[@]}"
in_each a_spawn_into_an_array_in_a_helper "$no_worker" "int helper(void) { $array }" \
    "int helper(void) { HEIST_WITH_WORKER; $array }" "${all[@]}"
in_each a_call_in_a_loop "$no_worker" 'HEIST_LOOP(each, i, long *, a) { a[i] = HEIST_CALL(fib, 3); }' \
    'HEIST_LOOP(each, i, long *, a) { HEIST_WITH_WORKER; a[i] = HEIST_CALL(fib, 3); }' "${all[@]}"
in_each an_if_around_a_spawn use_HEIST_SPAWN_IF_a \
    'HEIST_TASK(long, walk, int, n) { if (n > 3) HEIST_SPAWN(a, fib, 1); return HEIST_SYNC(a); }' \
    'HEIST_TASK(long, walk, int, n) { HEIST_SPAWN_IF(n > 3, a, fib, 1); return HEIST_SYNC(a); }' g++ clang++-14
in_each a_name_that_is_no_task_spawned there_is_no_task_fub \
    'HEIST_TASK(long, walk) { HEIST_SPAWN(a, fub, 1); return HEIST_SYNC(a); }' \
    'HEIST_TASK(long, walk) { HEIST_SPAWN(a, fib, 1); return HEIST_SYNC(a); }' "${all[@]}"
in_each a_name_that_is_no_task_run there_is_no_task_fub 'int main(void) { return (int)HEIST_RUN(NULL, fub, 3); }' \
    'int main(void) { return (int)HEIST_RUN(NULL, fib, 3); }' "${all[@]}"
in_each a_name_that_is_no_task_called there_is_no_task_fub 'HEIST_TASK(long, walk) { return HEIST_CALL(fub, 3); }' \
    'HEIST_TASK(long, walk) { return HEIST_CALL(fib, 3); }' "${all[@]}"
in_each a_name_that_is_no_task_detached there_is_no_task_fub 'int main(void) { return HEIST_DETACH(NULL, fub, 3); }' \
    'int main(void) { return HEIST_DETACH(NULL, fib, 3); }' "${all[@]}"
in_each a_name_that_is_no_child there_is_no_child_b \
    'HEIST_TASK(long, walk) { HEIST_SPAWN(a, fib, 1); return HEIST_SYNC(b); }' \
    'HEIST_TASK(long, walk) { HEIST_SPAWN(a, fib, 1); return HEIST_SYNC(a); }' "${all[@]}"
in_each a_task_with_result_void 'a task without a result is declared with HEIST_VOID_TASK' \
    'HEIST_TASK(void, walk, int *, m) { *m = 1; }' "$right_type" "${all[@]}"
in_each a_void_result_that_is_used void 'HEIST_TASK(long, walk) { return HEIST_CALL(quiet); }' \
    'HEIST_TASK(long, walk) { HEIST_CALL(quiet); return 0; }' gcc clang-14 g++ clang++-14
in_each a_const_argument 'arguments and result are not const' 'HEIST_TASK(long, walk, const int, m) { return m; }' \
    'HEIST_TASK(long, walk, const int *, m) { return *m; }' "${all[@]}"
in_each a_const_pointer 'arguments and result are not const' 'HEIST_VOID_TASK(walk, int *const, m) { *m = 1; }' \
    "$right_type" "${all[@]}"
in_each a_type_with_a_comma 'a type with a comma in it needs a typedef' \
    'HEIST_TASK(long, walk, std::map<int, int> *, m) { return (long)m->size(); }' \
    'typedef std::map<int, int> map; HEIST_TASK(long, walk, map *, m) { return (long)m->size(); }' g++ clang++-14
end_cases
