/** What 3006.16 does wrong and a later release has mended, on ours: the page docs/internals/later-releases.md lists it. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { sanitizeHost } from '../../../src/plugins/modules/network/probes.ts';
import { localMinion } from '../../support/local-minion.ts';

test('later releases - logrotate keeps each script with its end, and the other files of a block', async (t) => {
  const { path, call } = localMinion(t);
  const file = path('conf');
  writeFileSync(
    file,
    [
      'weekly',
      '/var/log/a.log /var/log/b.log {',
      '  rotate 4',
      '  prerotate',
      '    # why',
      '    if [ -e "${A}" ]; then touch x; fi',
      '  endscript',
      '  postrotate',
      '    echo b',
      '  endscript',
      '}',
      '/var/log/c.log {',
      '  daily',
      '}',
      '',
    ].join('\n'),
  );
  await call('logrotate.set', '/var/log/b.log', 'rotate', '7', `conf_file=${file}`);
  assert.equal(
    readFileSync(file, 'utf8'),
    [
      'weekly',
      '/var/log/a.log /var/log/b.log {',
      '    rotate 7',
      '    prerotate',
      '        # why',
      '        if [ -e "${A}" ]; then touch x; fi',
      '    endscript',
      '    postrotate',
      '        echo b',
      '    endscript',
      '}',
      '/var/log/c.log {',
      '  daily',
      '}',
      '',
    ].join('\n'),
  );
  assert.equal(await call('logrotate.set', '/var/log/b.log', 'rotate', '7', `conf_file=${file}`), true);
});

test('later releases - addresses of IPv6 keep their colons', () => {
  assert.equal(sanitizeHost('2001:db8::1'), '2001:db8::1');
  assert.equal(sanitizeHost('fe80::1%eth0'), 'fe80::1%eth0');
  assert.equal(sanitizeHost('web1.example.org;id'), 'web1.example.orgid');
  assert.equal(sanitizeHost('::1;id'), '1id');
});

test('later releases - disk.tune gives blockdev options that it knows, and says what it says', async (t) => {
  const { path, call } = localMinion(t);
  mkdirSync(path('bin'));
  const script = `#!/bin/sh\necho "$@" >> ${path('told')}\n[ "$1" = --setra ] && { echo no such device >&2; exit 1; }\necho 1\n`;
  writeFileSync(path('bin', 'blockdev'), script, { mode: 0o755 });
  const before = process.env['PATH'];
  t.after(() => (process.env['PATH'] = before));
  process.env['PATH'] = `${path('bin')}:${before ?? ''}`;
  assert.deepEqual(await call('disk.tune', '/dev/x', 'read-only=True'), { getro: '1' });
  assert.equal(readFileSync(path('told'), 'utf8').split('\n')[0], '--setro /dev/x');
  assert.match(String(await call('disk.tune', '/dev/x', 'read-ahead=9')), /no such device/);
  assert.match(
    String(await call('disk.tune', '/dev/x', 'read-only=9')),
    /Invalid keyword arguments: read-only=9\./,
  );
});

test('later releases - user.present in test mode takes a group for granted that an earlier state may make', async (t) => {
  const { path, call } = localMinion(t);
  const sls = { 'no-such-user': { 'user.present': [{ groups: ['no-such-group'] }] } };
  writeFileSync(path('srv', 'u.sls'), JSON.stringify(sls));
  const [state] = Object.values((await call('state.apply', 'u', 'test=True')) as object) as {
    result: unknown;
    comment: string;
  }[];
  assert.equal(state?.result, null, state?.comment);
  assert.match(state?.comment ?? '', /set to be added/);
});
