# From a repository: installed, upgraded and taken back by name, while its key changes; what nobody may believe is refused.
set -eu
export DEBIAN_FRONTEND=noninteractive
fail() { echo "$*"; exit 1; }
repository() { rm -rf /var/lib/apt/lists/*; ln -sfn "$PACKAGES/repositories/$1" /srv/repository; }
quietly() { "$@" >/tmp/said 2>&1 || { cat /tmp/said; fail "failed: $*"; }; }
update() { apt-get update -o APT::Update::Error-Mode=any; }
refused() { ! update >/tmp/said 2>&1 || fail "$1 was believed"; grep -q "$2" /tmp/said || { cat /tmp/said; fail "$1: another reason"; }; }
installed() { dpkg-query -W -f '${Version}' "$1"; }
# the source of the distribution is of no use here
rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*

repository first
quietly apt-get install -y /srv/repository/pool/main/b/brine/brine-archive-keyring_1_all.deb
dpkg -V brine-archive-keyring
quietly update
quietly apt-get install -y --no-install-recommends -o APT::Get::AllowUnauthenticated=false brine-minion
[ "$(installed brine-minion)" = "$VERSION" ] || fail "installed $(installed brine-minion)"
salt-call --local test.ping --out json | grep -q true || fail 'no answer'
echo installed

repository second
quietly update
quietly apt-get upgrade -y
[ "$(installed brine-common)" = "$FURTHER" ] || fail "upgraded to $(installed brine-common)"
# old versions are kept
quietly apt-get install -y --no-install-recommends --allow-downgrades "brine-minion=$VERSION" "brine-common=$VERSION"
quietly apt-get upgrade -y
[ "$(installed brine-minion)" = "$FURTHER" ] || fail "upgraded to $(installed brine-minion)"
echo 'upgraded, taken back, upgraded'

repository foreign
refused 'another signature' 'NO_PUBKEY\|Missing key\|not available'
repository altered
refused 'an index that was altered' 'unexpected size\|Hash Sum\|mismatch'
repository late
refused 'a repository that is out of date' 'expired'
echo 'refused what nobody may believe'

# a machine that knows the old key alone believes what both have signed, and learns the new one
repository rotating
quietly update
quietly apt-get upgrade -y
[ "$(installed brine-archive-keyring)" = 2 ] || fail "keyring $(installed brine-archive-keyring)"
repository second
quietly update
repository rotated
quietly update
quietly apt-get upgrade -y
[ "$(installed brine-archive-keyring)" = 3 ] || fail "keyring $(installed brine-archive-keyring)"
# one that knows the new key alone
repository rotating
quietly update
repository second
refused 'the key that went' 'NO_PUBKEY\|Missing key\|not available'
# one that was away for the whole of it is told
quietly dpkg -i /srv/repository/pool/main/b/brine/brine-archive-keyring_1_all.deb
repository rotated
refused 'a key that the machine never heard of' 'NO_PUBKEY\|Missing key\|not available'
quietly dpkg -i /srv/repository/pool/main/b/brine/brine-archive-keyring_3_all.deb
quietly update
echo 'the key was changed'

# over HTTP, where indexes are fetched by their sums
cat >/tmp/serve.mjs <<'JS'
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
createServer((request, response) => {
  try {
    console.log(request.url);
    response.end(readFileSync(`/srv/repository${decodeURIComponent(request.url)}`));
  } catch {
    response.writeHead(404).end();
  }
}).listen(8000, '127.0.0.1');
JS
/usr/lib/brine/$FURTHER/node/bin/node /tmp/serve.mjs >/tmp/served &
server=$!
for try in $(seq 50); do (: </dev/tcp/127.0.0.1/8000) 2>/dev/null && break; sleep 0.1; done
repository rotated
sed -i 's#^URIs: .*#URIs: http://127.0.0.1:8000#' /etc/apt/sources.list.d/brine.sources
quietly update
quietly apt-get install -y --reinstall brine-minion
kill $server
grep -q by-hash /tmp/served || fail 'no index was fetched by its sum'
grep -q 'pool/.*brine-minion' /tmp/served
echo 'over HTTP'
