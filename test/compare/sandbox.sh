#!/bin/bash
# Runs a command, as root, in a copy of this host's file system that lasts as long as the command: what it changes (accounts, packages,
# /etc) stays there. `test/compare/sandbox.sh npm run compare:modules -- --changes accounts,repositories`
exec unshare -m -p -f --mount-proc bash -c '
set -e
mkdir -p /tmp/brine-sandbox && mount -t tmpfs tmpfs /tmp/brine-sandbox
cd /tmp/brine-sandbox; mkdir up work m
mount -t overlay overlay -o lowerdir=/,upperdir=/tmp/brine-sandbox/up,workdir=/tmp/brine-sandbox/work m
mount -t proc proc m/proc; mount --rbind /dev m/dev; mount --rbind /sys m/sys 2>/dev/null || true
mount -t tmpfs tmpfs m/tmp
cd m
exec chroot . bash -c "cd $0 && exec \"\$@\"" x "$@"' "$PWD" "$@"
