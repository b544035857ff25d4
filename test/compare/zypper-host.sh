#!/bin/bash
# Makes a Debian host answer as one with rpm and zypper: tiny packages, repositories of them and a few of them installed. Changes the machine, so
# inside of sandbox.sh: `bash test/compare/sandbox.sh bash test/compare/zypper-host.sh COMMAND…`
set -eE
exec 3>&1 4>&2 >/tmp/zypper-host.log 2>&1
trap 'tail -5 /tmp/zypper-host.log >&4' ERR
export DEBIAN_FRONTEND=noninteractive
type zypper createrepo_c rpmbuild rpm2cpio || { apt-get update; apt-get install -y --no-install-recommends rpm zypper createrepo-c rpm2cpio cpio; }
mkdir -p /etc/rpm; printf "%%_dbpath /var/lib/rpm\n" > /etc/rpm/macros

# package FOLDER NAME EPOCH VERSION RELEASE ARCH [HEADER LINE…]: files below /opt/tiny
package() {
  local folder=$1 name=$2 epoch=$3 version=$4 release=$5 arch=$6; shift 6
  { printf 'Name: %s\nVersion: %s\nRelease: %s\nSummary: Tiny %s\nLicense: MIT\nURL: https://tiny.example/%s\nPackager: Tim <tim@tiny.example>\n' \
      "$name" "$version" "$release" "$name" "$name"
    [ "$arch" = noarch ] && echo 'BuildArch: noarch'
    [ "$epoch" = 0 ] || echo "Epoch: $epoch"
    printf '%s\n' "$@"
    printf '%%description\nThe package %s.\n\nIt has: two paragraphs.\n%%install\nmkdir -p %%{buildroot}/opt/tiny\n' "$name"
    printf 'echo %s > %%{buildroot}/opt/tiny/%s.conf\necho doc > %%{buildroot}/opt/tiny/%s.txt\n' "$version" "$name" "$name"
    printf '%%files\n%%config(noreplace) /opt/tiny/%s.conf\n%%doc /opt/tiny/%s.txt\n' "$name" "$name"
  } > "/tmp/rb/$name.spec"
  local target=$arch; [ "$arch" = noarch ] && target=x86_64
  rpmbuild --define '_topdir /tmp/rb' --define "_rpmdir /srv/$folder" --define '_buildhost tiny' --define 'source_date_epoch_from_changelog 0' \
    --define 'use_source_date_epoch_as_buildtime 1' --define 'debug_package %{nil}' --target "$target" -bb "/tmp/rb/$name.spec"
}
build() {
  mkdir -p /srv/tiny /srv/second /tmp/rb
  export SOURCE_DATE_EPOCH=1700000000
  package tiny alpha 0 1.0 1 noarch; package tiny alpha 0 1.1 1 noarch; package tiny alpha 0 2.0 1 noarch
  package tiny beta 1 3.2 4 x86_64 'Requires: alpha' 'Vendor: Tiny Ltd'; package tiny beta 1 3.10 1 x86_64 'Requires: alpha'
  package tiny gamma 0 0.9 2 noarch 'Provides: third-letter'; package second alpha 0 1.5 1 noarch; package second omega 0 9 1 noarch
  package tiny needy 0 1 1 noarch 'Requires: nowhere'
  package tiny anchor 0 1 1 noarch
  createrepo_c -q /srv/tiny; createrepo_c -q /srv/second
}
[ -e /srv/second/repodata ] || build
rm -rf /etc/zypp/repos.d/* /opt/tiny /etc/zypp/locks /var/lib/rpm /var/cache/zypp; mkdir -p /etc/zypp/repos.d
printf '[tiny]\nname=Tiny things\nenabled=1\nautorefresh=0\nbaseurl=file:///srv/tiny\ntype=rpm-md\ngpgcheck=0\npriority=90\n' > /etc/zypp/repos.d/tiny.repo
printf '[off]\nname=Off\nenabled=0\nbaseurl=file:///srv/off\npath=NONE\n' > /etc/zypp/repos.d/off.repo
zypper --non-interactive --no-gpg-checks refresh
# without any package rpm's database cannot be read
zypper --non-interactive install anchor alpha=1.1-1 beta=1:3.2-4
trap - ERR
exec >&3 2>&4 3>&- 4>&-
[ $# -eq 0 ] || exec "$@"
