import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CommandProblem } from '../../../../src/plugins/shared/command-problem.ts';
import { compareDeb } from '../../../../src/plugins/pkg/module/versions.ts';
import { aggregate } from '../../../../src/plugins/pkg/state/aggregate.ts';
import { versionConditions } from '../../../../src/plugins/pkg/state/versions.ts';
import { CommandExecutionError } from '../../../../src/errors/errors.ts';
import { PythonError } from '../../../../src/python/exceptions.ts';
import { pyStr } from '../../../../src/python/values/repr.ts';
import { dict, isDict, truthy, type Dict, type Value } from '../../../../src/python/values/value.ts';
import { callState, type FakeStateOptions, type FunctionDouble } from '../../../support/state-context.ts';

/** A machine with packages, and a repository that has every package in version 2. */
function machine(installed: Record<string, string>): NonNullable<FakeStateOptions['functions']> {
  const there = new Map(Object.entries(installed));
  const list: FunctionDouble = (_args, kwargs) =>
    truthy(kwargs.get('removed')) || truthy(kwargs.get('purge_desired'))
      ? dict()
      : new Map([...there].map(([name, version]): [Value, Value] => [name, [version]]));
  const install: FunctionDouble = (_args, kwargs) => {
    const changes: Dict = new Map();
    for (const item of kwargs.get('pkgs') as Value[]) {
      const [name, version] = isDict(item) ? ([...item][0] as [Value, Value]) : [item, null];
      if (name === 'nosuch')
        throw new CommandProblem('Problem encountered', dict({ errors: ['E: nosuch'], changes: {} }));
      changes.set(name, dict({ old: there.get(pyStr(name)) ?? '', new: version ?? '2' }));
      there.set(pyStr(name), pyStr(version ?? '2'));
    }
    return changes;
  };
  return {
    'pkg.list_pkgs': list,
    'pkg.install': install,
    'pkg.normalize_name': ([name]) => name ?? null,
    'pkg.version_cmp': ([a, b]) => compareDeb(pyStr(a ?? ''), pyStr(b ?? '')),
    'pkg.latest_version': (args) =>
      args.length === 1 ? '2' : new Map(args.map((name): [Value, Value] => [name, '2'])),
    'pkg.version': ([name]) => there.get(pyStr(name ?? '')) ?? '',
    'pkg.remove': (_args, kwargs) => {
      const names = truthy(kwargs.get('pkgs')) ? (kwargs.get('pkgs') as Value[]).map(pyStr) : ['vim'];
      for (const name of names) there.delete(name);
      return new Map(names.map((name): [Value, Value] => [name, dict({ new: '', old: '1' })]));
    },
  };
}

const GRAINS = dict({ os: 'Debian', os_family: 'Debian' });

async function run(fun: string, args: Dict, installed: Record<string, string>, isTest = false) {
  const options = { functions: machine(installed), grains: GRAINS, test: isTest };
  const result = await callState(fun, args, options);
  return [result.get('result'), result.get('comment'), result.get('changes')];
}

const SAME = 'All specified packages are already installed';

test('states of pkg - installed tells what it has done, and in test mode what it would do', async () => {
  const vim = dict({ name: 'vim' });
  assert.deepEqual(await run('pkg.installed', vim, { vim: '1' }), [true, SAME, dict()]);
  assert.deepEqual(await run('pkg.installed', vim, {}), [
    true,
    'The following packages were installed/updated: vim',
    dict({ vim: { old: '', new: '2' } }),
  ]);
  assert.deepEqual(await run('pkg.installed', vim, {}, true), [
    null,
    'The following packages would be installed/updated: vim',
    dict({ vim: { new: 'installed', old: '' } }),
  ]);
  const two = dict({ name: 'x', pkgs: ['vim', 'a-rather-long-name-of-a-package'] });
  assert.deepEqual(
    (await run('pkg.installed', two, { vim: '1' }))[1],
    ['1 targeted package was installed/updated.', 'The following packages were already installed: vim'].join(
      '\n',
    ),
  );
});

