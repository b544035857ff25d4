# RPM packages, installed by `rpm` into a bare system that has its own package manager for all else: what Fedora or
# openSUSE would provide, a package that is made here says that it does. From packages to an answer; to a further version
# and back while daemons run and a job is under way; and what is left when they are erased.
set -eu
fail() { echo "$*"; exit 1; }
quietly() { "$@" >/tmp/said 2>&1 || { cat /tmp/said; fail "failed: $*"; }; }
wait_for() { for try in $(seq 200); do "$@" >/dev/null 2>&1 && return 0; sleep 0.1; done; echo "in vain: $*"; return 1; }
machine=$(uname -m)
files_of() { for name in common cli master minion; do echo "$PACKAGES/brine-$name-$1-1.$machine.rpm"; done; }
upgrade() { quietly rpm -U --oldpackage $(files_of "$1"); ! grep -i 'warning\|error' /tmp/said || fail 'with warnings'; }
verified() { rpm -V brine-common brine-cli brine-master brine-minion || fail 'other files than were installed'; }
cat >/tmp/stand-in.spec <<'SPEC'
Name: stand-in
Version: 1
Release: 1
Summary: What a system of RPM packages has
License: none
BuildArch: noarch
Provides: /bin/sh shadow-utils
Provides: libc.so.6(GLIBC_2.28)(64bit) libgcc_s.so.1(GCC_4.2.0)(64bit) libstdc++.so.6(GLIBCXX_3.4.21)(64bit)
%description
A system.
%files
SPEC
quietly rpmbuild -bb --define '_topdir /tmp/stand-in' --define '_rpmdir /tmp' /tmp/stand-in.spec
quietly rpm -i /tmp/noarch/stand-in-1-1.noarch.rpm

began=$(date +%s)
upgrade "$VERSION"
echo "installed after $(($(date +%s) - began)) s"
verified
[ "$(stat -c '%a %U %G' /etc/salt/master)" = '640 root salt' ] || fail "$(stat -c '%a %U %G' /etc/salt/master)"
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
echo "answers after $(($(date +%s) - began)) s"
for exe in /proc/[0-9]*/exe; do
  process=${exe%/exe}
  case $(tr '\0' ' ' <"$process/cmdline" 2>/dev/null) in
    *salt-master*) grep -q '^Uid:.*\b0\b' "$process/status" && fail "a process of the master is root's" ;;
  esac
done

mkfifo /gate
jid=$(salt --async box cmd.run 'cat /gate' | grep -oE '[0-9]{20}')
upgrade "$FURTHER"
answers
quietly salt box state.single file.managed name=/tmp/made contents=x
[ -d "/usr/lib/brine/$VERSION" ] || fail 'the files of what runs are gone'
echo late >/gate
returned() { salt-run jobs.lookup_jid "$jid" | grep -q late; }
wait_for returned
grep -q '# an own line' /etc/salt/master || fail 'the configuration was replaced'
end_daemons() {
  for exe in /proc/[0-9]*/exe; do
    case $(readlink "$exe") in /usr/lib/brine/*) kill "$(basename "$(dirname "$exe")")" || true ;; esac
  done
  gone() { ! readlink /proc/[0-9]*/exe | grep -q /usr/lib/brine/; }
  wait_for gone
}
end_daemons
salt-master -d
salt-minion -d
wait_for answers
upgrade "$VERSION"
answers
[ -d "/usr/lib/brine/$FURTHER" ] || fail 'the files of what runs are gone'
[ -z "$(ls -A /usr/lib/brine | grep kept)" ] || fail "left: $(ls -A /usr/lib/brine)"
end_daemons
upgrade "$FURTHER"
[ "$(ls -A /usr/lib/brine)" = "$FURTHER" ] || fail "left: $(ls -A /usr/lib/brine)"
echo 'upgraded and taken back'

quietly rpm -e brine-minion brine-master brine-cli brine-common
for path in /etc/salt/master.rpmsave /etc/salt/minion.d/first.conf /etc/salt/pki/master/minions/box /var/cache/salt/master; do
  [ -e "$path" ] || fail "$path went with the packages"
done
for path in /usr/lib/brine /usr/bin/salt /usr/bin/salt-call /usr/share/man/man1/salt.1.gz /etc/salt/minion /usr/share/doc/brine-cli; do
  [ ! -e "$path" ] || { find "$path" | head; fail "$path is left"; }
done
echo erased
