# Runs a script as root in a copy of a bare system, inside mounts and processes of its own, which are gone with it:
# bash bare-system.sh SYSTEM PLACE SCRIPT [systemd]. With `systemd` the system is started, and the script is a unit of it.
# What that prints and how it ends is then in the files `output` and `status` of the folder SAID.
set -e
system=$1 place=$2 script=$3 init=${4:-}
mount -t tmpfs tmpfs "$place"
mkdir "$place"/{changes,work,root}
mount -t overlay overlay -o "lowerdir=$system,upperdir=$place/changes,workdir=$place/work" "$place/root"
cd "$place/root"
mount -t proc proc proc
mount -t tmpfs -o mode=755 tmpfs dev
for node in null:3 zero:5 full:7 random:8 urandom:9; do mknod -m 666 "dev/${node%:*}" c 1 "${node#*:}"; done
mknod -m 666 dev/tty c 5 0
ln -s /proc/self/fd dev/fd
mkdir dev/shm dev/pts packages
mount -t tmpfs -o mode=1777 tmpfs dev/shm
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts dev/pts
ln -s pts/ptmx dev/ptmx
mount --bind -o ro "$PACKAGES" packages
cp "$script" script.sh
settings=(PACKAGES=/packages "ARCH=$ARCH" "VERSION=$VERSION" "FURTHER=$FURTHER" HOME=/root)
if [ -z "$init" ]; then exec chroot . /usr/bin/env -i "${settings[@]}" PATH=/usr/sbin:/usr/bin:/sbin:/bin /bin/bash /script.sh; fi

hostname box
mount -t sysfs -o ro sysfs sys
mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
mount -t cgroup2 cgroup2 sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs run
mkdir dev/mqueue dev/hugepages said
mount --bind "$SAID" said
cat >etc/systemd/system/try.service <<UNIT
[Unit]
After=basic.target
[Service]
Type=oneshot
TimeoutStartSec=infinity
ExecStart=/bin/bash -c "/bin/bash /script.sh >/said/output 2>&1; echo \$\$? >/said/status"
ExecStopPost=/bin/systemctl exit 0 --force --force
Environment=${settings[*]}
UNIT
mkdir -p etc/systemd/system/multi-user.target.wants
ln -s ../try.service etc/systemd/system/multi-user.target.wants/try.service
exec env -i container=unshare PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot . /lib/systemd/systemd --unit=multi-user.target --show-status=no
