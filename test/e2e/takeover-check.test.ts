/** `brine takeover --check` as it is built: what it says of a site's configuration, trees, modules and keys. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ours, runProgram, type Finished } from '../support/fleet.ts';

interface Report {
  readonly version: number;
  readonly missing: number;
  readonly differs: number;
  readonly gone: number;
  readonly remarks: readonly {
    readonly subject: string;
    readonly verdict: string;
    readonly message: string;
    readonly path?: string;
    readonly line?: number;
  }[];
}

/** A folder with files; `{site}` in their texts stands for it. */
function siteOf(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'brine-takeover-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text.replaceAll('{site}', folder));
  }
  return folder;
}

function brine(...args: readonly string[]): Promise<Finished> {
  return runProgram(join(ours.folder, 'brine'), args);
}

const SITE = {
  'etc/master':
    'root_dir: {site}\npki_dir: pki\ncachedir: cache\nfile_roots: {base: [{site}/srv/salt]}\n' +
    'pillar_roots: {base: [{site}/srv/pillar]}\nmaster_job_cache: couchbase\next_pillar:\n  - cobbler: {}\n',
  'etc/master.d/reactor.conf':
    "reactor:\n  - 'salt/minion/*/start': [{site}/srv/reactor/up.sls]\nthorium_interval: 7\n",
  'etc/master.d/_schedule.conf': '# a broken schedule would be moved aside by the program\n',
  'etc/minion': 'root_dir: {site}\npki_dir: pki\nbeacons: {nosuch: []}\n',
  'srv/salt/top.sls': "base: {'*': [hosts]}\n",
  'srv/salt/hosts.sls': 'a:\n  augeas.change:\n    - changes: [set a b]\nb:\n  ethtool.offload: []\n',
  'srv/salt/_modules/own.py': 'import salt.utils.files\nimport salt.cloud\n',
  'srv/salt/_returners/couchbase.py': '',
  'srv/pillar/top.sls': 'base: {}\n',
  'srv/reactor/up.sls': 'up:\n  runner.virt.list: []\n',
  'pki/minions/web1': 'key',
  'pki/minions/web2': 'key',
};

/** Every file below a folder, with its content. */
function contentsOf(folder: string): Record<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => [
      join(parentPath, name),
      readFileSync(join(parentPath, name), 'utf8'),
    ]),
  );
}

test('takeover --check - each thing that is not served is told with its line, and nothing is changed', async (t) => {
  const site = siteOf(t, SITE);
  const before = contentsOf(site);
  const { code, stdout, stderr } = await brine(
    ...['takeover', '--check', '-c', join(site, 'etc'), '--instead-of', '3008', '--format', 'json'],
  );
  assert.equal(stderr, '');
  assert.equal(code, 1);
  assert.deepEqual(contentsOf(site), before);
  const { remarks } = JSON.parse(stdout) as Report;
  const places = remarks
    .filter(({ verdict, path }) => verdict !== 'served' && path !== undefined)
    .map(({ verdict, path = '', line }) => `${verdict} ${path.slice(site.length + 1)}:${line}`);
  assert.deepEqual(places.sort(), [
    'differs etc/master.d/reactor.conf:3',
    'gone etc/master:7',
    'gone srv/reactor/up.sls:2',
    'gone srv/salt/hosts.sls:2',
    'gone srv/salt/hosts.sls:5',
    'missing etc/minion:3',
    'missing srv/reactor/up.sls:2',
    'missing srv/salt/_modules/own.py:2',
    'missing srv/salt/hosts.sls:5',
  ]);
  const served = remarks.filter(({ verdict }) => verdict === 'served').map(({ message }) => message);
  assert.match(served.join('\n'), /Keys of minions: 2 accepted, 0 not accepted yet/);
  assert.match(served.join('\n'), /2 modules in Python run in python3/);
});

test('takeover --check - a site with nothing to say ends with 0, as text', async (t) => {
  const site = siteOf(t, {
    'etc/master': 'root_dir: {site}\npki_dir: pki\nfile_roots: {base: [{site}/srv/salt]}\n',
    'srv/salt/a.sls': 'a: {test.nop: []}\n',
  });
  const { code, stdout } = await brine('takeover', '--check', '-c', join(site, 'etc'));
  assert.equal(code, 0);
  assert.match(stdout, /States, pillar and reactions:\n {2}served: 1 file below /);
  assert.match(stdout, /Everything that was looked at is served\.\n$/);
});

