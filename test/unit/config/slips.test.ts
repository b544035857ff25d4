/** Slips in a configuration that a Python Salt passes over: each is said once, with the file and what to write. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { loadMasterConfig, loadMinionConfig } from '../../../src/config/load.ts';
import { masterOptions } from '../../../src/config/master-options.ts';
import { minionOptions } from '../../../src/config/minion-options.ts';
import { leastOf, type OptionTable } from '../../../src/config/option.ts';
import { createLogger, LOG_LEVELS } from '../../../src/host/log.ts';
import { sayIdleBackends } from '../../../src/programs/master/check-names.ts';

/** What a master says that starts with these lines, and with these files beside them. */
function said(lines: string, files: Record<string, string> = {}): { text: string; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 'brine-slips-'));
  const told: string[] = [];
  const log = createLogger('test', [
    { level: LOG_LEVELS.warning, write: ({ message }) => void told.push(message) },
  ]);
  try {
    writeFileSync(join(folder, 'master'), `${lines}\n`);
    mkdirSync(join(folder, 'master.d'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'master.d', name), text);
    const opts = loadMasterConfig({ configDir: folder, env: {}, log, program: 'salt-master' });
    sayIdleBackends(opts, log);
  } finally {
    rmSync(folder, { recursive: true });
  }
  return { text: told.join('\n'), folder };
}

test('slips - values that Salt drops without a word are named with the file and what is right', () => {
  const slips: readonly [lines: string, pattern: RegExp][] = [
    ['file_roots: {base: /srv/salt}', /file_roots: base is \/srv\/salt, which is no list, so nothing comes/],
    [
      'pillar_roots:\n  base:\n    - path: /srv',
      /pillar_roots: base has \{'path': '\/srv'\}, which is no path/,
    ],
    ['file_roots: [/srv/salt]', /defaults: it is \['\/srv\/salt'\], and has to be a mapping .*\{base: \[/],
    ['auto_accept: "yes"', /auto_accept is yes, which counts as False/],
    ['open_mode: 1', /open_mode is 1, which counts as False/],
    ['peer: [".*"]', /'peer' with value \['\.\*'\] is none that this option takes.* Correct it/],
    ['nodegroups: [web]', /An item of nodegroups, web, is no mapping of a name to a target/],
    ['default_include: other.d/*.conf', /default_include .* is other\.d\/\*\.conf, and no file matches/],
    [
      'keep_jobs_seconds: -3',
      /'keep_jobs_seconds' with value -3 is too small: it takes 0 or more.* 86400 is used/,
    ],
    ['worker_threads: 0', /'worker_threads' with value 0 is too small: it takes 1 or more.* 5 is used/],
    ['worker_threads: "0"', /'worker_threads' with value 0 is too small/],
    ['loop_interval: 0', /'loop_interval' with value 0 is too small/],
    ['timeout: -1', /'timeout' with value -1 is too small: it takes 0 or more/],
    ['file_buffer_size: 0', /'file_buffer_size' with value 0 is too small/],
    ['max_minions: -1', /'max_minions' with value -1 is too small/],
    ['fileserver_backend: [gitfs]', /fileserver_backend has git, and gitfs_remotes names nothing/],
  ];
  for (const [lines, pattern] of slips) {
    const { text, folder } = said(lines);
    assert.match(text, pattern);
    assert.ok(text.includes(join(folder, 'master')), text);
  }
});

test('slips - a number that cannot be is the default for whoever loads the file, a program that starts or not', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-slips-'));
  try {
    writeFileSync(join(folder, 'master'), 'keep_jobs_seconds: -3\nworker_threads: "0"\nret_port: 4507\n');
    const opts = loadMasterConfig({ configDir: folder, env: {} });
    assert.equal(opts.get('keep_jobs_seconds'), 86400);
    assert.equal(opts.get('worker_threads'), 5);
    assert.equal(opts.get('ret_port'), 4507);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('slips - what is right is not named', () => {
  const right = [
    'file_roots: {base: []}',
    'auto_accept: True',
    'peer: {web1: [test.ping]}',
    'keep_jobs_seconds: 0',
    'tcp_keepalive_idle: -1',
    'mworker_niceness: -5',
    'nodegroups: [{web: "web*"}]',
    'fileserver_backend: [gitfs]\ngitfs_remotes: [file:///srv/repo]',
  ];
  for (const lines of right) assert.equal(said(lines).text, '');
});

test('slips - files beside those of default_include that look like configuration are named', () => {
  const { text } = said('worker_threads: 5', {
    'a.conf': 'timeout: 6',
    'b.yml': 'timeout: 7',
    'c.conf.txt': 'timeout: 8',
    ...{ 'd.conf.rpmsave': '', 'e.conf.bak': '', 'f.conf~': '', README: '' },
  });
  assert.match(text, /b\.yml is not read: default_include takes \*\.conf alone\. Rename/);
  assert.match(text, /c\.conf\.txt is not read/);
  assert.equal(text.split('\n').length, 2, text);
});

test('slips - every option takes its own default, however small', () => {
  for (const table of [masterOptions, minionOptions] as OptionTable[])
    for (const [name, spec] of Object.entries(table)) {
      const least = leastOf(spec);
      if (least !== undefined && typeof spec.default === 'number') assert.ok(spec.default >= least, name);
    }
});

test('slips - an id that is no text ends the start, with the file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'brine-slips-'));
  try {
    for (const id of ['[web1]', '{a: b}']) {
      writeFileSync(join(folder, 'minion'), `id: ${id}\n`);
      const load = (): unknown => loadMinionConfig({ configDir: folder, env: {}, program: 'salt-minion' });
      assert.throws(load, /^ConfigError: id in .*minion is .*, which is no id\. Write one text/);
    }
    writeFileSync(join(folder, 'minion'), 'id: 17\n');
    assert.equal(loadMinionConfig({ configDir: folder, env: {}, program: 'salt-minion' }).get('id'), '17');
  } finally {
    rmSync(folder, { recursive: true });
  }
});
