#!/bin/bash
# Gives a Debian host a repository of tiny packages in /srv/debs, in the place of all others. For sandboxes only.
set -e
exec 3>&1 >/tmp/deb-host.log 2>&1
rm -rf /srv/debs /tmp/db /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*; mkdir -p /srv/debs
# package NAME VERSION ARCHITECTURE [CONTROL LINE…]
package() {
  local name=$1 version=$2 arch=$3; shift 3
  local tree=/tmp/db/$name; rm -rf "$tree"; mkdir -p "$tree/DEBIAN" "$tree/etc/tiny"; chmod -R 755 "$tree"
  { printf 'Package: %s\nVersion: %s\nArchitecture: %s\nMaintainer: Tim <tim@tiny.example>\nDescription: tiny %s\n' "$name" "$version" "$arch" "$name"; printf '%s\n' "$@" | sed '/^$/d'; } > "$tree/DEBIAN/control"
  echo "$version" > "$tree/etc/tiny/$name.conf"; echo "/etc/tiny/$name.conf" > "$tree/DEBIAN/conffiles"
  local file="/srv/debs/${name}_${version#*:}_$arch.deb"
  dpkg-deb -b --root-owner-group "$tree" "$file"
  { dpkg-deb -f "$file"; printf 'Filename: ./%s\nSize: %s\nSHA256: %s\n\n' "${file##*/}" "$(stat -c %s "$file")" "$(sha256sum "$file" | cut -d' ' -f1)"; } >> /srv/debs/Packages
}
package tinya 1.0-1 all; package tinya 1.1-1 all; package tinya 2.0-1 all
package tinyb 1:3.2-4 amd64 'Depends: tinya'; package tinyb 1:3.10-1 amd64 'Depends: tinya'
package tinyc 0.9-2 all; package tinyd 5 all; package tinyneedy 1 all 'Depends: nowhere'
package tiny-with-a-long-name 1 all
echo 'deb [trusted=yes] file:/srv/debs ./' > /etc/apt/sources.list
apt-get update
apt-get install -y --allow-downgrades tinya=1.1-1 tinyb=1:3.2-4 tinyd
exec >&3 3>&-
[ $# -eq 0 ] || exec "$@"
