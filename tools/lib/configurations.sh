# shellcheck shell=bash disable=SC2154 # common.sh sets builddir and root
# configurations.sh: builds one configuration after the other, runs its tests and counts their cases. Sourced after
# common.sh. Each configuration is a line of output, and more only when something failed; the logs are in builddir.
passed=0 failed=0 unsteady=0
repetitions=3         # of a program whose failure may be the machine's
unity_args=()

begin()
{
    began=$SECONDS
    printf '%-24s ' "$1"
}

skip() { printf '%-24s skipped: %s\n' "$1" "$2"; }

# count PASSED FAILED IGNORED [UNSTEADY]: adds the cases of a configuration to the sum, and ends its line.
count()
{
    local more=
    [ "$3" -eq 0 ] || more=", $3 ignored"
    [ "${4:-0}" -eq 0 ] || more+=", $4 UNSTEADY"
    passed=$((passed + $1)) failed=$((failed + $2)) unsteady=$((unsteady + ${4:-0}))
    printf '%d passed, %d failed%s (%d s)\n' "$1" "$2" "$more" $((SECONDS - began))
}

# summarise: the last lines.
summarise()
{
    if [ "$unsteady" -gt 0 ]; then
        printf 'UNSTEADY: %d failed once and passed %d times when repeated alone; see above\n' \
            "$unsteady" "$repetitions"
    fi
    printf '%d passed, %d failed\n' "$passed" "$failed"
}

# build DIR MESON_OPTION...: a build that fails is one failed case.
build()
{
    local dir=$builddir/$1 log=$builddir/$1.build.log
    shift
    if { configure "$dir" "${unity_args[@]}" -Dtests=enabled -Dwerror=true "$@" && meson compile -C "$dir"; } \
        >"$log" 2>&1; then
        return 0
    fi
    count 0 1 0
    printf -- '---- it does not build (log: %s)\n' "$log"
    grep -E -A 3 '(error|warning): |ERROR|undefined reference' "$log" | head -n 60 || tail -n 20 "$log"
    return 1
}

# test_once DIR LOG_NAME SCALE MESON_TEST_ARGUMENT...: prints the name of Meson's log in JSON; that of a wrapper becomes
# part of it.
test_once()
{
    local logs=$builddir/$1/meson-logs
    rm -f -- "$logs/$2"{,-*}.json
    HEIST_TEST_SCALE=$3 meson test -C "$builddir/$1" --no-rebuild --logbase "$2" "${@:4}" \
        >"$builddir/$2.test.log" 2>&1 || true
    printf '%s\n' "$logs/$2"{,-*}.json | grep -v '\*' | while read -r file; do [ ! -f "$file" ] || echo "$file"; done
}

# run_tests DIR NAME SCALE MESON_TEST_ARGUMENT...: runs the tests of DIR at SCALE percent and counts their cases. A
# program whose failure may be the machine's is repeated when all others have ended, one after the other: tally.py says
# which, and what follows from it.
run_tests()
{
    local tally=$root/tools/lib/tally.py log result cases names again=() doubtful=() turn
    log=$(test_once "$@")
    names=$(python3 "$tally" --repeatable "$log" 2>/dev/null | sed 's|.* / ||') || names=
    if [ -n "$names" ]; then
        mapfile -t doubtful <<<"$names"
        for ((turn = 1; turn <= repetitions; turn++)); do
            again+=("$(test_once "$1" "again$turn-$2" "$3" "${@:4}" --num-processes 1 "${doubtful[@]}")")
        done
    fi
    if ! result=$(python3 "$tally" "$log" --again "${again[@]}" 2>&1); then
        result=$(printf '0 1 0 0\n%s\n' "$result" && tail -n 20 "$builddir/$2.test.log")
    fi
    read -ra cases <<<"${result%%$'\n'*}"
    count "${cases[@]}"
    if [ $((cases[1] + cases[3])) -gt 0 ]; then
        printf '%s\n' "${result#*$'\n'}"
    fi
}
