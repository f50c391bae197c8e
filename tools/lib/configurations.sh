# shellcheck shell=bash disable=SC2154 # common.sh sets builddir and root
# configurations.sh: builds one configuration after the other, runs its tests and counts their cases. Sourced after
# common.sh. Each configuration is a line of output, and more only when something failed; the logs are in builddir.
passed=0 failed=0
unity_args=()

begin()
{
    began=$SECONDS
    printf '%-24s ' "$1"
}

skip() { printf '%-24s skipped: %s\n' "$1" "$2"; }

# count PASSED FAILED IGNORED: adds the cases of a configuration to the sum, and ends its line.
count()
{
    local ignored=
    [ "$3" -eq 0 ] || ignored=", $3 ignored"
    passed=$((passed + $1)) failed=$((failed + $2))
    printf '%d passed, %d failed%s (%d s)\n' "$1" "$2" "$ignored" $((SECONDS - began))
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

# run_tests DIR NAME SCALE MESON_TEST_ARGUMENT...: runs the tests of DIR at SCALE percent and counts their cases.
run_tests()
{
    local dir=$builddir/$1 name=$2 scale=$3 log=$builddir/$2.test.log logs=$builddir/$1/meson-logs result cases
    shift 3
    rm -f -- "$logs/$name"*.json # the name of a wrapper becomes part of that of the log
    HEIST_TEST_SCALE=$scale meson test -C "$dir" --no-rebuild --logbase "$name" "$@" >"$log" 2>&1 || true
    if ! result=$(python3 "$root/tools/lib/tally.py" "$logs/$name"*.json 2>&1); then
        result=$(printf '0 1 0\n%s\n' "$result" && tail -n 20 "$log")
    fi
    read -ra cases <<<"${result%%$'\n'*}"
    count "${cases[@]}"
    if [ "${cases[1]}" -gt 0 ]; then
        printf '%s\n' "${result#*$'\n'}"
    fi
}
