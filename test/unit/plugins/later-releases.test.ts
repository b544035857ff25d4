/** What 3006.16 does wrong and a later release has mended, on ours: the page docs/internals/later-releases.md lists it. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { runSaltCall } from '../../../src/cli/call/salt-call.ts';
import { sanitizeHost } from '../../../src/plugins/modules/network/probes.ts';
import { recordedIo } from '../../support/command-io.ts';

interface Place {
  path(...parts: string[]): string;
  call(...argv: string[]): Promise<unknown>;
}

function place(t: TestContext): Place {
  const folder = mkdtempSync(join(tmpdir(), 'brine-later-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const path = (...parts: string[]): string => join(folder, ...parts);
  mkdirSync(path('srv'));
  const options = { id: 'minion', root_dir: folder, file_client: 'local', enable_fqdns_grains: false };
  writeFileSync(path('minion'), JSON.stringify({ ...options, file_roots: { base: [path('srv')] } }));
  return {
    path,
    call: async (...argv) => {
      const io = recordedIo('');
      await runSaltCall(['-c', folder, '--local', '--out=json', ...argv], io, {
        grainsScript: '/nonexistent',
      });
      const { stdout, stderr } = io.written;
      return stdout.startsWith('{') && stderr === ''
        ? (JSON.parse(stdout) as { local: unknown }).local
        : stderr;
    },
  };
}

test('later releases - logrotate keeps each script with its end, and the other files of a block', async (t) => {
  const { path, call } = place(t);
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
  const { path, call } = place(t);
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
  const { path, call } = place(t);
  const sls = { 'no-such-user': { 'user.present': [{ groups: ['no-such-group'] }] } };
  writeFileSync(path('srv', 'u.sls'), JSON.stringify(sls));
  const [state] = Object.values((await call('state.apply', 'u', 'test=True')) as object) as {
    result: unknown;
    comment: string;
  }[];
  assert.equal(state?.result, null, state?.comment);
  assert.match(state?.comment ?? '', /set to be added/);
});