test('takeover --check - a file that is no YAML is told with its line, and stays where it is', async (t) => {
  const site = siteOf(t, { 'etc/master': 'a: 1\n', 'etc/master.d/_schedule.conf': 'schedule: {\n' });
  const before = contentsOf(site);
  const { code, stdout } = await brine('takeover', '--check', '-c', join(site, 'etc'));
  assert.equal(code, 1);
  assert.match(stdout, /_schedule\.conf:\d+: missing: The file is no YAML: /);
  assert.deepEqual(contentsOf(site), before);
});

test('takeover --check - roots and reactions that are not there, and files that include each other, are told', async (t) => {
  const site = siteOf(t, {
    'etc/master':
      'root_dir: {site}\nfile_roots: {base: [{site}/srv/salt, {site}/srv/none]}\ninclude: more/*.yaml\n' +
      "reactor:\n  - a: ['{site}/srv/react/*.sls', 'salt://up.sls']\n  - b: ['{site}/srv/gone.sls']\n",
    'etc/more/a.yaml': 'thorium_interval: 7\n',
    'srv/salt/up.sls': 'up:\n  runner.virt.list: []\n',
    'srv/react/x.sls': 'x:\n  runner.virt.list: []\n',
  });
  const { stdout } = await brine('takeover', '--check', '-c', join(site, 'etc'));
  assert.match(
    stdout,
    /etc\/master:2: differs: file_roots names .*srv\/none, which is no folder: nothing comes from it\./,
  );
  assert.match(
    stdout,
    /etc\/master:4: differs: reactor names .*srv\/gone\.sls, and there is no such file: nothing is done\./,
  );
  assert.match(stdout, /srv\/react\/x\.sls:2: missing: The runner 'virt\.list'/);
  assert.match(stdout, /srv\/salt\/up\.sls:2: missing: The runner 'virt\.list'/);
  assert.match(stdout, /more\/a\.yaml:1: differs: thorium_interval/);
  writeFileSync(join(site, 'etc/more/a.yaml'), 'include: "*.yaml"\n');
  const endless = await brine('takeover', '--check', '-c', join(site, 'etc'));
  assert.equal(endless.code, 1);
  assert.match(
    endless.stdout,
    /missing: The program does not start: .* files include each other without end/,
  );
});

test('takeover --check - log-ins with which the master would not start are told', async (t) => {
  const site = siteOf(t, { 'etc/master': 'root_dir: {site}\nexternal_auth: {file: {ann: [test.*]}}\n' });
  const { code, stdout } = await brine('takeover', '--check', '-c', join(site, 'etc'));
  assert.equal(code, 1);
  assert.match(
    stdout,
    /etc\/master:2: missing: salt-master does not start, .*\^filename does not say which file/,
  );
});

test('takeover - what is to be done has to be said, and a folder without a configuration is refused', async (t) => {
  const site = siteOf(t, { 'etc/other': '' });
  for (const [words, code, says] of [
    [[], 64, /Say what to do: takeover --check, takeover, takeover --back or release\./],
    [['takeover', '--check', '--back'], 64, /option --check cannot be combined with --back: one changes/],
    [['takeover', '-c', join(site, 'none')], 1, /There is no folder .*none/],
    [['takeover', '-c', join(site, 'etc')], 1, /none runs on .*etc: nothing to take over\. Start Salt, /],
    [
      ['takeover', '--back', '-c', join(site, 'etc')],
      1,
      /has not taken over .*, so that there is no way back/,
    ],
    [['takeover', '--only', 'proxy', '-c', join(site, 'etc')], 64, /--only names .*'proxy' is none of them/],
    [
      ['takeover', '--timeout', '0', '-c', join(site, 'etc')],
      64,
      /--timeout is a number of seconds from 1 on/,
    ],
    [['takeovr', '--check'], 64, /There is no command 'takeovr'.* Did you mean 'takeover'\?/],
    [['takeover', '--check', 'x'], 64, /takeover takes no further word, and 'x' is one\./],
    [['takeover', '--check', '--instead-of', '2'], 64, /invalid choice: '2'/],
    [['takeover', '--check', '-c', join(site, 'none')], 1, /There is no folder .*none/],
    [['takeover', '--check', '-c', join(site, 'etc')], 1, /has neither a file master nor a file minion/],
  ] as const) {
    const ended = await brine(...words);
    assert.equal(ended.code, code, words.join(' '));
    assert.match(ended.stderr, says);
  }
  assert.deepEqual(readdirSync(join(site, 'etc')), ['other']);
});
