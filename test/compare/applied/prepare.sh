#!/bin/bash
# Makes of a copy of this host the machine that formulas are applied to: nothing of what they install is there beforehand, systemd's
# programs have stand-ins, and apt asks the proxy that `copy.sh` forwards to. Run within a copy, once; the layer it leaves is every case's.
set -e
stand_ins=$1
mkdir -p /usr/lib/stood-in
rm -f /usr/sbin/policy-rc.d /etc/apt/apt.conf.d/docker-clean /etc/apt/apt.conf.d/docker-autoremove-suggests
for program in "$stand_ins"/*; do
  name=${program##*/}
  dpkg-divert --local --rename --divert "/usr/lib/stood-in/$name" "/usr/bin/$name"
  install -m 755 "$program" "/usr/bin/$name"
done
mkdir -p /run/systemd/system /run/stand-in
echo 'Acquire::http::Proxy "http://127.0.0.1:3142";' > /etc/apt/apt.conf.d/00proxy
shopt -s nullglob
for list in /etc/apt/sources.list.d/*; do
  case $list in */debian.sources) ;; *) rm -f "$list" ;; esac
done
export DEBIAN_FRONTEND=noninteractive PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin
apt-get update
mapfile -t served < <(dpkg-query -W -f '${Package}\n' | grep -E '^(nginx.*|mariadb-.*|mysql-common|postgresql.*|redis-.*|slapd|etcd-.*|tmux|rsync|apache2.*|vim|vim-runtime|avahi-daemon|php.*)$')
apt-get purge -y "${served[@]}"
rm -rf /etc/nginx /etc/mysql /etc/postgresql /etc/redis /var/lib/mysql /var/lib/postgresql /var/lib/redis /run/mysqld /run/postgresql /run/stand-in/active
dpkg --audit
