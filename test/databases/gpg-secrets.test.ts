/**
 * A value that lies encrypted in pillar is nowhere afterwards but where it is wanted: in no log, event, job cache or
 * process list.
 */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { systemClock } from '../../src/host/clock.ts';
import { EventBusReader } from '../../src/network/events/bus-client.ts';
import { pyRepr } from '../../src/python/values/repr.ts';
import { Fleet } from '../support/fleet.ts';

const CANARY = 'canary-in-pillar';
const NAME = 'site@example.com';
/**
 * Where the value is wanted: the file of the state, what the master remembers of the minion's pillar, and what the
 * minion ran last.
 */
const WANTED = ['wanted', 'data.p', 'highstate.cache.p'];

test('gpg - an encrypted value of pillar is in no log, event, job cache or process list', async (t) => {
  const fleet = await Fleet.create(t);
  const keys = fleet.path('k');
  mkdirSync(keys, { mode: 0o700 });
  const gpg = (words: readonly string[], input = ''): string =>
    execFileSync('gpg', ['--homedir', keys, '--batch', '--quiet', ...words], {
      input,
      stdio: ['pipe', 'pipe', 'ignore'],
    }).toString();
  t.after(() => execFileSync('gpgconf', ['--homedir', keys, '--kill', 'all']));
  const passphrase = ['--passphrase', '', '--pinentry-mode', 'loopback'];
  gpg([...passphrase, '--quick-gen-key', NAME, 'future-default', 'default']);
  const encrypted = gpg(['--trust-model', 'always', '--armor', '--encrypt', '--recipient', NAME], CANARY);
  fleet.write(fleet.path('pillar'), 'top.sls', ["base: {'*': [secret]}"]);
  fleet.write(fleet.path('pillar'), 'secret.sls', [
    '#!yaml|gpg',
    'word: |',
    ...encrypted
      .trim()
      .split('\n')
      .map((line) => `  ${line}`),
  ]);
  fleet.write(fleet.path('srv'), 'use.sls', [
    `${fleet.path('wanted')}:`,
    '  file.managed: [{contents_pillar: word}, {mode: 600}, {show_changes: False}]',
    'read it:',
    `  cmd.run: [{name: 'test -n "$WORD"'}, {env: [{WORD: {{ pillar['word'] }}}]}, {hide_output: True}]`,
  ]);
  fleet.write(fleet.path('srv'), 'all.sls', ["all: {salt.state: [{tgt: '*'}, {sls: use}]}"]);
  fleet.configureMaster([
    'auto_accept: True',
    'log_level_logfile: all',
    `gpg_keydir: ${keys}`,
    `file_roots: {base: [${fleet.path('srv')}]}`,
    `pillar_roots: {base: [${fleet.path('pillar')}]}`,
  ]);
  const seen = new Set<string>();
  const look = (): void => {
    for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      try {
        seen.add(readFileSync(join('/proc', pid, 'cmdline'), 'latin1'));
      } catch {
        // gone
      }
  };
  const timer = systemClock.every(50, look);
  t.after(() => timer.cancel());
  const master = await fleet.startMaster();
  const events: string[] = [];
  const bus = await EventBusReader.connect(
    fleet.path('m', 'run', 'master_event_pub.ipc'),
    () => true,
    ({ tag, data }) => void events.push(`${tag} ${pyRepr(data)}`),
  );
  t.after(() => bus.close());
  const minion = await fleet.joinMinion('one', ['log_level_logfile: all']);
  const applied = await fleet.salt(['one', 'state.apply', 'use', '-l', 'all']);
  assert.equal(applied.code, 0, applied.stdout);
  const orchestrated = await fleet.run('salt-run', ['state.orchestrate', 'all', '-l', 'all']);
  assert.equal(orchestrated.code, 0, orchestrated.stdout);
  await fleet.salt(['one', 'saltutil.refresh_pillar']);
  const keysOf = await fleet.json(['one', 'pillar.keys', 'word']).catch(() => ({}));
  const ls = await fleet.json(['one', 'pillar.ls']);
  assert.deepEqual(ls, { one: ['word'] });
  await minion.stop();
  await master.stop();
  assert.equal(readFileSync(fleet.path('wanted'), 'utf8').trim(), CANARY);
  const places = {
    'a file': textBelow(fleet.folder),
    'an event': events.join('\n'),
    'the log': master.log + minion.log,
    'what was printed': [applied, orchestrated].map(({ stdout, stderr }) => stdout + stderr).join('\n'),
    'the list of processes': [...seen].join('\n'),
    'an answer': JSON.stringify(keysOf),
  };
  assert.ok(events.length > 5);
  for (const path of [
    fleet.path('m', 'cache', 'minions', 'one', 'data.p'),
    fleet.path('one', 'cache', 'highstate.cache.p'),
  ])
    assert.equal(statSync(path).mode & 0o077, 0, path);
  for (const [where, text] of Object.entries(places))
    assert.ok(
      !text.includes(CANARY),
      `the secret stands in ${where}: ${text.slice(Math.max(0, text.indexOf(CANARY) - 300), text.indexOf(CANARY))}`,
    );
});

function textBelow(folder: string): string {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !WANTED.includes(name))
    .map((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return textBelow(path);
      if (!entry.isFile()) return '';
      const text = readFileSync(path, 'latin1');
      // the name beside the value, so that the failure says where
      return text.replaceAll(CANARY, `${path}: ${CANARY}`);
    })
    .join('\n');
}
