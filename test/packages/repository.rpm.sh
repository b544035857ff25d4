# From a repository with `dnf`: installed, upgraded and taken back by name, while its key changes; what nobody may believe
# is refused.
set -eu
fail() { echo "$*"; exit 1; }
repository() { ln -sfn "$PACKAGES/repositories/$1" /srv/repository; rm -rf /var/cache/dnf; }
quietly() { "$@" >/tmp/said 2>&1 || { cat /tmp/said; fail "failed: $*"; }; }
# keys that are not on this machine are not imported, whatever the repository brings
dnf_of() { dnf --setopt=brine.skip_if_unavailable=0 --quiet --assumeyes --releasever=1 --setopt=reposdir=/etc/yum.repos.d "$@"; }
refused() { ! dnf_of makecache --refresh >/tmp/said 2>&1 || fail "$1 was believed"; grep -qi "$2" /tmp/said || { cat /tmp/said; fail "$1: another reason"; }; }
installed() { rpm -q --queryformat '%{VERSION}' "$1"; }
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

repository first
quietly rpm -i --nosignature /srv/repository/rpm/packages/brine-archive-keyring-1-1.noarch.rpm
quietly dnf_of install brine-minion
[ "$(installed brine-minion)" = "$VERSION" ] || fail "installed $(installed brine-minion)"
rpm -V brine-common brine-minion brine-archive-keyring
salt-call --local test.ping --out json | grep -q true || fail 'no answer'
echo installed

repository second
quietly dnf_of upgrade
[ "$(installed brine-common)" = "$FURTHER" ] || fail "upgraded to $(installed brine-common)"
quietly dnf_of downgrade "brine-minion-$VERSION" "brine-common-$VERSION"
[ "$(installed brine-common)" = "$VERSION" ] || fail "taken back to $(installed brine-common)"
quietly dnf_of upgrade
[ "$(installed brine-minion)" = "$FURTHER" ] || fail "upgraded to $(installed brine-minion)"
echo 'upgraded, taken back, upgraded'

repository foreign
refused 'another signature' 'signature\|gpg'
repository altered
refused 'an index that was altered' 'signature\|gpg'
echo 'refused what nobody may believe'

repository rotating
quietly dnf_of upgrade
[ "$(installed brine-archive-keyring)" = 2 ] || fail "keyring $(installed brine-archive-keyring)"
repository rotated
quietly dnf_of upgrade
[ "$(installed brine-archive-keyring)" = 3 ] || fail "keyring $(installed brine-archive-keyring)"
# versions of before are signed with the key that stays
quietly dnf_of downgrade "brine-minion-$VERSION" "brine-common-$VERSION"
[ "$(installed brine-common)" = "$VERSION" ] || fail "taken back to $(installed brine-common)"
echo 'the key was changed'
