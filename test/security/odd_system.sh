#!/usr/bin/env bash
# odd_system.sh FACTS: a pool is made, and nothing is printed, where /sys or /proc are missing or half there: a chroot,
# a container with little in it. FACTS is facts.c.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR/../abi source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
facts=$(realpath "$1")
make_scratch

# A file system with the program, its libraries and nothing else.
jail=$scratch/jail
make_jail()
{
    local library
    mkdir -p "$jail"
    cp "$facts" "$jail/facts"
    ldd "$facts" | grep -o '/[^ ]*' | sort -u | while read -r library; do
        mkdir -p "$jail$(dirname "$library")"
        cp -L "$library" "$jail$library"
    done
}

# is_quiet NOTE COMMAND...: the command makes a pool, says NOTE as a note of the pool's (empty: no matter), nothing on
# stderr.
is_quiet()
{
    local note=$1 said
    shift
    said=$("$@" 2>"$scratch/stderr") || { printf 'status %d\n' $?; cat "$scratch/stderr"; return 1; }
    printf '%s\n' "$said"
    cat "$scratch/stderr"
    [ ! -s "$scratch/stderr" ] && [[ $said == *' ran 1'* && $said == *"$note"* ]]
}
in_chroot() { is_quiet 'taken as flat' chroot "$jail" /facts pool; }

# behind MOUNTS NOTE: a pool in a mount namespace that was changed by the shell text MOUNTS.
behind() { is_quiet "$2" unshare --mount sh -ec "$1; exec \"\$0\" pool" "$facts"; }

no_sys='mount -t tmpfs none /sys'
reason=
[ "$(id -u)" -eq 0 ] || reason='only root can mount and chroot'
[ -n "$reason" ] || unshare --mount sh -ec "$no_sys" 2>/dev/null || reason='no mount is allowed here'
with_mounts() { if [ -n "$reason" ]; then ignore_case "$1" "$reason"; else run_case "$@"; fi; }

[ -n "$reason" ] || make_jail
with_mounts a_chroot_without_sys_and_proc_is_quiet in_chroot
with_mounts no_sys_is_quiet behind "$no_sys" 'taken as flat'
with_mounts a_sys_with_cpus_but_no_topology_is_quiet \
    behind "$no_sys; mkdir -p /sys/devices/system/cpu/cpu0 /sys/devices/system/cpu/cpu1" 'taken as flat'
if [ -d /sys/devices/system/node ]; then
    with_mounts an_empty_directory_of_nodes_is_quiet \
        behind 'mount -t tmpfs none /sys/devices/system/node' 'taken as flat'
else
    ignore_case an_empty_directory_of_nodes_is_quiet 'the kernel has no directory of nodes to hide'
fi
with_mounts no_proc_is_quiet behind 'mount -t tmpfs none /proc' ''
end_cases
