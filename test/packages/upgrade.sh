# To a further version and back while daemons run and a job is under way: nothing is lost, and no file of either is.
set -eu
export DEBIAN_FRONTEND=noninteractive
install_version() {
  apt-get install -y --no-install-recommends --allow-downgrades "$PACKAGES"/brine-common_"$1_$ARCH.deb" \
    "$PACKAGES"/brine-cli_"$1_$ARCH.deb" "$PACKAGES"/brine-master_"$1_$ARCH.deb" "$PACKAGES"/brine-minion_"$1_$ARCH.deb" >/tmp/said 2>&1 ||
    { cat /tmp/said; return 1; }
}
wait_for() { for try in $(seq 200); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done; echo "in vain: $*"; return 1; }
install_version $VERSION
mkdir -p /etc/salt/minion.d
printf 'master: 127.0.0.1\nid: box\nacceptance_wait_time: 1\n' >/etc/salt/minion.d/first.conf
echo '# an own line' >>/etc/salt/master
salt-master -d
salt-minion -d
pending() { salt-key -l unaccepted | grep -q box; }
wait_for pending
salt-key -A -y >/dev/null
answers() { salt box test.ping | grep -q True; }
wait_for answers
mkfifo /gate
jid=$(salt --async box cmd.run 'cat /gate' | grep -oE '[0-9]{20}')
install_version $FURTHER
answers
# what the running minion has not loaded yet
salt box pkg.version dash >/dev/null
salt box state.single file.managed name=/tmp/made contents=x >/dev/null
test -d /usr/lib/brine/$VERSION
echo late >/gate
returned() { salt-run jobs.lookup_jid $jid | grep -q late; }
wait_for returned
grep -q '# an own line' /etc/salt/master
for exe in /proc/[0-9]*/exe; do
  case $(readlink "$exe") in /usr/lib/brine/*) kill "$(basename "$(dirname "$exe")")" || true ;; esac
done
gone() { ! readlink /proc/[0-9]*/exe | grep -q /usr/lib/brine/; }
wait_for gone
salt-master -d
salt-minion -d
wait_for answers
install_version $VERSION
answers
test -d /usr/lib/brine/$FURTHER
