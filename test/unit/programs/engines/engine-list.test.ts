import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { masterOptions } from '../../../../src/config/master-options.ts';
import { Options } from '../../../../src/config/option.ts';
import { runsReactor, withReactorEngine } from '../../../../src/config/reactor.ts';
import { loadYaml } from '../../../../src/formats/yaml/load.ts';
import { docsOf } from '../../../support/engines.ts';
import { webhookEngine } from '../../../../src/plugins/webhook/engine.ts';
import { stalekeyEngine } from '../../../../src/plugins/stalekey/engine.ts';
import { httpLogstashEngine } from '../../../../src/plugins/logstash/http.engine.ts';
import { configuredEngines } from '../../../../src/programs/engines/engine-list.ts';
import { boundOptions } from '../../../../src/programs/engines/run-engine.ts';
import { startableEngines } from '../../../../src/programs/engines/startable.ts';
import type { Dict } from '../../../../src/python/values/value.ts';
import { folder } from '../../../support/attacker.ts';

const read = (text: string): Dict => loadYaml(text) as Dict;
const list = (text: string, role: 'master' | 'minion' = 'master') => configuredEngines(read(text), role);

test('engines - the list is read in every form that Salt takes', () => {
  assert.deepEqual(
    list(
      'engines: [test, {webhook: {port: 1}}, {a: {engine_module: script, cmd: x}}, {webhook: null}, reactor]',
    ).engines.map(({ title, engine, options }) => [title, engine, [...options]]),
    [
      ['Engine(test)', 'test', []],
      ['Engine(webhook)', 'webhook', [['port', 1]]],
      ['Engine(script, name=a)', 'script', [['cmd', 'x']]],
      ['Engine(webhook) 2', 'webhook', []],
    ],
  );
  assert.deepEqual(
    list('engines: {test: {}, script: {cmd: x}}').engines.map(({ engine }) => engine),
    ['test', 'script'],
  );
  assert.deepEqual(list('engines:').engines, []);
});

test('engines - what cannot be read of the list is told', () => {
  assert.deepEqual(list('engines: [1, {a: {}, b: {}}, {c: [1]}]').refused, [
    'An entry of engines is neither a name nor a mapping of a name to options: 1.',
    'The engine b is not started: it stands in the same entry of engines as a; begin a line of its own for it.',
    'The engine c is not started: its options are no mapping.',
  ]);
});

test('engines - processes of a site are files and commands, on a master', () => {
  const text =
    'ext_processes: [/srv/a.ts, {w: {cmd: [a, b]}}, my.module.Class, {x: {cmdd: 1}}, {y: {cmd: a, user: b}}]';
  const { engines, refused } = list(text);
  assert.deepEqual(
    engines.map(({ title, kind }) => [title, kind]),
    [
      ['ExtProcess(/srv/a.ts)', 'file'],
      ['ExtProcess(w)', 'command'],
    ],
  );
  assert.match(
    refused[0] ?? '',
    /^The process my.module.Class of ext_processes is not started: it names a Python class/,
  );
  assert.match(refused[1] ?? '', /no mapping of a name to \{cmd: …\}/);
  assert.match(refused[2] ?? '', /^The process y is not started: it has no option user/);
  assert.deepEqual(list(text, 'minion'), list('{}'));
});

test('engines - one that there is not is told with the reason', (t) => {
  const ext = folder(t);
  mkdirSync(join(ext, 'engines'));
  writeFileSync(join(ext, 'engines', 'mine.ts'), '');
  writeFileSync(join(ext, 'engines', 'theirs.py'), '__virtualname__ = "their_engine"');
  const opts = read('engines: [mine, theirs, their_engine, scripted, ircbot, slack, redis]');
  opts.set('extension_modules', ext);
  const { startable, refused } = startableEngines(opts, 'minion');
  assert.deepEqual(startable, [
    { title: 'Engine(mine)', index: 0, missing: undefined },
    { title: 'Engine(theirs)', index: 1, missing: undefined },
    { title: 'Engine(their_engine)', index: 2, missing: undefined },
    { title: 'Engine(redis)', index: 6, missing: undefined },
  ]);
  assert.match(
    refused[0] ?? '',
    /^Engine\(scripted\) is not started: there is no engine of this name\. Did you mean 'script'\? Correct the name, or bring .* saltutil\.sync_engines/,
  );
  assert.match(refused[1] ?? '', /^Engine\(ircbot\) is not started: there is no engine for IRC/);
  assert.match(refused[2] ?? '', /^Engine\(slack\) is not started: .* slack_bolt has the one of today\.$/);
});

test('engines - options that are wrong are refused by name', () => {
  assert.throws(
    () => boundOptions(webhookEngine, read('{portt: 1}'), 'master'),
    /no option portt\. Did you mean 'port'\?/,
  );
  assert.throws(() => boundOptions(httpLogstashEngine, read('{tags: []}'), 'master'), /needs the option url/);
  assert.throws(() => boundOptions(stalekeyEngine, read('{}'), 'minion'), /runs beside a master only/);
  assert.deepEqual(
    { ...boundOptions(stalekeyEngine, read('{expire: 5}'), 'master') },
    { interval: 3600, expire: 5 },
  );
});

test('engines - the reactor is one, and its options are those of the daemon', () => {
  const opts = new Options(
    masterOptions,
    read('engines: [{reactor: {worker_threads: 3, refresh_interval: 7, workers: 1}}]'),
  );
  const { opts: laid, unknown } = withReactorEngine(opts);
  assert.deepEqual(
    [
      laid.get('reactor_worker_threads'),
      laid.get('reactor_refresh_interval'),
      laid.get('reactor_worker_hwm'),
    ],
    [3, 7, 10_000],
  );
  assert.deepEqual(unknown, ['workers']);
  const runs = (text: string, role: 'master' | 'minion'): boolean =>
    runsReactor(new Options(masterOptions, read(text)), role);
  for (const text of [
    'engines: [reactor]',
    'engines: {reactor: {}}',
    'engines: [{r: {engine_module: reactor}}]',
  ]) {
    assert.equal(runs(text, 'master'), true, text);
    assert.equal(runs(text, 'minion'), true, text);
  }
  assert.equal(runs('reactor: [{a: b}]', 'master'), true);
  assert.equal(runs('reactor: [{a: b}]', 'minion'), false);
  assert.equal(runs('engines: [{reactor: {engine_module: test}}]', 'master'), false);
});

test('engines - each says what it and its options are for', async () => {
  for (const { name, doc, undocumented } of await docsOf()) {
    assert.match(doc, /\.$/, name);
    assert.deepEqual(undocumented, [], name);
  }
});
