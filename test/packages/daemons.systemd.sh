# The daemons as systemd starts them: in their sandboxes, as their accounts, watched, and started anew.
set -eu
export DEBIAN_FRONTEND=noninteractive
wait_for() { for try in $(seq 100); do "$@" >/dev/null 2>&1 && return 0; [ $SECONDS -lt 240 ] || break; sleep 0.2; done; echo "in vain: $*"; return 1; }
fail() { echo "$*"; exit 1; }
main_of() { systemctl show -P MainPID "$1"; }
account_of() { stat -c %U "/proc/$(main_of "$1")"; }

mkdir -p /etc/salt/minion.d /etc/salt/master.d /srv/salt
printf 'master: 127.0.0.1\nid: box\nacceptance_wait_time: 1\n' >/etc/salt/minion.d/first.conf
cat >/etc/salt/master.d/first.conf <<CONF
rest_cherrypy: { port: 443, disable_ssl: true }
netapi_enable_clients: [local, runner]
runner_dirs: [/srv/runners]
order_masters: false
CONF
echo served >/srv/salt/file
apt-get install -y --no-install-recommends "$PACKAGES"/brine-{common,cli,master,minion,api,syndic}_"${VERSION}_$ARCH.deb" >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }
for name in master minion api; do
  wait_for systemctl is-active "salt-$name" || { systemctl status "salt-$name" || true; exit 1; }
  [ "$(systemctl show -P Type "salt-$name")" = notify ]
done
pending() { salt-key -l unaccepted | grep -q box; }
wait_for pending
salt-key -A -y >/dev/null
answers() { salt box test.ping | grep -q True; }
wait_for answers
[ "$(account_of salt-master)" = salt ] || fail "the master runs as $(account_of salt-master)"
[ "$(account_of salt-api)" = salt ] || fail "the API runs as $(account_of salt-api)"
[ "$(account_of salt-minion)" = root ] || fail "the minion runs as $(account_of salt-minion)"
! grep -q 'WARNING.*cannot be written\|systemd-notify' /var/log/salt/* || fail "$(grep 'cannot be written\|systemd-notify' /var/log/salt/*)"
echo "started and answered"

# what the sandbox leaves: files of /srv, /home and git, processes of a job that write where root may
salt box cp.get_file salt://file /tmp/got >/dev/null
[ "$(cat /tmp/got)" = served ] || fail 'no file from /srv'
salt box cmd.run 'touch /usr/local/made && mkdir -p /mnt/x && mount -t tmpfs tmpfs /mnt/x && umount /mnt/x && echo whole' | grep -q whole || fail 'a job lacks something'
mounted() { salt box cmd.run 'mount -t tmpfs tmpfs /mnt/x' >/dev/null; grep -q /mnt/x /proc/self/mounts; }
mounted || fail 'what a job mounts is not mounted for others'
umount /mnt/x
! salt box cmd.run 'env' | grep -E 'NOTIFY_SOCKET|WATCHDOG' || fail 'a job could speak for the minion'
# what it takes
master=$(main_of salt-master)
grep -q '^CapEff:.*0000000000000000' "/proc/$master/status" || fail 'the master has capabilities'
grep -q '^NoNewPrivs:.*1' "/proc/$master/status"
grep -q '^Seccomp:.*2' "/proc/$master/status"
echo "sandboxed"

# a daemon that is killed comes back, and one that is stuck is killed
kill -KILL "$(main_of salt-minion)"
another() { [ "$(main_of "$1")" != "$2" ] && [ "$(main_of "$1")" != 0 ] && systemctl is-active "$1"; }
wait_for another salt-minion 0
wait_for answers
mkdir -p /run/systemd/system/salt-master.service.d
printf '[Service]\nWatchdogSec=4\n' >/run/systemd/system/salt-master.service.d/short.conf
systemctl daemon-reload
systemctl restart salt-master
master=$(main_of salt-master)
sleep 9
[ "$(main_of salt-master)" = "$master" ] || fail 'a master that is well was taken for stuck'
kill -STOP "$master"
wait_for another salt-master "$master"
[ "$(systemctl show -P NRestarts salt-master)" = 1 ]
wait_for answers
echo "watched"

# one with a fault in its configuration is not started over and over
systemctl stop salt-master
printf 'external_auth: { pam: { joe: [.*] } }\nauth.pam.python: /usr/bin/none\n' >/etc/salt/master.d/wrong.conf
! systemctl start salt-master 2>/dev/null || fail 'a master that lets nobody in has started'
sleep 7
[ "$(systemctl show -P ActiveState salt-master)" = failed ] || { systemctl status salt-master; fail 'started over and over'; }
rm /etc/salt/master.d/wrong.conf
systemctl start salt-master
wait_for answers
echo "not started over and over"

# another account that the site names
apt-get purge -y brine-syndic brine-api brine-master >/dev/null 2>&1
mkdir -p /etc/salt/master.d
echo 'user: root' >/etc/salt/master.d/account.conf
apt-get install -y --no-install-recommends "$PACKAGES/brine-master_${VERSION}_$ARCH.deb" >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }
grep -q 'starts as root' /tmp/said || fail 'nobody was told'
wait_for systemctl is-active salt-master
[ "$(account_of salt-master)" = root ] || fail "the master runs as $(account_of salt-master)"
# a new master has another key
rm /etc/salt/pki/minion/minion_master.pub
systemctl restart salt-minion
wait_for pending
salt-key -A -y >/dev/null
wait_for answers
apt-get purge -y brine-master >/dev/null 2>&1
[ ! -e /etc/systemd/system/salt-master.service.d ] || fail 'the drop-in is left'
echo "as another account"
