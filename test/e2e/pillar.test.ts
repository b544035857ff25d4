/** Pillar from the built master to the built minions, and of a call without a master. */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, readFileSync } from 'node:fs';
import test from 'node:test';
import { Fleet, runProgram, ours, until, type Daemon } from '../support/fleet.ts';
import { join } from 'node:path';

async function fleetWithPillar(
  t: Parameters<typeof Fleet.create>[0],
  more: readonly string[] = [],
): Promise<Fleet> {
  const fleet = await Fleet.create(t);
  fleet.configureMaster([
    'auto_accept: True',
    `pillar_roots: {base: [${fleet.path('pillar')}], dev: [${fleet.path('dev')}]}`,
    ...more,
  ]);
  const pillar = fleet.path('pillar');
  fleet.write(pillar, 'top.sls', [
    'base:',
    "  '*':",
    '    - common',
    "  'id:m2':",
    '    - match: grain',
    '    - second',
  ]);
  fleet.write(pillar, 'common.sls', [
    "{% from 'map.jinja' import names with context %}",
    'id: {{ grains.id }}',
    'names: {{ names | json }}',
    "echo: {{ salt['test.echo']('heard') }}",
    'nested: {a: {b: [1, 2]}}',
  ]);
  fleet.write(pillar, 'map.jinja', ["{% set names = [grains.id, saltenv, 'Zoë'] %}"]);
  fleet.write(pillar, 'second.sls', ['include:', '  - common', 'role: db', 'nested: {a: {c: 3}}']);
  fleet.write(fleet.path('dev'), 'top.sls', ['dev:', "  '*':", '    - only']);
  fleet.write(fleet.path('dev'), 'only.sls', ['env: {{ saltenv }}']);
  await fleet.startMaster();
  return fleet;
}

const common = (id: string): Record<string, unknown> => ({ id, names: [id, 'base', 'Zoë'], echo: 'heard' });

test('pillar - each minion gets its own, targets and functions read it, changes arrive at a refresh', async (t) => {
  const fleet = await fleetWithPillar(t);
  await Promise.all([fleet.joinMinion('m1'), fleet.joinMinion('m2')]);
  const items = await fleet.json(['*', 'pillar.items', 'pillarenv=base']);
  assert.deepEqual(items, {
    m1: { ...common('m1'), nested: { a: { b: [1, 2] } } },
    m2: { ...common('m2'), nested: { a: { b: [1, 2], c: 3 } }, role: 'db' },
  });
  assert.deepEqual(await fleet.json(['-I', 'role:db', 'pillar.get', 'nested:a:c']), { m2: 3 });
  assert.deepEqual(await fleet.json(['m1', 'pillar.items', 'pillarenv=dev']), { m1: { env: 'dev' } });
  fleet.write(fleet.path('pillar'), 'second.sls', ['role: web']);
  assert.deepEqual(await fleet.json(['m2', 'saltutil.refresh_pillar', 'wait=True']), { m2: true });
  assert.deepEqual(await fleet.json(['m2', 'pillar.raw', 'role']), { m2: 'web' });
});

test('pillar - errors name the file and the line to the operator, and no value to the minion', async (t) => {
  const fleet = await fleetWithPillar(t, ['pillar_safe_render_error: False']);
  fleet.write(fleet.path('pillar'), 'common.sls', ['password: hunter2', 'broken: {{ nothere }}']);
  await fleet.joinMinion('m1');
  const { m1 } = await fleet.json(['m1', 'pillar.get', '_errors']);
  assert.deepEqual(m1, [
    `Rendering SLS 'common' failed, render error:\nJinja variable 'nothere' is undefined; line 2 of ${fleet.path('pillar', 'common.sls')}`,
  ]);
});

test('pillar - the cache of the master is used until it is cleared', async (t) => {
  const fleet = await fleetWithPillar(t, ['pillar_cache: True']);
  await fleet.joinMinion('m2');
  const role = async (): Promise<unknown> =>
    ((await fleet.json(['m2', 'pillar.items']))['m2'] as Record<string, unknown>)['role'];
  assert.equal(await role(), 'db');
  fleet.write(fleet.path('pillar'), 'second.sls', ['role: web']);
  assert.equal(await role(), 'db');
  const run = (...words: string[]) => fleet.run('salt-run', ['--out', 'json', ...words]);
  const shown = JSON.parse((await run('pillar.show_pillar', 'm2')).stdout) as Record<string, unknown>;
  assert.equal(shown['role'], 'web');
  await run('pillar.clear_pillar_cache', 'm2');
  assert.equal(await role(), 'web');
  fleet.write(fleet.path('pillar'), 'second.sls', ['role: app']);
  await fleet.json(['m2', 'saltutil.refresh_pillar', 'wait=True']);
  assert.equal(await role(), 'app');
});

