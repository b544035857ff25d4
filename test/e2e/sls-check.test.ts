/** `sls check` and `sls schema` as they are built: what they find in trees of files, in each form of report. */
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ours, runProgram, type Finished } from '../support/fleet.ts';

interface Report {
  readonly version: number;
  readonly files: number;
  readonly errors: number;
  readonly warnings: number;
  readonly notes: number;
  readonly findings: readonly { readonly rule: string; readonly path: string; readonly line: number }[];
}

test('sls check - the program speaks of itself by the name it was called by', async () => {
  for (const name of ['sls', 'brine-sls']) {
    const { code, stderr } = await runProgram(join(ours.folder, name), ['chck']);
    assert.equal(code, 64);
    assert.match(
      stderr,
      new RegExp(`^Usage: ${name} \\[options\\] check[^]*\\n${name}: error: There is no command 'chck'`),
    );
  }
});

function tree(t: TestContext, files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), 'brine-sls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

function sls(cwd: string, ...args: readonly string[]): Promise<Finished> {
  return runProgram(join(ours.folder, 'sls'), args, { cwd });
}

async function rules(cwd: string, ...args: readonly string[]): Promise<string[]> {
  const { stdout, stderr } = await sls(cwd, 'check', '--format', 'json', ...args);
  assert.equal(stderr, '');
  return (JSON.parse(stdout) as Report).findings.map(({ rule, path, line }) => `${path}:${line} ${rule}`);
}

const SITE = {
  'salt/top.sls': "base:\n  '*': [web, wbe]\n",
  'salt/web.sls': 'nginx:\n  pkg.instaled: []\nown:\n  mine.made: []\n',
  'salt/_states/mine.py': 'def made(name):\n    return {}\n',
  'salt/macros.jinja': '{% macro x( %}\n',
  'pillar/top.sls': "base: {'*': [data]}\n",
  'pillar/data.sls': 'a: 1\na: 2\n',
  'reactor/up.sls': 'up:\n  local.test.ping: []\n',
};

test('sls check - a site: roots, kinds, own modules and templates are found by themselves', async (t) => {
  const folder = tree(t, SITE);
  assert.deepEqual(await rules(folder, '.'), [
    'pillar/data.sls:2 duplicate-key',
    'reactor/up.sls:2 missing-argument',
    'salt/macros.jinja:1 jinja-syntax',
    'salt/top.sls:2 missing-sls',
    'salt/web.sls:2 unknown-state',
  ]);
  const text = await sls(folder, 'check', 'salt/web.sls');
  assert.equal(
    text.stdout,
    "salt/web.sls:2:3: error: There is no state 'pkg.instaled'. Did you mean 'pkg.installed'? [unknown-state]\n" +
      '1 file checked: 1 error.\n',
  );
  assert.equal(text.code, 1);
});

test('sls check - a name that leads out of the roots is no file there', async (t) => {
  const folder = tree(t, {
    'salt/a.sls': '/etc/a:\n  file.managed:\n    - source: salt:///files/a\n',
    'salt/b.sls': "{% include '../../etc/passwd' %}\n",
  });
  assert.deepEqual(await rules(folder, '.'), ['salt/a.sls:3 missing-source', 'salt/b.sls:1 render-failed']);
});

test('sls check - roots that are named, rules that are ignored, data that are given', async (t) => {
  const folder = tree(t, {
    'states/web/init.sls':
      "include: [db]\na:\n  test.nop:\n    - name: {{ pillar['a']['b'] }}\n    - nmae: x\n",
    'formulas/db.sls': "{{ grains['os'] }}:\n  test.nop\n",
    'pillar.json': '{"local": {"a": {}}}',
    'grains.yaml': 'id: m1\n',
  });
  const roots = ['--file-root', 'states', '--file-root', 'formulas', 'states', 'formulas'];
  assert.deepEqual(await rules(folder, ...roots), ['states/web/init.sls:5 doubtful-argument']);
  const known = ['--pillar', 'pillar.json', '--grains', 'grains.yaml'];
  assert.deepEqual(await rules(folder, ...known, '--ignore', 'doubtful-argument', ...roots), [
    'formulas/db.sls:1 render-failed',
    'states/web/init.sls:4 render-failed',
  ]);
});

test('sls check - SARIF names the rule, the file and the place of each finding', async (t) => {
  const folder = tree(t, SITE);
  const { stdout, code } = await sls(folder, 'check', '--format=sarif', 'pillar');
  interface Sarif {
    readonly version: string;
    readonly runs: readonly [
      {
        readonly tool: { readonly driver: { readonly rules: readonly { readonly id: string }[] } };
        readonly results: readonly unknown[];
      },
    ];
  }
  const log = JSON.parse(stdout) as Sarif;
  assert.equal(log.version, '2.1.0');
  const index = log.runs[0].tool.driver.rules.findIndex(({ id }) => id === 'duplicate-key');
  assert.deepEqual(log.runs[0].results, [
    {
      ruleId: 'duplicate-key',
      ruleIndex: index,
      level: 'error',
      message: { text: "'a' stands twice in this mapping." },
      locations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'pillar/data.sls' },
            region: { startLine: 2, startColumn: 1 },
          },
        },
      ],
    },
  ]);
  assert.equal(code, 1);
});

