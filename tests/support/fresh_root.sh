#!/bin/bash
# Runs a command as root in a root folder of its own, in which later calls go on. /usr is that of this machine,
# but cannot be written; /usr/local, /etc, /root, /tmp and /var belong to the new root folder alone. This
# repository is at /src.
#
#   tests/support/fresh_root.sh ROOT COMMAND...     exit code 77: this machine does not permit mounts
set -euo pipefail
here=$(cd "$(dirname "$0")/../.." && pwd)
root=$1
shift

if [ -z "${FRESH_ROOT-}" ]; then
    mkdir -p "$root"
    for isolate in "unshare -m" "unshare -rm"; do
        # shellcheck disable=SC2016 # $0 belongs to the inner shell
        $isolate sh -c 'mount --bind "$0" "$0"' "$root" 2>/dev/null || continue
        # shellcheck disable=SC2093 # nothing follows the first one that is permitted
        FRESH_ROOT=1 exec $isolate "$here/tests/support/fresh_root.sh" "$root" "$@"
    done
    exit 77
fi

# What a new system has in /etc, as far as compilers, the loader and drivers use it.
if [ ! -d "$root/etc" ]; then
    mkdir -p "$root"/{dev,etc,local,proc,root,src,sys,tmp,usr,var}
    for name in alternatives debian_version group ld.so.conf ld.so.conf.d nsswitch.conf passwd vulkan; do
        if [ -e "/etc/$name" ]; then cp -a "/etc/$name" "$root/etc/"; fi
    done
    for path in /bin /sbin /lib*; do
        if [ -L "$path" ]; then cp -P "$path" "$root/"; else mkdir "$root$path"; fi
    done
fi
for path in /usr /bin /sbin /lib*; do
    if [ -L "$path" ]; then continue; fi
    mount --bind "$path" "$root$path"
    mount -o remount,bind,ro "$root$path"
done
mount --bind "$root/local" "$root/usr/local"
mount --bind "$here" "$root/src"
for path in /dev /proc /sys; do mount --rbind "$path" "$root$path"; done
exec chroot "$root" env -i HOME=/root LC_ALL=C PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    ASAN_OPTIONS="${ASAN_OPTIONS-}" "$@"
