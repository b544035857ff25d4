#!/bin/bash
# Makes a Debian host answer as one with rpm and dnf: tiny packages, a repository of them in /srv/tiny and a few of them installed. Changes
# the machine, so inside of sandbox.sh: `bash test/compare/sandbox.sh bash test/compare/rpm-host.sh npm run compare:modules -- yumpkg --changes rpm`
set -e
exec 3>&1 >/tmp/rpm-host.log 2>&1
export DEBIAN_FRONTEND=noninteractive
type dnf createrepo_c rpmbuild rpm2cpio || { apt-get update; apt-get install -y --no-install-recommends rpm dnf createrepo-c rpm2cpio cpio dnf-plugins-core; }
sed -i "s/enabled.*/enabled = false/" /etc/dnf/plugins/local.conf
mkdir -p /etc/rpm; printf "%%_dbpath /var/lib/rpm\n" > /etc/rpm/macros; echo 9 > /etc/dnf/vars/releasever

# package NAME EPOCH VERSION RELEASE ARCH [HEADER LINE…]: files below /opt/tiny
package() {
  local name=$1 epoch=$2 version=$3 release=$4 arch=$5; shift 5
  { printf 'Name: %s\nVersion: %s\nRelease: %s\nSummary: Tiny %s\nLicense: MIT\nURL: https://tiny.example/%s\nPackager: Tim <tim@tiny.example>\n' \
      "$name" "$version" "$release" "$name" "$name"
    [ "$arch" = noarch ] && echo 'BuildArch: noarch'
    [ "$epoch" = 0 ] || echo "Epoch: $epoch"
    printf '%s\n' "$@"
    printf '%%description\nThe package %s.\n\nIt has: two paragraphs.\n%%install\nmkdir -p %%{buildroot}/opt/tiny\n' "$name"
    printf 'echo %s > %%{buildroot}/opt/tiny/%s.conf\necho doc > %%{buildroot}/opt/tiny/%s.txt\nln -s %s.conf %%{buildroot}/opt/tiny/%s.link\n' "$version" "$name" "$name" "$name" "$name"
    printf '%%files\n%%config(noreplace) /opt/tiny/%s.conf\n%%doc /opt/tiny/%s.txt\n/opt/tiny/%s.link\n' "$name" "$name" "$name"
  } > "/tmp/rb/$name.spec"
  local target=$arch; [ "$arch" = noarch ] && target=x86_64
  rpmbuild --define '_topdir /tmp/rb' --define '_rpmdir /srv/tiny' --define '_buildhost tiny' --define 'source_date_epoch_from_changelog 0' \
    --define 'use_source_date_epoch_as_buildtime 1' --define 'debug_package %{nil}' --target "$target" -bb "/tmp/rb/$name.spec"
}
build() {
  mkdir -p /srv/tiny /tmp/rb
  export SOURCE_DATE_EPOCH=1700000000
  package alpha 0 1.0 1 noarch; package alpha 0 1.1 1 noarch; package alpha 0 2.0 1 noarch
  package beta 1 3.2 4.el9 x86_64 'Requires: alpha' 'Vendor: Tiny Ltd'; package beta 1 3.10 1.el9 x86_64 'Requires: alpha'
  package gamma 0 0.9 2 noarch; package delta 0 5 1 i686; package delta 0 5 1 x86_64
  package needy 0 1 1 noarch 'Requires: nowhere'; package python3-dnf-plugin-versionlock 0 4.3 1 noarch
cat > /tmp/rb/comps.xml <<'X'
<?xml version="1.0" encoding="UTF-8"?>
<comps>
 <group><id>tiny-tools</id><name>Tiny Tools</name><description>Small things</description><default>true</default><uservisible>true</uservisible>
  <packagelist><packagereq type="mandatory">alpha</packagereq><packagereq type="default">beta</packagereq><packagereq type="default">delta</packagereq><packagereq type="optional">gamma</packagereq></packagelist></group>
 <group><id>other</id><name>Other Things</name><description>More</description><default>true</default><uservisible>false</uservisible>
  <packagelist><packagereq type="mandatory">gamma</packagereq></packagelist></group>
 <environment><id>tiny-host</id><name>Tiny Host</name><description>All of it</description><display_order>1</display_order>
  <grouplist><groupid>tiny-tools</groupid></grouplist><optionlist><groupid>other</groupid></optionlist></environment>
</comps>
X
createrepo_c -q -g /tmp/rb/comps.xml /srv/tiny
}

[ -e /srv/tiny/repodata ] || build
rm -rf /etc/yum.repos.d/* /opt/tiny /var/cache/dnf; mkdir -p /etc/yum.repos.d; : > /etc/dnf/plugins/versionlock.list
rpm -qa | xargs -r rpm -e --nodeps
printf '# of this host\n[tiny]\nname=Tiny\nbaseurl=file:///srv/tiny\nenabled=1\ngpgcheck=0\nmetadata_expire=1\n' > /etc/yum.repos.d/tiny.repo
printf '[off]\nname=Off\nbaseurl=file:///srv/off\nenabled=0\n# why\n[second]\nname=Second\nbaseurl=file:///srv/tiny\nenabled=0\ngpgcheck=0\n' > /etc/yum.repos.d/more.repo
dnf -y install alpha-1.1-1 beta-1:3.2-4.el9 delta-5-1.i686 python3-dnf-plugin-versionlock
exec >&3 3>&-
[ $# -eq 0 ] || exec "$@"