test('states of pkg - versions are compared, several conditions at once', async () => {
  const given = (version: string): Dict => dict({ name: 'vim', version });
  const desired = `${SAME} and are at the desired version`;
  for (const version of ['1.5', '>=1.0,<2', '1.*', '>1'])
    assert.deepEqual(await run('pkg.installed', given(version), { vim: '1.5' }), [true, desired, dict()]);
  assert.deepEqual(await run('pkg.installed', given('3'), { vim: '1.5' }), [
    true,
    'The following packages were installed/updated: vim=3',
    dict({ vim: { old: '1.5', new: '3' } }),
  ]);
  assert.deepEqual(versionConditions('>= 1.0,<2,3'), [
    ['>=', '1.0'],
    ['<', '2'],
    ['==', '3'],
  ]);
});

test('states of pkg - what the system of packages says of a failure is the comment', async () => {
  assert.deepEqual(await run('pkg.installed', dict({ name: 'nosuch' }), {}), [
    false,
    'Problem encountered. Additional info follows:\n\nerrors:\n    - E: nosuch',
    dict(),
  ]);
});

test("states of pkg - so does what a site's own module in Python knows of its failure", async () => {
  const functions = {
    ...machine({}),
    'pkg.list_downloaded': () => dict(),
    'pkg.install': () => {
      const info = dict({ errors: ['E: nosuch'], changes: { a: 1 } });
      const cause = new PythonError('salt.exceptions.CommandExecutionError', 'whole', '', {
        about: ['Bad', info],
      });
      throw new CommandExecutionError('whole', { cause });
    },
  };
  const result = await callState('pkg.downloaded', dict({ name: 'nosuch' }), { functions, grains: GRAINS });
  assert.equal(result.get('comment'), 'Bad. Additional info follows:\n\nerrors:\n    - E: nosuch');
  assert.deepEqual(result.get('changes'), dict({ a: 1 }));
});

test('states of pkg - latest, removed and purged', async () => {
  assert.deepEqual(await run('pkg.latest', dict({ name: 'vim' }), { vim: '1' }), [
    true,
    'The following packages were successfully installed/upgraded: vim',
    dict({ vim: { old: '1', new: '2' } }),
  ]);
  assert.deepEqual(
    (await run('pkg.removed', dict({ name: 'vim' }), {}))[1],
    'All specified packages are already absent',
  );
  assert.deepEqual(await run('pkg.removed', dict({ name: 'vim' }), { vim: '1' }), [
    true,
    'All targeted packages were removed.',
    dict({ vim: { new: '', old: '1' } }),
  ]);
  assert.deepEqual(await run('pkg.removed', dict({ name: 'x', pkgs: ['vim', 'ed'] }), { vim: '1' }, true), [
    null,
    'The following packages will be removed: vim.',
    dict({ vim: { new: 'removed', old: '' } }),
  ]);
  assert.deepEqual(
    (await run('pkg.purged', dict({ name: 'vim' }), {}))[1],
    'None of the targeted packages are installed or partially installed',
  );
});

test('states of pkg - states that still have to run are joined, those with other functions and repositories are not', () => {
  const chunk = (name: string, more: Record<string, Value> = {}): Dict =>
    dict({ state: 'pkg', fun: 'installed', name, __id__: name, ...more });
  const [low, versioned, held, other] = [
    chunk('a', { __agg__: true }),
    chunk('b', { version: '1' }),
    chunk('c', { hold: true }),
    chunk('d', { fromrepo: 'x' }),
  ] as [Dict, Dict, Dict, Dict];
  const chunks = [
    low,
    versioned,
    held,
    other,
    chunk('e', { fun: 'removed' }),
    chunk('f', { pkgs: ['g', 'h'] }),
  ];
  const joined = aggregate(chunk('a'), chunks, new Map());
  assert.deepEqual(joined.get('pkgs'), ['a', new Map([['b', '1']]), 'g', 'h']);
  assert.deepEqual(
    [versioned.get('__agg__'), held.get('__agg__'), other.get('__agg__')],
    [true, undefined, undefined],
  );
});