test('sls check - exit codes, and what is refused on the command line', async (t) => {
  const folder = tree(t, {
    'warn/a.sls': '/a:\n  file.managed:\n    - sorce: salt://a\n',
    'fine/a.sls': 'a:\n  test.nop\n',
    'empty/a.txt': '',
    'odd/latin.sls': Buffer.from([0x61, 0xe4, 0x0a]).toString('latin1'),
  });
  writeFileSync(join(folder, 'odd/latin.sls'), Buffer.from([0x61, 0xe4, 0x0a]));
  assert.equal((await sls(folder, 'check', 'fine')).code, 0);
  assert.equal((await sls(folder, 'check', 'warn')).code, 0);
  assert.equal((await sls(folder, 'check', '--strict', 'warn')).code, 1);
  assert.deepEqual(await rules(folder, 'odd'), ['odd/latin.sls:1 unreadable-file']);
  for (const [args, said] of [
    [[], /Say what to do: check PATH…, or schema\./],
    [['chek', 'fine'], /There is no command 'chek'.*Did you mean 'check'\?/],
    [['check'], /Name the files and folders to check\./],
    [['check', 'nowhere'], /There is no file and no folder nowhere\./],
    [['check', 'empty'], /There is no SLS file in 'empty'\./],
    [
      ['check', '--ignore', 'unknown-stat', 'fine'],
      /There is no rule 'unknown-stat'\. Did you mean 'unknown-state'\?/,
    ],
    [['check', '--os', 'plan9', 'fine'], /There are no grains of 'plan9': debian, /],
    [['check', '--pillar', 'nowhere', 'fine'], /nowhere cannot be read: there is no such file\./],
    [['check', '--format', 'xml', 'fine'], /invalid choice: 'xml'/],
  ] as const) {
    const { code, stderr } = await sls(folder, ...args);
    assert.match(stderr, said);
    assert.equal(code, 64, stderr);
  }
});

test('sls check - a tree that is to harm it costs seconds and no more', async (t) => {
  const folder = tree(t, {
    'loop.sls': '{% for i in range(100000000) %}{{ i }}{% endfor %}\n',
    'self.sls': "include: [self]\n{% include 'self.sls' %}\n",
    'bomb.sls': `a: &a [x, x, x, x, x, x, x, x, x]\n${[...'bcdefghij']
      .map(
        (c, i) =>
          `${c}: &${c} [${Array(9)
            .fill(`*${String.fromCharCode(97 + i)}`)
            .join(', ')}]\n`,
      )
      .join('')}`,
    'deep.sls': `a: ${'['.repeat(50_000)}\n`,
    'outside.sls': "{% import_yaml '../../../../etc/passwd' as x %}\n{% include '/etc/passwd' %}\n",
    'run.sls': "{% set x = salt['cmd.run']('touch harm') %}{{ salt['file.touch']('harm') }}:\n  test.nop\n",
  });
  const began = performance.now();
  const { stdout, stderr } = await sls(folder, 'check', '--format', 'json', '.');
  assert.equal(stderr, '');
  const { findings } = JSON.parse(stdout) as Report;
  const of = (path: string): string[] => findings.filter((one) => one.path === path).map(({ rule }) => rule);
  assert.deepEqual(of('self.sls').length, 1);
  assert.deepEqual(of('deep.sls'), ['yaml-syntax']);
  assert.deepEqual(of('outside.sls'), ['render-failed']);
  assert.deepEqual((await rules(folder, 'harm').catch(() => ['not there']))[0], 'not there');
  assert.ok(performance.now() - began < 90_000);
});

test('sls schema - every state is in it, with what it takes', async (t) => {
  const { stdout, code } = await sls(tree(t, {}), 'schema');
  assert.equal(code, 0);
  interface Properties {
    readonly properties: Readonly<Record<string, unknown>>;
    readonly additionalProperties?: false;
  }
  interface State {
    readonly items: { readonly anyOf: readonly [unknown, Properties, unknown] };
  }
  interface Schema {
    readonly definitions: {
      readonly every: Properties;
      readonly states: { readonly properties: Readonly<Record<string, State>> };
    };
  }
  const { definitions } = JSON.parse(stdout) as Schema;
  const states = definitions.states.properties;
  const present = states['user.present']?.items.anyOf[1];
  assert.deepEqual(present?.properties['createhome'], {
    type: ['boolean', 'string', 'null'],
    description: (present?.properties['createhome'] as { description: string }).description,
    default: true,
  });
  assert.equal(present?.additionalProperties, false);
  // what every state takes stands there once, so that an editor reads it in no time
  assert.ok('require' in definitions.every.properties);
  assert.deepEqual(states['user.present']?.items.anyOf[2], { $ref: '#/definitions/every' });
  assert.ok(stdout.length < 600_000, `${stdout.length} characters`);
  assert.ok(Object.keys(states).length > 150);
});

test('sls check - what a link leads to is looked at, a circle of links ends', async (t) => {
  const folder = tree(t, { 'shared/web.sls': 'a: b: c\n', 'salt/one.sls': 'x:\n  test.nop: []\n' });
  symlinkSync(join(folder, 'shared'), join(folder, 'salt/linked'));
  symlinkSync(join(folder, 'salt'), join(folder, 'salt/again'));
  assert.deepEqual(await rules(folder, 'salt'), ['salt/linked/web.sls:1 yaml-syntax']);
});

test('sls - what cannot be served together is refused', async (t) => {
  const folder = tree(t, { 'grains.json': '{}', 'one.sls': '{}' });
  const refusals: readonly (readonly [readonly string[], RegExp])[] = [
    [['schema', 'one.sls'], /schema takes nothing else: one\.sls is for check\./],
    [['schema', '--format', 'json'], /schema takes nothing else: --format is for check\./],
    [['check', '--os', 'debian', '--grains', 'grains.json', '.'], /--os cannot be combined with --grains/],
    [['check', '--no-color', '--force-color', '.'], /--no-color cannot be combined with --force-color/],
    [['check', '--file-root', 'nowhere', '.'], /There is no folder \S+nowhere, which is named as a root\./],
  ];
  for (const [args, said] of refusals) {
    const { code, stderr } = await sls(folder, ...args);
    assert.match(stderr, said);
    assert.equal(code, 64);
  }
});
