#!/usr/bin/env bash
# vectors.sh HEIST_PERF: checks the compiled inner loops for AVX-512, which this machine may not be able to run: as many
# fused multiply-adds of whole vectors as there are sums, each sum in a register of its own, and no stores, so that no
# sum goes to the stack and back.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
program=$1

# inner_loop FUNCTION: the instructions of the shortest loop with a multiply-add of 64 bytes that jumps back to its
# beginning.
inner_loop()
{
    objdump -d --no-show-raw-insn --disassemble="$1" "$program" | awk '
        /^ *[0-9a-f]+:\t/ {
            address = $1
            sub(":", "", address)
            at[address] = ++count
            text[count] = substr($0, index($0, "\t") + 1)
            if ($2 ~ /^j/ && $3 in at) {
                adds = 0
                for (i = at[$3]; i <= count; i++) adds += text[i] ~ /^vfn?m(add|sub).*%zmm/
                if (adds > 0 && (!best || count - at[$3] < best)) {
                    best = count - at[$3]
                    from = at[$3]
                    to = count
                }
            }
        }
        END { for (i = from; i && i <= to; i++) print text[i] }'
}

# holds_sums FUNCTION SUMS: the loop is as this file says. A compiler may take several steps in a turn of the loop.
holds_sums()
{
    local loop adds sums stores
    loop=$(inner_loop "$1")
    [ -n "$loop" ] || { echo "no loop of $1 has a multiply-add of 64 bytes"; return 1; }
    adds=$(grep -c '^vfmadd[0-9]*p[sd] .*%zmm[0-9]*$' <<<"$loop" || true)
    sums=$(grep -o '^vfmadd.*' <<<"$loop" | grep -o '%zmm[0-9]*$' | sort -u | wc -l)
    stores=$(grep -E '^v?mov.*\)$|^push|[-0-9a-fx]*\(%rsp' <<<"$loop" || true)
    if [ "$adds" -eq 0 ] || [ $((adds % $2)) -ne 0 ] || [ "$sums" -ne "$2" ] || [ -n "$stores" ]; then
        printf '%s: %d multiply-adds to %d registers, for %d sums; stored or from the stack:\n%s\nthe loop:\n%s\n' \
            "$1" "$adds" "$sums" "$2" "${stores:-nothing}" "$loop"
        return 1
    fi
}

holds()
{
    if ! command -v objdump >/dev/null; then
        ignore_case "$1" 'there is no objdump'
    elif [ "${OPTIMISED-1}" != 1 ]; then
        ignore_case "$1" 'this build is not optimised, or instrumented'
    else
        run_case "$1" holds_sums "$2" "$3"
    fi
}

holds gemms_double_kernel_holds_its_24_sums_in_registers avx512_double 24
holds gemms_single_kernel_holds_its_24_sums_in_registers avx512_single 24
holds strassens_block_holds_its_8_sums_in_registers product_avx512 8
end_cases
