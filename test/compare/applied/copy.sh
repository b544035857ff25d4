#!/bin/bash
# copy.sh LAYERS UPPER SOCKET COMMAND…: runs a command in a copy of this host: LAYERS are folders laid over its root (`a:b`, may be
# empty), UPPER takes what it changes. The copy has its own network, host name, processes and values of /proc/sys; apt reaches the
# proxy that listens on SOCKET as 127.0.0.1:3142.
layers=$1 upper=$2 socket=$3; shift 3
mkdir -p "$upper/up" "$upper/work" "$upper/root"
export layers upper socket
# ends with the program that asked
exec setpriv --pdeathsig KILL unshare --mount --pid --net --uts --fork --kill-child bash -c '
set -e
root=$upper/root
mount -t overlay overlay -o "lowerdir=${layers:+$layers:}/,upperdir=$upper/up,workdir=$upper/work" "$root"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
mount -t sysfs sysfs "$root/sys"
mount -t tmpfs tmpfs "$root/tmp"; chmod 1777 "$root/tmp"
# values that are the whole host'"'"'s, not the copy'"'"'s, are written to copies of them
mkdir "$root/tmp/sys"; cp -r --no-preserve=all /proc/sys/{kernel,vm,fs,net} "$root/tmp/sys" 2>/dev/null || true
mount --bind "$root/tmp/sys" "$root/proc/sys"
ip link set lo up
socat TCP-LISTEN:3142,bind=127.0.0.1,fork,reuseaddr "UNIX-CONNECT:$socket" & 
[ ! -s "$root/etc/hostname" ] || hostname -F "$root/etc/hostname"
cd "$root"
[ ! -x usr/lib/stood-in/systemctl ] || chroot . env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin systemctl boot
exec chroot . env -i HOME=/root USER=root LOGNAME=root LANG=C.UTF-8 PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
  "$@"' x "$@"
