#!/bin/bash
# Makes a Debian host answer as one with pacman: tiny packages, repositories of them and a few of them installed. Changes the machine, so inside
# of sandbox.sh: `bash test/compare/sandbox.sh bash test/compare/pacman-host.sh COMMAND…`
set -eE
exec 3>&1 4>&2 >/tmp/pacman-host.log 2>&1
trap 'tail -5 /tmp/pacman-host.log >&4' ERR
export DEBIAN_FRONTEND=noninteractive
type pacman repo-add bsdtar || { apt-get update; apt-get install -y --no-install-recommends pacman-package-manager makepkg libarchive-tools zstd; }

# package FOLDER NAME VERSION [LINE…]: a file below /opt/tiny
package() {
  local folder=$1 name=$2 version=$3; shift 3
  local at; at=$(mktemp -d)
  mkdir -p "$at/opt/tiny"; echo "$version" > "$at/opt/tiny/$name.conf"
  { printf 'pkgname = %s\npkgbase = %s\npkgver = %s\npkgdesc = Tiny %s\nurl = https://tiny.example/%s\nbuilddate = 1700000000\npackager = Tim <tim@tiny.example>\nsize = 8\narch = any\nlicense = MIT\n' \
      "$name" "$name" "$version" "$name" "$name"
    printf '%s\n' "$@"; } > "$at/.PKGINFO"
  mkdir -p "/srv/$folder"
  (cd "$at"; LC_ALL=C bsdtar -czf .MTREE --format=mtree --options='!all,use-set,type,uid,gid,mode,time,size,md5,sha256,link' .PKGINFO opt; touch -d @1700000000 .PKGINFO .MTREE
   bsdtar --uid 0 --gid 0 -cf - .PKGINFO .MTREE opt | zstd -q > "/srv/$folder/$name-${version//:/-}-any.pkg.tar.zst")
}
build() {
  package tiny alpha 1.1-1; package tiny beta 1:3.2-4 'depend = alpha'; package tiny anchor 1-1
  pacman --noconfirm -U /srv/tiny/*.pkg.tar.zst
  rm /srv/tiny/*
  package tiny alpha 2.0-1 'group = letters'; package tiny beta 1:3.10-1 'depend = alpha' 'group = letters' 'provides = second-letter'
  package tiny gamma 0.9-2 'group = letters'; package tiny anchor 1-1; package tiny needy 1-1 'depend = nowhere'
  package second alpha 1.5-1; package second omega 9-1
  (cd /srv/tiny; repo-add -q tiny.db.tar.gz ./*.zst); (cd /srv/second; repo-add -q second.db.tar.gz ./*.zst)
  cp -a /var/lib/pacman /srv/pacman-db
}
conf() { printf '[options]\nArchitecture = auto\nSigLevel = Never\nDBPath = /var/lib/pacman\n%s\n[tiny]\nServer = file:///srv/tiny\n' "$1" > /etc/pacman.conf; }
conf ''
[ -e /srv/second/second.db ] || build
rm -rf /var/lib/pacman /var/cache/pacman/pkg/* /opt/tiny; cp -a /srv/pacman-db /var/lib/pacman
mkdir -p /opt/tiny; for name in alpha beta anchor; do echo "$name" > "/opt/tiny/$name.conf"; done
pacman -Sy
trap - ERR
exec >&3 2>&4 3>&- 4>&-
[ $# -eq 0 ] || exec "$@"
