#!/usr/bin/env bash
# man.sh SOURCE_DIR PAGE...: the manual pages have no fault that mandoc knows, and name everything public.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
source_dir=$1
shift
pages=("$@")

# Warnings count, matters of style do not.
is_clean() { mandoc -Tlint -Wwarning "$1"; }

page_of() { printf '%s\n' "${pages[@]}" | grep "/$1\$"; }

# public_names HEADER: functions and macros with arguments. Found in another way than doc/man_pages.py does.
public_names()
{
    {
        grep -oE '^HEIST_API .*' "$1" | grep -oE '\bheist_[a-z0-9_]+\(' || true
        grep -oE '^(static inline|HEIST__INLINE) .*' "$1" | grep -oE '\bheist_[a-z0-9_]+\(' || true
        grep -oE '^#define HEIST_[A-Z0-9][A-Z0-9_]*\(' "$1" | sed 's/#define //' || true
    } | tr -d '(' | grep -v heist__ | sort -u
}

names_everything()
{
    local name page missing=0
    page=$(page_of "$2")
    for name in $(public_names "$1"); do
        if ! grep -qw "$name" <<<"$(sed -n '/^\.SH NAME/,/^\.SH SYNOPSIS/p' "$page")"; then
            echo "not in NAME: $name"
            missing=1
        fi
        if ! grep -qw "$name" <<<"$(sed -n '/^\.SH DESCRIPTION/,$p' "$page")"; then
            echo "not explained: $name"
            missing=1
        fi
    done
    return $missing
}

# Every variable that the library's sources read is in the page, and in doc/environment.md. Messages name macros of the
# public headers in the same way: these are no variables.
names_every_variable()
{
    local name missing=0
    for name in $(grep -rhoE '"HEIST_[A-Z_]+"' "$source_dir/lib" --include='*.c' | tr -d '"' | sort -u); do
        if grep -rqE "^#define $name\(" "$source_dir/include"; then continue; fi
        if [[ $name != HEIST_OMP_* ]]; then
            grep -qw "$name" "$(page_of heist.7)" || { echo "heist.7: $name"; missing=1; }
        fi
        grep -qw "$name" "$source_dir/doc/environment.md" || { echo "environment.md: $name"; missing=1; }
    done
    return $missing
}

for page in "${pages[@]}"; do
    name=$(basename "$page")
    if command -v mandoc >/dev/null; then
        run_case "${name}_is_clean" is_clean "$page"
    else
        ignore_case "${name}_is_clean" 'there is no mandoc'
    fi
done
for header in deque future loop memory pool scope stats task; do
    run_case "heist_$header.3_names_everything_public" names_everything "$source_dir/include/heist/$header.h" \
        "heist_$header.3"
done
run_case heist.7_names_every_variable names_every_variable
end_cases