test('pillar - a call without a master makes it of local folders', async (t) => {
  const fleet = await Fleet.create(t);
  fleet.write(fleet.path('p'), 'top.sls', ['base:', "  '*':", '    - here']);
  fleet.write(fleet.path('p'), 'here.sls', ["local: {{ grains['id'] }}"]);
  fleet.configureMinion('m1', ['file_client: local', `pillar_roots: {base: [${fleet.path('p')}]}`]);
  const call = (...words: string[]) =>
    runProgram(
      join(ours.folder, 'salt-call'),
      ['-c', fleet.path('m1'), '--local', '--out', 'json', ...words],
      { input: '' },
    );
  assert.deepEqual(JSON.parse((await call('pillar.items')).stdout), { local: { local: 'm1' } });
  assert.deepEqual(JSON.parse((await call('pillar.get', 'local')).stdout), { local: 'm1' });
});

test('pillar - a minion with local files makes its own, with and without a master', async (t) => {
  const fleet = await fleetWithPillar(t);
  const local = ['file_client: local', `pillar_roots: {base: [${fleet.path('own')}]}`];
  const write = (role: string): void =>
    fleet.write(fleet.path('own'), 'top.sls', [
      "{% set role = '" + role + "' %}",
      "base: {'*': [{{ role }}]}",
    ]);
  for (const role of ['web', 'db'])
    fleet.write(fleet.path('own'), `${role}.sls`, [`role: ${role} of {{ grains.id }}`]);
  write('web');
  const alone = fleet.startMinion('m2', [
    ...local,
    'master_type: disable',
    'schedule: {j: {function: pillar.raw, seconds: 1, returner: rawfile_json}}',
    `rawfile_json.filename: ${fleet.path('returns')}`,
  ]);
  await fleet.joinMinion('m1', local);
  assert.deepEqual(await fleet.json(['m1', 'pillar.raw']), { m1: { role: 'web of m1' } });
  assert.deepEqual(await fleet.json(['-I', 'role:web*', 'test.ping']), { m1: true });
  const returns = (): string =>
    existsSync(fleet.path('returns')) ? readFileSync(fleet.path('returns'), 'utf8') : '';
  await until('the minion without a master has run a job', () => returns().includes('\n'));
  assert.match(returns(), /"return": \{"role": "web of m2"\}/);
  write('db');
  assert.deepEqual(await fleet.json(['m1', 'saltutil.refresh_pillar', 'wait=True']), { m1: true });
  assert.deepEqual(await fleet.json(['m1', 'pillar.raw']), { m1: { role: 'db of m1' } });
  assert.doesNotMatch(alone.log, /ERROR/);
});

test('pillar - grains that are made to be costly cost a rendering its budget, and no worker its life', async (t) => {
  const fleet = await fleetWithPillar(t, [
    'pillar_safe_render_error: False',
    'jinja_seconds_max: 1',
    'jinja_output_characters_max: 1000000',
  ]);
  const pillar = fleet.path('pillar');
  fleet.write(pillar, 'top.sls', ["base: {'*': [number, wide, late, never, common]}"]);
  fleet.write(pillar, 'number.sls', ['number: {{ grains.digits | int }}']);
  fleet.write(pillar, 'wide.sls', ["wide: {{ grains.digits | replace('9', 'ninety-nine') }}"]);
  const all = '{% for a in grains.many %}{% for b in grains.many %}{% for c in grains.many %}';
  fleet.write(pillar, 'late.sls', [`${all}{% endfor %}{% endfor %}{% endfor %}`, 'late: True']);
  fleet.write(pillar, 'never.sls', ['{% for a in grains.many %}{% endfor %}', 'never: True']);
  const master = fleet.master as Daemon;
  const children = master.children();
  const many = `[${Array.from({ length: 2000 }, (_, i) => i).join(', ')}]`;
  await fleet.joinMinion('m1', [`grains: {digits: '${'9'.repeat(300_000)}', many: ${many}}`]);
  const { m1 } = (await fleet.json(['m1', 'pillar.items'])) as { m1: Record<string, unknown> };
  assert.equal(m1['number'], 0);
  assert.equal(m1['id'], 'm1', 'what costs nothing is there');
  const errors = (m1['_errors'] as string[]).join('\n');
  const late =
    "Rendering SLS 'late' failed, render error:\n.*took more than 1 seconds of work \\(option jinja_seconds_max\\)";
  assert.match(errors, new RegExp(late));
  assert.match(errors, /Rendering SLS 'wide' failed, render error:\n.*more than 1000000 characters/);
  assert.equal(m1['never'], undefined, 'the files share the time');
  assert.deepEqual(master.childrenAmong(children), children, 'every part is the same process');
});

