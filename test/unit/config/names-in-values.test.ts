import assert from 'node:assert/strict';
import { test } from 'node:test';
import { masterOptions } from '../../../src/config/master-options.ts';
import { minionOptions } from '../../../src/config/minion-options.ts';
import { nameNotThere } from '../../../src/config/names-in-values.ts';
import type { NamesInside, OptionTable } from '../../../src/config/option.ts';
import { valueNotThere } from '../../../src/config/option-values.ts';
import { ENVIRONMENT_OPTIONS } from '../../../src/formats/jinja/options.ts';
import { EXECUTORS } from '../../../src/runtime/loader/executors.ts';
import { idleProviders } from '../../../src/runtime/loader/providers.ts';
import { REQUISITES, REQUISITES_IN } from '../../../src/runtime/state/keywords.ts';
import { dict } from '../../../src/python/values/value.ts';

const tables: OptionTable = { ...masterOptions, ...minionOptions };

function inside(option: string): NamesInside {
  return tables[option]?.inside ?? assert.fail(option);
}

test('options - the names that may stand in values are those of their readers', () => {
  const sorted = (names: Iterable<string>): string[] => [...names].sort();
  const listed = (option: string): string[] => sorted(inside(option).names);
  assert.deepEqual(listed('jinja_env'), sorted(ENVIRONMENT_OPTIONS.keys()));
  assert.deepEqual(listed('jinja_sls_env'), listed('jinja_env'));
  assert.deepEqual(listed('module_executors'), sorted(EXECUTORS.keys()));
  assert.deepEqual(listed('disabled_requisites'), sorted([...REQUISITES, ...REQUISITES_IN]));
});

test('options - a name with a slip in it is said, one that there is is not', () => {
  assert.match(
    nameNotThere(inside('jinja_env'), dict({ trim_bloks: true })) ?? '',
    /'trim_bloks'.*trim_blocks/,
  );
  assert.match(
    nameNotThere(inside('module_executors'), ['docker', 'splay']) ?? '',
    /executor 'docker', every job fails/,
  );
  assert.match(nameNotThere(inside('disabled_requisites'), 'requier') ?? '', /'requier'/);
  const good = [
    nameNotThere(inside('jinja_sls_env'), dict({ TRIM_blocks: true })),
    nameNotThere(inside('module_executors'), ['sudo']),
    nameNotThere(inside('disabled_requisites'), 'require'),
  ];
  assert.deepEqual(good, [undefined, undefined, undefined]);
});

test('options - ssl without a transport that speaks TLS is said', () => {
  const ssl = dict({ certfile: '/x' });
  assert.match(
    valueNotThere('ssl', masterOptions.ssl, ssl, dict({ ssl }))?.why ?? '',
    /transport to tcp or ws/,
  );
  assert.equal(valueNotThere('ssl', masterOptions.ssl, ssl, dict({ ssl, transport: 'tcp' })), undefined);
  assert.equal(valueNotThere('ssl', masterOptions.ssl, null, dict({ ssl: null })), undefined);
});

test('options - providers that choose nothing are said', () => {
  const load = (): never => assert.fail('is not loaded for this');
  const table = [
    { name: 'pkg', file: 'aptpkg', load },
    { name: 'pkg', file: 'yumpkg', load },
  ];
  assert.deepEqual(idleProviders(dict({ pkg: 'yumpkg' }), table), []);
  assert.deepEqual(idleProviders(dict({ pkg: 'zypper', nosuch: 'x' }), table), [
    'providers: pkg: zypper has no effect, since for pkg there is aptpkg, yumpkg.',
    'providers: nosuch: x has no effect, since there is no module nosuch.',
  ]);
});
