# From local packages to an answer, as root in a bare system; then what is left when they are purged.
set -eu
export DEBIAN_FRONTEND=noninteractive
began=$(date +%s)
apt-get install -y --no-install-recommends "$PACKAGES"/brine-common_"${VERSION}_$ARCH.deb" "$PACKAGES"/brine-cli_"${VERSION}_$ARCH.deb" \
  "$PACKAGES"/brine-master_"${VERSION}_$ARCH.deb" "$PACKAGES"/brine-minion_"${VERSION}_$ARCH.deb" >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }
echo "installed after $(($(date +%s) - began)) s"
mkdir -p /etc/salt/minion.d
printf 'master: 127.0.0.1\nid: box\nacceptance_wait_time: 1\n' >/etc/salt/minion.d/first.conf
salt-master -d
salt-minion -d
wait_for() { for try in $(seq 100); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done; echo "in vain: $*"; return 1; }
pending() { salt-key -l unaccepted | grep -q box; }
wait_for pending
salt-key -A -y >/dev/null
answers() { salt box test.ping | grep -q True; }
wait_for answers
echo "answers after $(($(date +%s) - began)) s"

# the master has an account of its own
for exe in /proc/[0-9]*/exe; do
  process=${exe%/exe}
  case $(tr '\0' ' ' <"$process/cmdline" 2>/dev/null) in
    *salt-master*) grep -q '^Uid:.*\b0\b' "$process/status" && { echo "a process of the master is root's"; exit 1; } ;;
  esac
done
dpkg -V brine-common brine-cli brine-master brine-minion
salt box state.single file.managed name=/tmp/made contents=x >/dev/null
test "$(cat /tmp/made)" = x

for exe in /proc/[0-9]*/exe; do
  case $(readlink "$exe") in /usr/lib/brine/*) kill "$(basename "$(dirname "$exe")")" || true ;; esac
done
gone() { ! readlink /proc/[0-9]*/exe | grep -q /usr/lib/brine/; }
wait_for gone
# configuration, keys and what was kept stay until they are purged
dpkg -r brine-minion brine-master brine-cli brine-common >/dev/null 2>&1
for path in /etc/salt/master /etc/salt/minion.d/first.conf /etc/salt/pki/master/minions/box /var/cache/salt/master; do
  [ -e "$path" ] || { echo "$path went with the packages"; exit 1; }
done
for path in /usr/lib/brine /usr/bin/salt /usr/bin/salt-call /usr/share/man/man1/salt.1.gz; do
  [ ! -e "$path" ] || { echo "$path is left"; find "$path" | head; exit 1; }
done
dpkg -P brine-minion brine-master brine-cli brine-common >/dev/null 2>&1
for path in /usr/lib/brine /usr/bin/salt /etc/salt/master /etc/salt/pki /var/cache/salt /var/log/salt; do
  [ ! -e "$path" ] || { echo "$path is left"; find "$path" | head; exit 1; }
done