test('tops - sources assign states beside the top file; one that fails fails the highstate', async (t) => {
  const fleet = await Fleet.create(t);
  const states = fleet.path('states');
  fleet.configureMaster([
    'auto_accept: True',
    `file_roots: {base: [${states}]}`,
    'ext_pillar:',
    `  - reclass: {inventory_base_uri: /i, reclass_source_path: ${fleet.path('lib')}}`,
    `  - saltclass: [{path: ${fleet.path('classes')}}]`,
    'master_tops:',
    `  ext_nodes: ${fleet.path('nodes.sh')}`,
    `  saltclass: {path: ${fleet.path('classes')}}`,
    `  reclass: {inventory_base_uri: /i, reclass_source_path: ${fleet.path('lib')}}`,
  ]);
  fleet.write(states, 'top.sls', ["base: {'*': [own]}"]);
  for (const name of ['own', 'listed', 'classed', 'applied'])
    fleet.write(states, `${name}.sls`, [`${name}: {test.succeed_without_changes: []}`]);
  const script = (lines: readonly string[]): void => {
    fleet.write(fleet.path(''), 'nodes.sh', ['#!/bin/sh', ...lines]);
    chmodSync(fleet.path('nodes.sh'), 0o755);
  };
  script(['echo "{classes: [own, listed]}"']);
  fleet.write(fleet.path('classes', 'nodes'), 'm1.yml', [
    'environment: base',
    'states: [classed]',
    "pillars: {color: blue, from: '${color} {{ __grains__.id }}'}",
  ]);
  // the library stands in for reclass itself: how it is asked is what counts here
  for (const folder of ['reclass', 'reclass/adapters'])
    fleet.write(fleet.path('lib', folder), '__init__.py', []);
  fleet.write(fleet.path('lib', 'reclass'), 'errors.py', ['class ReclassException(Exception): pass']);
  fleet.write(fleet.path('lib', 'reclass', 'adapters'), 'salt.py', [
    'def top(minion_id, inventory_base_uri):',
    '    return {"base": ["applied"]}',
    'def ext_pillar(minion_id, pillar, inventory_base_uri):',
    '    return {"node": minion_id, 1: [inventory_base_uri]}',
  ]);
  await fleet.startMaster();
  await fleet.joinMinion('m1');
  assert.deepEqual(await fleet.json(['m1', 'state.show_top']), {
    m1: { base: ['own', 'listed', 'classed', 'applied'] },
  });
  const pillar = (await fleet.json(['m1', 'pillar.items']))['m1'] as Record<string, unknown>;
  assert.deepEqual(
    [pillar['node'], pillar['1'], pillar['color'], pillar['from']],
    ['m1', ['/i'], 'blue', 'blue m1'],
  );
  const applied = (await fleet.json(['m1', 'state.highstate']))['m1'] as Record<string, { name: string }>;
  assert.deepEqual(
    Object.values(applied).map(({ name }) => name),
    ['own', 'listed', 'classed', 'applied'],
  );
  script(['echo a secret reason >&2', 'exit 3']);
  const { code, stdout } = await fleet.run('salt', ['m1', 'state.highstate']);
  assert.equal(code, 1);
  assert.match(stdout, /No matching sls found for 'master_tops ext_nodes failed, see the log of the master'/);
  assert.doesNotMatch(stdout, /Succeeded/);
});

test("pillar - a master's own execution modules in Python serve its files, within a time, as they are now", async (t) => {
  const fleet = await Fleet.create(t);
  const dir = fleet.path('own', 'modules');
  fleet.configureMaster([
    'auto_accept: True',
    `pillar_roots: {base: [${fleet.path('pillar')}]}`,
    ...[`module_dirs: [${fleet.path('own')}]`, 'python_seconds_max: 2'],
  ]);
  fleet.write(fleet.path('pillar'), 'top.sls', ["base: {'*': [a, b]}"]);
  fleet.write(fleet.path('pillar'), 'a.sls', ["a: {{ salt['site.of'](grains.id) }}"]);
  fleet.write(fleet.path('pillar'), 'b.sls', [
    '#!py',
    'def run():',
    "    return {'b': __salt__['site.of'](__grains__['id'])}",
  ]);
  const write = (...body: string[]): void =>
    fleet.write(dir, 'site.py', ['def of(minion):', ...body.map((line) => `    ${line}`)]);
  write("return [minion, __salt__['test.echo']('first'), __opts__['id']]");
  await fleet.startMaster();
  await fleet.joinMinion('m1');
  const items = async (): Promise<unknown> => (await fleet.json(['m1', 'pillar.items']))['m1'];
  const first = ['m1', 'first', 'm1'];
  assert.deepEqual(await items(), { a: first, b: first });
  write("return 'second'");
  assert.deepEqual(await items(), { a: 'second', b: 'second' });
  write('while True:', '    pass');
  const stuck = (await items()) as { _errors: string[] };
  assert.deepEqual(Object.keys(stuck), ['_errors']);
  assert.equal(stuck._errors.length, 2);
  fleet.write(dir, 'site.ts', ['export default {};']);
  const refused = (await items()) as { _errors: string[] };
  assert.equal(refused._errors.length, 2);
  await fleet.master?.logged('for pillar a master runs modules of the site in Python only');
});
