#!/usr/bin/env bash
# setuid.sh FACTS MARK_PLUGIN: a setuid program of root's, called by an ordinary user with a hostile environment, runs
# nothing of that user's and sees the same machine as without it. FACTS is facts.c; HWLOC=0 says that heist has no
# hwloc.
set -euo pipefail
# shellcheck source-path=SCRIPTDIR/../abi source=../abi/cases.sh
. "$(dirname "$0")/../abi/cases.sh"
facts=$1 plugin=$2
make_scratch
chmod 755 "$scratch"

# The means of the ordinary user: a plugin, a description, a picture of another file system, and a place to write to.
hostile=$scratch/hostile
mkdir -p "$hostile/plugins" "$hostile/root/sys" "$hostile/data"
cp "$plugin" "$hostile/plugins/hwloc_mark.so"
cat >"$hostile/machine.xml" <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE topology SYSTEM "hwloc2.dtd">
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x7" complete_cpuset="0x7" allowed_cpuset="0x7"
          nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1">
    <object type="NUMANode" os_index="0" cpuset="0x7" complete_cpuset="0x7" nodeset="0x1" complete_nodeset="0x1"
            local_memory="0"/>
    <object type="PU" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1"/>
    <object type="PU" os_index="1" cpuset="0x2" complete_cpuset="0x2" nodeset="0x1" complete_nodeset="0x1"/>
    <object type="PU" os_index="2" cpuset="0x4" complete_cpuset="0x4" nodeset="0x1" complete_nodeset="0x1"/>
  </object>
</topology>
END
chmod -R a+rX "$hostile"
mkdir -m 777 "$scratch/marks"
mark=$scratch/marks/mark

as_user() { setpriv --reuid=65534 --regid=65534 --clear-groups --no-new-privs "$@"; }
as_caller() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@"; } # may gain rights by a setuid program

install -m 755 "$facts" "$scratch/plain"
install -m 4755 "$facts" "$scratch/setuid" 2>/dev/null || cp "$facts" "$scratch/setuid"

# Each line is an environment, as words for env(1).
environments=(
    "HWLOC_PLUGINS_PATH=$hostile/plugins"
    "HWLOC_PLUGINS_PATH=$hostile/plugins HWLOC_PLUGINS_VERBOSE=1 HWLOC_COMPONENTS_VERBOSE=1"
    "HWLOC_XMLFILE=$hostile/machine.xml"
    "HWLOC_XMLFILE=$hostile/machine.xml HWLOC_THISSYSTEM=1"
    "HWLOC_SYNTHETIC=pack:2[numa]core:3pu:1"
    "HWLOC_SYNTHETIC=pack:2[numa]core:3pu:1 HWLOC_THISSYSTEM=1"
    "HWLOC_COMPONENTS=-linux,-x86,stop"
    "HWLOC_COMPONENTS=no_os,x86,stop HWLOC_COMPONENTS_VERBOSE=1"
    "HWLOC_FSROOT=$hostile/root"
    "HWLOC_THISSYSTEM=0"
    "HWLOC_DUMPED_HWDATA_DIR=$hostile/data HWLOC_CPUID_PATH=$hostile/data"
    "HWLOC_DEBUG_CHECK=1 HWLOC_GROUPING_VERBOSE=1 HWLOC_XML_VERBOSE=1 HWLOC_SYNTHETIC_VERBOSE=1"
    "HEIST_STATS=$hostile/data/stats.json"
    "HEIST_TOPOLOGY=$hostile/machine.xml HEIST_STATS=1 HEIST_WORKERS=5 HEIST_STACK=rubbish HEIST_STRICT=1"
)

# A control: the same means do something to a program without another user's rights.
plugin_is_loaded_by_a_plain_program()
{
    rm -f "$mark"
    as_user env MARK="$mark" "HWLOC_PLUGINS_PATH=$hostile/plugins" "$scratch/plain" pool >/dev/null 2>&1 || true
    [ -s "$mark" ]
}

# sees_the_same COMMAND: in every environment.
sees_the_same()
{
    local command=$1 environment plain hostile_one failed=0
    plain=$(as_caller "$scratch/setuid" "$command" 2>&1) || { printf '%s\n' "$plain"; return 1; }
    rm -f "$mark"
    for environment in "${environments[@]}"; do
        # shellcheck disable=SC2086 # the environment is words
        hostile_one=$(as_caller env MARK="$mark" $environment "$scratch/setuid" "$command" 2>&1) || failed=1
        if [ "$hostile_one" != "$plain" ]; then
            printf 'with %s:\n%s\nwithout:\n%s\n' "$environment" "$hostile_one" "$plain"
            failed=1
        fi
    done
    if [ -e "$mark" ]; then
        printf 'the plugin %s\n' "$(head -n 1 "$mark")"
        failed=1
    fi
    if [ -e "$hostile/data/stats.json" ]; then
        echo 'it wrote statistics'
        failed=1
    fi
    return $failed
}

says_why_the_machine_is_flat()
{
    local said
    said=$(as_caller "$scratch/setuid" pool)
    printf '%s\n' "$said"
    [[ $said == *"rights"*flat* ]]
}

# A description that the program itself gives would start hwloc, too.
description_is_refused_with_a_sentence()
{
    local said
    rm -f "$mark"
    said=$(as_caller env MARK="$mark" "HWLOC_PLUGINS_PATH=$hostile/plugins" "$scratch/setuid" \
        describe 'pack:1 core:2 pu:1' 2>&1) || true
    printf '%s\n' "$said"
    [ ! -e "$mark" ] && [[ $said == 'no pool: '*rights* ]]
}

reason=
have() { command -v "$1" >/dev/null 2>&1; }
if [ "$(id -u)" -ne 0 ]; then
    reason='only root can make a setuid program of root'
elif ! have setpriv; then
    reason='there is no setpriv to become another user with'
elif [ "$(as_caller "$scratch/setuid" rights 2>&1)" != 'user 0 secure 1' ]; then
    reason='setuid programs get no rights here: the file system is mounted nosuid, or this is a container'
fi
in_setuid() # in_setuid SENTENCE COMMAND...
{
    if [ -n "$reason" ]; then ignore_case "$1" "$reason"; else run_case "$@"; fi
}

if [ "${HWLOC-1}" = 0 ]; then
    ignore_case a_plain_program_loads_the_plugin 'heist has no hwloc here'
elif [ -n "$reason" ]; then
    ignore_case a_plain_program_loads_the_plugin "$reason"
elif ! plugin_is_loaded_by_a_plain_program; then
    ignore_case a_plain_program_loads_the_plugin 'hwloc loads no plugins here'
else
    run_case a_plain_program_loads_the_plugin plugin_is_loaded_by_a_plain_program
fi
in_setuid a_setuid_program_runs_nothing_of_the_callers sees_the_same pool
in_setuid a_setuid_program_sees_the_same_machine_in_every_environment sees_the_same machine
if [ "${HWLOC-1}" = 0 ]; then
    ignore_case a_setuid_program_says_why_its_machine_is_flat 'heist has no hwloc here, and says that'
    ignore_case a_setuid_program_is_refused_a_described_machine 'heist has no hwloc here, and says that'
else
    in_setuid a_setuid_program_says_why_its_machine_is_flat says_why_the_machine_is_flat
    in_setuid a_setuid_program_is_refused_a_described_machine description_is_refused_with_a_sentence
fi
end_cases
