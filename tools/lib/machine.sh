# shellcheck shell=bash disable=SC2154 # common.sh sets program and cache
# machine.sh: shared by the emulated machines: a kernel to boot, and a file system with one of our programs in it. The
# kernel is Debian's for clouds; it is unpacked, not installed. Sourced after common.sh.

# kernel: prints the path of an available kernel.
kernel()
{
    if [ -n "${HEIST_KERNEL-}" ]; then
        [ -r "$HEIST_KERNEL" ] || die "HEIST_KERNEL cannot be read: $HEIST_KERNEL"
        printf '%s\n' "$HEIST_KERNEL"
    else
        choose_cache_dir
        [ -r "$cache/kernel/vmlinuz" ] && printf '%s/kernel/vmlinuz\n' "$cache"
    fi
}

# fetch_kernel: unpacks the newest of Debian's cloud kernels into the cache.
fetch_kernel()
{
    local work package
    package=$(apt-cache depends linux-image-cloud-amd64 2>/dev/null | awk '/Depends:/ { print $2; exit }')
    [ -n "$package" ] || { note 'apt knows no linux-image-cloud-amd64'; return 1; }
    choose_cache_dir
    work=$(mktemp -d "$cache/kernel.XXXXXX")
    note "fetching $package"
    if (cd "$work" && apt-get download "$package" && dpkg-deb --fsys-tarfile ./*.deb |
        tar -x --wildcards --no-same-owner './boot/vmlinuz-*' && mv boot/vmlinuz-* vmlinuz) >"$work/log" 2>&1; then
        mkdir -p "$cache/kernel"
        mv "$work/vmlinuz" "$cache/kernel/vmlinuz"
    else
        tail -n 5 "$work/log" >&2
    fi
    rm -rf -- "$work"
    kernel >/dev/null
}

# need_kernel: gets a kernel if that is allowed and nothing else is missing; adds it to `lacks` if there is none.
need_kernel()
{
    lacks=$(lacking nicety | tr '\n' ' ')
    kernel >/dev/null || { $install && [ -z "$lacks" ] && fetch_kernel; } || lacks+="a kernel (tools/$program --fetch)"
}

# ends_without_machine: ends the program if no machine is to be booted, or none can be.
ends_without_machine()
{
    if $fetch_only; then
        [ -z "$lacks" ] || die "cannot get: $lacks"
        exit 0
    fi
    [ -n "$lacks" ] || return 0
    $install && die "cannot go on without: $lacks"
    printf 'tools/%s:1:the_machine_boots:IGNORE: lacking: %s\n\n' "$program" "$lacks"
    printf -- '-----------------------\n1 Tests 0 Failures 1 Ignored\nOK\n'
    exit 0
}

# build_program NAME PATH MESON_OPTION...: builds test program NAME at PATH and sets `run` to it.
build_program()
{
    local name=$1 path=$2 unity
    shift 2
    build_needs
    choose_builddir "$program"
    supply "$builddir/install.log"
    if unity=$("$root/tools/get-unity" 2>/dev/null); then
        set -- -Dunity_dir="$unity" "$@"
    fi
    if ! { configure "$builddir/b" -Dtests=enabled "$@" && meson compile -C "$builddir/b" "$name"; } \
        >"$builddir/build.log" 2>&1; then
        die "it does not build (log: $builddir/build.log)"
    fi
    # shellcheck disable=SC2034 # for the caller
    run=$builddir/b/$path
}

# pack_initramfs PROGRAM DIR: makes DIR/initramfs, a file system with the program as /init and its libraries. A library
# from a build directory has a path relative to the program, which is not valid there; all libraries go to /lib, where
# the loader finds them.
pack_initramfs()
{
    local tree=$2/tree library
    mkdir -p "$tree/lib"
    cp -L -- "$1" "$tree/init"
    { ldd "$1" || true; } | grep -o '/[^ ]*' | sort -u | while read -r library; do
        mkdir -p "$tree$(dirname "$library")"
        cp -L -- "$library" "$tree$library"
        case $library in /lib* | /usr/lib*) ;; *) cp -L -- "$library" "$tree/lib/" ;; esac
    done
    (cd "$tree" && find . -print | cpio --quiet -o -H newc) >"$2/initramfs"
}

# plain_text FILE: the output of a serial line, without its terminal control sequences.
plain_text() { tr -d '\r' <"$1" | sed 's/\x1b\[[0-9;?]*[A-Za-z]//g; s/\x1bc//g; /^\[ *[0-9.]*\] reboot: /d'; }

# judge STATUS PATIENCE FILE: ends the program, by the status of the emulator and the output of the machine.
judge()
{
    [ "$1" -ne 124 ] || die "the machine was not done after $2 s; this one may be too busy to emulate another"
    [ "$1" -eq 0 ] || die "the machine ended with status $1"
    grep -Eq '^[0-9]+ Tests 0 Failures' "$3"
}
